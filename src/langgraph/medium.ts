import type { Digest } from '../json/digest.ts';
import type { Read, ReadFault } from '../store/record-store.ts';

/** A namespace of a thread: the graph itself (`''`), or one of its subgraphs. */
export interface Scope {
  readonly thread: string;
  readonly namespace: string;
}

/** What is kept of a place: steps, one for each checkpoint, and the writes of tasks. */
export type FileKind = 'steps' | 'writes';

/** Values by digest. */
export type Values = ReadonlyMap<Digest, Uint8Array>;

/** Where threads are kept: bytes under names, both of which mean nothing to it. */
export interface CheckpointMedium {
  /** Ids of all threads. */
  threads(): Promise<string[]>;

  /** Namespaces of a thread, among them `''`. */
  namespaces(thread: string): Promise<string[]>;

  /** Names of the files of a place, in any order. */
  names(place: Scope, kind: FileKind): Promise<string[]>;

  /** The bytes of a file: the same object again if it has not changed. */
  read(place: Scope, kind: FileKind, name: string): Promise<Read<Uint8Array>>;

  /**
   * Writes a step, or replaces it; writes a file of writes unless its name is taken. Readers see all of it or nothing,
   * and never without the values that it refers to, also if another process deletes the thread meanwhile. Durable when
   * the promise settles.
   *
   * @returns false if the name is taken
   */
  write(place: Scope, kind: FileKind, name: string, chunks: readonly Uint8Array[], values: Values): Promise<boolean>;

  /** A value of a thread, verified. */
  value(thread: string, digest: Digest): Promise<Read<Uint8Array>>;

  /** Whether a value is there, with this size. Does not read it. */
  hasValue(thread: string, digest: Digest, size: number): Promise<boolean>;

  /** A file for messages. */
  show(place: Scope, kind: FileKind, name: string): string;

  /** The file of a value for messages. */
  showValue(thread: string, digest: Digest): string;

  /** Keeps a copy of a file that cannot be used. @returns where, if that was possible */
  keepAside(
    place: Scope,
    kind: FileKind,
    name: string,
    bytes: Uint8Array,
    fault: ReadFault,
  ): Promise<string | undefined>;

  /** Removes a thread with all its values. */
  remove(thread: string): Promise<void>;
}
