import type { Content, GatelineRecord } from '../run/records/record.ts';
import type { Digest } from '../json/digest.ts';
import type { Read, ReadFault, ReadProblem, RecordListing } from '../run/records/reading.ts';

export type { Read, ReadFault, ReadProblem, RecordListing };

/** The result of writing a record: `taken` means that a record of that name already existed. */
export type Written = 'written' | 'taken';

/** Selects units by the data in the names of their records. */
export type UnitFilter = (unit: Pick<GatelineRecord, 'gate' | 'leg'>) => boolean;

/** Selects the units whose records are requested. */
export interface Selection {
  readonly only: UnitFilter;
  /** Also the records of everything upstream of these units, transitively: of every gate in the `needs` of a record. */
  readonly upstream?: true;
}

/**
 * Stores records and contents. Records are immutable and named by `recordName`; contents are addressed by digest. Every
 * implementation passes `test/contract/record-store.ts`.
 */
export interface RecordStore {
  /**
   * Store a record, durable when the promise settles.
   * @returns `taken` if a record of that name exists, whatever its content. Nothing is changed then.
   * @throws GatelineError of fault `platform` when it could not be written.
   */
  write(record: GatelineRecord): Promise<Written>;

  /**
   * All records of a pipeline's subject, over all its runs, in no particular order. Never throws because of the content
   * of a single record.
   * @param selection if reading a record costs a request, records of other units may be left out
   */
  list(pipeline: string, subject: string, selection?: Selection): Promise<RecordListing>;

  /** Subjects of a pipeline that have records, sorted. */
  subjects(pipeline: string): Promise<string[]>;

  /** Store content from memory. Idempotent. */
  put(content: Uint8Array | string): Promise<Content>;

  /** Store content from chunks, without holding all of it in memory. */
  putStream(chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>): Promise<Content>;

  /**
   * Content by digest, verified: other bytes under that name are `unknown` (`CONTENT_ALTERED`) and kept in quarantine.
   */
  get(digest: Digest): Promise<Read<Uint8Array>>;

  /**
   * Whether content is present with the right digest; `unknown` as with {@link get}. Reads it without keeping it in
   * memory.
   */
  check(digest: Digest): Promise<Read<Content>>;

  /**
   * Write verified content to a new file at `path` (which must not exist), with this mode. Returns the same as `check`;
   * nothing is written unless `present`.
   */
  copyTo(digest: Digest, path: string, mode: number): Promise<Read<Content>>;
}
