import { digestOf, type Digest } from '../../json/digest.ts';
import type { Content } from '../../run/records/record.ts';
import type { RecordStore } from '../../store/record-store.ts';
import type { EnginePorts } from '../ports.ts';

/** Ports for reading only: writes are kept in memory for this call and change nothing. */
export function dryRunPorts({ history: _, ...ports }: EnginePorts): EnginePorts {
  return { ...ports, store: dryRunStore(ports.store) };
}

function dryRunStore(store: RecordStore): RecordStore {
  const kept = new Map<Digest, Uint8Array>();
  const keep = (bytes: Uint8Array): Content => {
    const digest = digestOf(bytes);
    kept.set(digest, bytes);
    return { digest, bytes: bytes.length };
  };
  return {
    write: () => Promise.resolve('written'),
    list: (pipeline, subject, selection) => store.list(pipeline, subject, selection),
    subjects: (pipeline) => store.subjects(pipeline),
    put: (content) => Promise.resolve(keep(Buffer.from(content))),
    putStream: async (chunks) => {
      const parts: Buffer[] = [];
      for await (const chunk of chunks) parts.push(Buffer.from(chunk));
      return keep(Buffer.concat(parts));
    },
    get: async (digest) => {
      const value = kept.get(digest);
      return value === undefined ? store.get(digest) : { state: 'present', value };
    },
    check: async (digest) => {
      const value = kept.get(digest);
      return value === undefined ? store.check(digest) : { state: 'present', value: { digest, bytes: value.length } };
    },
    copyTo: (digest, path, mode) => store.copyTo(digest, path, mode),
  };
}
