import type { Digest } from '../json/digest.ts';
import type { AttemptRef, Content, Entry } from '../run/entry.ts';
import type { Checkpoint } from '../run/checkpoint.ts';
import type { EntityEntry } from '../run/entity/entity-log.ts';

/** Bytes in pieces. */
export type Chunks = Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/** The append-only log of a folder: `.state/log.jsonl`. The order of entries is the order of lines. */
export interface Log {
  /**
   * All entries.
   * @throws GatelineError `platform` with file and line, if a line that is not the last one cannot be read
   */
  read(): Promise<readonly Entry[]>;
  /**
   * Appends durably: the entry is on the disk when this resolves.
   * @returns all entries in line order, what others wrote meanwhile and this one included
   */
  append(...entries: readonly Entry[]): Promise<readonly Entry[]>;
}

/** The append-only log of entities, which outlive runs: `.state/entities.jsonl`. */
export interface Entities {
  read(): Promise<readonly EntityEntry[]>;
  /** Appends durably the entries that `decide` returns for all entries. Nobody else appends meanwhile. */
  update(decide: (entries: readonly EntityEntry[]) => Promise<readonly EntityEntry[]>): Promise<readonly EntityEntry[]>;
}

/** Values and files by digest: `.state/content/<digest>`. */
export interface Contents {
  put(bytes: Chunks): Promise<Content>;
  /** The bytes, verified. Undefined: absent, or not what the digest says. */
  get(digest: Digest): Promise<Uint8Array | undefined>;
  /** Writes the bytes, verified, to a new file. False: absent, or not what the digest says. */
  copyTo(digest: Digest, path: string): Promise<boolean>;
}

/** The newest checkpoint of each request: `.state/checkpoints/<fingerprint>.json`. */
export interface Checkpoints {
  find(fingerprint: Digest): Promise<Checkpoint | undefined>;
  save(fingerprint: Digest, checkpoint: Checkpoint): Promise<void>;
  /** Removes every checkpoint that one of these attempts made. */
  forget(attempts: readonly AttemptRef[]): Promise<void>;
}
