import type { RecordStore, Read, ReadProblem } from '../store/record-store.ts';

/** A namespace of a thread: the graph itself (`''`), or one of its subgraphs. */
export interface Place {
  readonly thread: string;
  readonly namespace: string;
}

/** What is kept of a place: steps, one for each checkpoint, and the writes of tasks. */
export type Kind = 'steps' | 'writes';

/** Why a file cannot be used. */
export type Fault = Pick<ReadProblem, 'code' | 'message'>;

/** The values of a thread, by digest. */
export type Contents = Pick<RecordStore, 'put' | 'get'>;

/** Where threads are kept: bytes under names, both of which mean nothing to it. */
export interface CheckpointMedium {
  /** Ids of all threads. */
  threads(): Promise<string[]>;

  /** Namespaces of a thread, among them `''`. */
  namespaces(thread: string): Promise<string[]>;

  /** Names of the files of a place, in any order. */
  names(place: Place, kind: Kind): Promise<string[]>;

  /** The bytes of a file: the same object again if it has not changed. */
  read(place: Place, kind: Kind, name: string): Promise<Read<Uint8Array>>;

  /** Writes a file, or replaces it. Readers see the old or the new bytes. Durable when the promise settles. */
  replace(place: Place, kind: Kind, name: string, chunks: readonly Uint8Array[]): Promise<void>;

  /** Writes a file that must not exist yet; false if it does. Durable when the promise settles. */
  claim(place: Place, kind: Kind, name: string, chunks: readonly Uint8Array[]): Promise<boolean>;

  /** A file for messages. */
  show(place: Place, kind: Kind, name: string): string;

  /** Keeps a copy of a file that cannot be used. @returns where, if that was possible */
  keepAside(place: Place, kind: Kind, name: string, bytes: Uint8Array, fault: Fault): Promise<string | undefined>;

  contents(thread: string): Promise<Contents>;

  /** Removes a thread with all its values. */
  remove(thread: string): Promise<void>;
}
