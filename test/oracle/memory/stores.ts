import type { JsonValue } from '../../../src/json/json.ts';
import { digestOf, type Digest } from '../../../src/json/digest.ts';
import type { AgentFile } from '../../../src/agent/agent.ts';
import { JobEntities } from '../../../src/action/gate/job-stores.ts';
import type { AttemptFiles } from '../../../src/engine/ports.ts';
import { checkpointSchema, type Checkpoint } from '../../../src/run/checkpoint.ts';
import { entrySchema, isSameAttempt, type AttemptRef, type Content, type Entry } from '../../../src/run/entry.ts';
import type { Checkpoints, Chunks, Contents, Log } from '../../../src/store/stores.ts';
import type { AttemptDirectory, State } from '../world.ts';

/** What `.state` holds, in memory: shared by all calls. */
export class MemoryState implements State {
  readonly entries: Entry[] = [];
  readonly contents = new Map<Digest, Uint8Array>();
  readonly checkpoints = new Map<Digest, Checkpoint>();
  readonly directories = new Map<string, AttemptDirectory>();

  valueOf(digest: Digest): JsonValue {
    return JSON.parse(new TextDecoder().decode(this.contents.get(digest))) as JsonValue;
  }

  directoryOf({ subject, run, unit, n }: AttemptRef): string {
    return `/attempts/${subject}/${run}/${unit}/${n}`;
  }
}

/** The stores of one call. What it writes must satisfy the schemas of what is read from a disk. */
export function createStores(state: MemoryState) {
  const log: Log = {
    read: async () => [...state.entries],
    async append(...entries) {
      state.entries.push(...entries.map((entry) => entrySchema.parse(JSON.parse(JSON.stringify(entry)))));
      return [...state.entries];
    },
  };
  const contents: Contents = {
    async put(chunks) {
      const bytes = await collectBytes(chunks);
      const digest = digestOf(bytes);
      state.contents.set(digest, bytes);
      return { digest, bytes: bytes.length } satisfies Content;
    },
    get: async (digest) => state.contents.get(digest),
    copyTo: () => Promise.reject(new Error('there is no disk')),
  };
  const checkpoints: Checkpoints = {
    find: async (fingerprint) => state.checkpoints.get(fingerprint),
    async save(fingerprint, checkpoint) {
      state.checkpoints.set(fingerprint, checkpointSchema.parse(JSON.parse(JSON.stringify(checkpoint))));
    },
    async forget(attempts) {
      for (const [fingerprint, { attempt }] of state.checkpoints)
        if (attempts.some((other) => isSameAttempt(other, attempt))) state.checkpoints.delete(fingerprint);
    },
  };
  const attempts: AttemptFiles = {
    async create(attempt) {
      state.directories.set(state.directoryOf(attempt), new Map<string, Uint8Array>());
      return state.directoryOf(attempt);
    },
    pathOf: (attempt) => state.directoryOf(attempt),
    remove: async (attempt) => void state.directories.delete(state.directoryOf(attempt)),
    async write(directory, name, bytes) {
      state.directories.get(directory)!.set(name, Buffer.from(bytes));
    },
    async read(directory, name, limit): Promise<AgentFile> {
      const bytes = state.directories.get(directory)?.get(name);
      if (bytes === undefined) return { state: 'absent' };
      return bytes.length > limit ? { state: 'too-large', size: bytes.length } : { state: 'present', bytes };
    },
  };
  return { log, contents, checkpoints, attempts, entities: new JobEntities() };
}

async function collectBytes(chunks: Chunks): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}
