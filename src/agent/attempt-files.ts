import type { Digest } from '../json/digest.ts';
import type { Content, Position } from '../run/records/record.ts';
import type { Read } from '../run/records/reading.ts';

/** The file of an attempt's directory with what its agent printed so far, both streams, redacted. */
export const LIVE_LOG = 'output.log';

/** The attempt that a directory belongs to. */
export interface AttemptId extends Position {
  readonly pipeline: string;
  readonly subject: string;
  readonly gate: string;
  readonly leg: string;
}

/** Writes verified content to a new file; a store's `copyTo`. */
export type PlaceContent = (digest: Digest, path: string, mode: number) => Promise<Read<Content>>;

/**
 * The directory of one attempt: the agent's input and output files. Every attempt has its own, so that output from a
 * late writer of an earlier attempt is ignored.
 */
export interface AttemptDirectory {
  /** Absolute. */
  readonly path: string;
  /** Absolute path of a file in it, whether it exists or not. `name` is one path segment. */
  pathOf(name: string): string;
  /** Write one of our files (chunks are joined), replacing it; durable. */
  write(name: string, chunks: Iterable<string>): Promise<void>;
  /** Write content of a store as a read-only file. */
  place(name: string, digest: Digest, place: PlaceContent): Promise<Read<Content>>;
  /**
   * Read an agent's file. It must be a plain file; links are not followed.
   * @param limit bytes; a larger file is `too-large`
   */
  read(name: string, limit: number): Promise<AgentFile>;
  /** Remove a file, if it exists. */
  remove(name: string): Promise<void>;
}

/** The result of reading a file that an agent was asked to write. */
export type AgentFile =
  | { readonly state: 'present'; readonly bytes: Uint8Array }
  | { readonly state: 'absent' }
  | { readonly state: 'too-large'; readonly size: number }
  /** Not a plain file, or refused by the system. */
  | { readonly state: 'refused'; readonly why: string };

/** Creates and finds attempt directories. */
export interface AttemptFiles {
  /** Root folder of all attempt directories, absolute. */
  readonly root: string;
  /** Absolute path of an attempt's directory, whether it exists or not: it identifies the attempt. */
  pathOf(id: AttemptId): string;
  /** A new, empty directory. @throws GatelineError `ATTEMPT_EXISTS` when it already exists. */
  create(id: AttemptId): Promise<AttemptDirectory>;
  /** The directory of an attempt that has begun; `undefined` if it does not exist. */
  open(id: AttemptId): Promise<AttemptDirectory | undefined>;
}
