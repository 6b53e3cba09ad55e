import type { JsonValue } from '../../src/json/json.ts';
import { digestOf, type Digest } from '../../src/json/digest.ts';
import type { AgentFile } from '../../src/agent/agent.ts';
import type { AttemptFiles } from '../../src/engine/ports.ts';
import { checkpointSchema, type Checkpoint } from '../../src/run/checkpoint.ts';
import { entrySchema, isSameAttempt, type AttemptRef, type Content, type Entry } from '../../src/run/entry.ts';
import type { Checkpoints, Chunks, Contents, Log } from '../../src/store/stores.ts';

/** What `.state` holds, in memory: shared by all calls. */
export class MemoryState {
  readonly entries: Entry[] = [];
  readonly contents = new Map<Digest, Uint8Array>();
  readonly checkpoints = new Map<Digest, Checkpoint>();
  /** By directory of an attempt, its files by name. */
  readonly directories = new Map<string, Map<string, Uint8Array>>();

  valueOf(digest: Digest): JsonValue {
    return JSON.parse(new TextDecoder().decode(this.contents.get(digest))) as JsonValue;
  }
}

interface StoreHooks {
  point(operation: string): Promise<void>;
  onEntry(entry: Entry): void;
  onFind(checkpoint: Checkpoint): void;
  onSave(checkpoint: Checkpoint): void;
}

/** The stores of one call. What it writes must satisfy the schemas of what is read from a disk. */
export function createStores(state: MemoryState, { point, onEntry, onFind, onSave }: StoreHooks) {
  const log: Log = {
    read: async () => [...state.entries],
    async append(...entries) {
      for (const entry of entries) {
        await point('append');
        const line = entrySchema.parse(JSON.parse(JSON.stringify(entry)));
        state.entries.push(line);
        onEntry(line);
      }
      await point('appended');
      return [...state.entries];
    },
  };
  const contents: Contents = {
    async put(chunks) {
      await point('content');
      const bytes = await collectBytes(chunks);
      const digest = digestOf(bytes);
      state.contents.set(digest, bytes);
      return { digest, bytes: bytes.length } satisfies Content;
    },
    get: async (digest) => state.contents.get(digest),
    copyTo: () => Promise.reject(new Error('there is no disk')),
  };
  const checkpoints: Checkpoints = {
    async find(fingerprint) {
      const checkpoint = state.checkpoints.get(fingerprint);
      if (checkpoint !== undefined) onFind(checkpoint);
      return checkpoint;
    },
    async save(fingerprint, checkpoint) {
      await point('save');
      state.checkpoints.set(fingerprint, checkpointSchema.parse(JSON.parse(JSON.stringify(checkpoint))));
      onSave(checkpoint);
    },
    async forget(attempts) {
      await point('forget');
      for (const [fingerprint, { attempt }] of state.checkpoints)
        if (attempts.some((other) => isSameAttempt(other, attempt))) state.checkpoints.delete(fingerprint);
    },
  };
  const attempts: AttemptFiles = {
    async create(attempt) {
      await point('create');
      state.directories.set(directoryOf(attempt), new Map());
      return directoryOf(attempt);
    },
    pathOf: directoryOf,
    async write(directory, name, bytes) {
      state.directories.get(directory)!.set(name, Buffer.from(bytes));
    },
    async read(directory, name, limit): Promise<AgentFile> {
      const bytes = state.directories.get(directory)?.get(name);
      if (bytes === undefined) return { state: 'absent' };
      return bytes.length > limit ? { state: 'too-large', size: bytes.length } : { state: 'present', bytes };
    },
  };
  return { log, contents, checkpoints, attempts };
}

export function directoryOf({ subject, run, unit, n }: AttemptRef): string {
  return `/attempts/${subject}/${run}/${unit}/${n}`;
}

async function collectBytes(chunks: Chunks): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}
