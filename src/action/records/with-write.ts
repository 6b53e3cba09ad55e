import type { RecordStore } from '../../store/record-store.ts';

/** The same store with another `write`. */
export function withWrite(store: RecordStore, write: RecordStore['write']): RecordStore {
  return {
    write,
    list: (pipeline, subject, selection) => store.list(pipeline, subject, selection),
    subjects: (pipeline) => store.subjects(pipeline),
    put: (content) => store.put(content),
    putStream: (chunks) => store.putStream(chunks),
    get: (digest) => store.get(digest),
    check: (digest) => store.check(digest),
    copyTo: (digest, path, mode) => store.copyTo(digest, path, mode),
  };
}
