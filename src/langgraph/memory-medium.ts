import { createMemoryStore } from '../store/memory/memory-store.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { CheckpointMedium, Kind, Place } from './medium.ts';

/** By name. */
type MemoryFiles = Record<Kind, Map<string, Uint8Array>>;

interface MemoryThread {
  /** By namespace. */
  readonly files: Map<string, MemoryFiles>;
  readonly contents: RecordStore;
}

/** Threads in memory, as bytes: for tests, and for graphs that need not outlive their process. */
export function createMemoryMedium(): CheckpointMedium {
  const threads = new Map<string, MemoryThread>();
  const threadOf = (thread: string): MemoryThread => {
    const known = threads.get(thread) ?? { files: new Map(), contents: createMemoryStore() };
    threads.set(thread, known);
    return known;
  };
  const filesOf = ({ thread, namespace }: Place, kind: Kind): Map<string, Uint8Array> => {
    const { files } = threadOf(thread);
    const known: MemoryFiles = files.get(namespace) ?? { steps: new Map(), writes: new Map() };
    files.set(namespace, known);
    return known[kind];
  };
  const readable = ({ thread, namespace }: Place, kind: Kind): Map<string, Uint8Array> | undefined =>
    threads.get(thread)?.files.get(namespace)?.[kind];
  return {
    threads: async () => [...threads.keys()],
    namespaces: async (thread) => [...(threads.get(thread)?.files.keys() ?? [])],
    names: async (place, kind) => [...(readable(place, kind)?.keys() ?? [])],
    read: async (place, kind, name) => {
      const bytes = readable(place, kind)?.get(name);
      return bytes === undefined ? { state: 'absent' } : { state: 'present', value: bytes };
    },
    replace: async (place, kind, name, chunks) => void filesOf(place, kind).set(name, Buffer.concat(chunks)),
    claim: async (place, kind, name, chunks) => {
      const files = filesOf(place, kind);
      if (files.has(name)) return false;
      files.set(name, Buffer.concat(chunks));
      return true;
    },
    show: (place, kind, name) => `${place.thread}/${kind}/${name}`,
    keepAside: async () => undefined,
    contents: async (thread) => threadOf(thread).contents,
    remove: async (thread) => void threads.delete(thread),
  };
}
