import type { Digest } from '../json/digest.ts';
import type { Content, Position } from '../run/records/record.ts';
import type { Read } from '../run/records/reading.ts';

/** Which attempt a directory belongs to. */
export interface AttemptId extends Position {
  readonly subject: string;
  readonly gate: string;
  readonly leg: string;
}

/** Writes verified content to a new file; a store's `copyTo`. */
export type PlaceContent = (digest: Digest, path: string, mode: number) => Promise<Read<Content>>;

/**
 * The directory of one attempt: what the agent is given and where it answers. Every attempt has its own, so
 * that a late writer of an earlier one never counts.
 */
export interface AttemptDirectory {
  /** Absolute. */
  readonly path: string;
  /** Absolute path of a file in it, whether it exists or not. `name` is one path segment. */
  pathOf(name: string): string;
  /** Write a file of ours (chunks are joined), replacing it; durable. */
  write(name: string, chunks: Iterable<string>): Promise<void>;
  /** Place content of a store as a read-only file. */
  place(name: string, digest: Digest, place: PlaceContent): Promise<Read<Content>>;
  /**
   * Read what an agent wrote. Only a plain file counts, opened without following links.
   * @param limit bytes; a larger file is `too-large`
   */
  read(name: string, limit: number): Promise<AgentFile>;
  /** Remove a file, if it is there. */
  remove(name: string): Promise<void>;
}

/** What came of reading a file that an agent was asked to write. */
export type AgentFile =
  | { readonly state: 'present'; readonly bytes: Uint8Array }
  | { readonly state: 'absent' }
  | { readonly state: 'too-large'; readonly size: number }
  /** Not a plain file, or refused by the system. */
  | { readonly state: 'refused'; readonly why: string };

/** Where attempt directories are made. */
export interface AttemptFiles {
  /** Root of all of them, absolute. */
  readonly root: string;
  /** Absolute path of an attempt's directory, whether it exists or not: it names the attempt. */
  pathOf(id: AttemptId): string;
  /** A new, empty directory. @throws GatelineError `ATTEMPT_EXISTS` when it is there already. */
  create(id: AttemptId): Promise<AttemptDirectory>;
  /** The directory of an attempt that was begun; `undefined` when it is not there. */
  open(id: AttemptId): Promise<AttemptDirectory | undefined>;
}
