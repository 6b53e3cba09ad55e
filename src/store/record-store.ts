import type { Content, GatelineRecord } from '../run/records/record.ts';
import type { Digest } from '../json/digest.ts';
import type { Read, ReadProblem, RecordListing } from '../run/records/reading.ts';

export type { Read, ReadProblem, RecordListing };

/** What a write of a record came to: `taken` means that a record of that name was there already. */
export type Written = 'written' | 'taken';

/** Picks units by what the names of their records say. */
export type UnitFilter = (unit: Pick<GatelineRecord, 'gate' | 'leg'>) => boolean;

/** Which units' records are asked for. */
export interface Selection {
  readonly only: UnitFilter;
  /** Also the records of what these units were built on, and so on: of every gate that the `needs` of a record name. */
  readonly upstream?: true;
}

/**
 * Where records and contents live. Records are immutable and named by `recordName`; contents are
 * addressed by digest. Every implementation passes `test/contract/record-store.ts`.
 */
export interface RecordStore {
  /**
   * Keep a record, durable when the promise settles.
   * @returns `taken` when a record of that name exists, whatever it holds. Nothing is changed then.
   * @throws GatelineError of fault `platform` when it could not be written.
   */
  write(record: GatelineRecord): Promise<Written>;

  /**
   * All records of a pipeline's subject, over all its runs, in no particular order. Never throws for what single records hold.
   * @param selection where reading a record costs a request, those of other units may be left out
   */
  list(pipeline: string, subject: string, selection?: Selection): Promise<RecordListing>;

  /** Subjects of a pipeline that have records, sorted. */
  subjects(pipeline: string): Promise<string[]>;

  /** Keep content from memory. Idempotent. */
  put(content: Uint8Array | string): Promise<Content>;

  /** Keep content from chunks, without holding all of it in memory. */
  putStream(chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>): Promise<Content>;

  /** Content by digest, verified: other bytes under that name are `unknown` (`CONTENT_ALTERED`) and kept aside. */
  get(digest: Digest): Promise<Read<Uint8Array>>;

  /** Whether content is present with the right digest; `unknown` as with {@link get}. Reads it without keeping it in memory. */
  check(digest: Digest): Promise<Read<Content>>;

  /**
   * Write verified content to a new file at `path` (which must not exist), with this mode.
   * Answers what `check` would; nothing is written unless `present`.
   */
  copyTo(digest: Digest, path: string, mode: number): Promise<Read<Content>>;
}
