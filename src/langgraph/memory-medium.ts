import type { Digest } from '../json/digest.ts';
import type { CheckpointMedium, FileKind, Scope } from './medium.ts';

interface MemoryThread {
  /** By namespace, kind and name. */
  readonly files: Map<string, Record<FileKind, Map<string, Uint8Array>>>;
  readonly values: Map<Digest, Uint8Array>;
}

/** Threads in memory, as bytes: for tests, and for graphs that need not outlive their process. */
export function createMemoryMedium(): CheckpointMedium {
  const threads = new Map<string, MemoryThread>();
  const filesOf = ({ thread, namespace }: Scope, kind: FileKind): Map<string, Uint8Array> | undefined =>
    threads.get(thread)?.files.get(namespace)?.[kind];
  return {
    threads: async () => [...threads.keys()],
    namespaces: async (thread) => [...(threads.get(thread)?.files.keys() ?? [])],
    names: async (place, kind) => [...(filesOf(place, kind)?.keys() ?? [])],
    read: async (place, kind, name) => {
      const bytes = filesOf(place, kind)?.get(name);
      return bytes === undefined ? { state: 'absent' } : { state: 'present', value: bytes };
    },
    write: async ({ thread, namespace }, kind, name, chunks, values) => {
      const known: MemoryThread = threads.get(thread) ?? { files: new Map(), values: new Map() };
      const files = known.files.get(namespace) ?? { steps: new Map(), writes: new Map() };
      if (kind === 'writes' && files.writes.has(name)) return false;
      for (const [digest, bytes] of values) known.values.set(digest, bytes);
      files[kind].set(name, Buffer.concat(chunks));
      known.files.set(namespace, files);
      threads.set(thread, known);
      return true;
    },
    value: async (thread, digest) => {
      const bytes = threads.get(thread)?.values.get(digest);
      return bytes === undefined ? { state: 'absent' } : { state: 'present', value: bytes };
    },
    hasValue: async (thread, digest) => threads.get(thread)?.values.has(digest) === true,
    show: (place, kind, name) => `${place.thread}/${kind}/${name}`,
    showValue: (thread, digest) => `${thread}/${digest}`,
    keepAside: async () => undefined,
    remove: async (thread) => void threads.delete(thread),
  };
}
