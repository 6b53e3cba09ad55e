import type { GatelineRecord } from './record.ts';

/** Why something could not be read. */
export interface ReadProblem {
  /**
   * - `TRUNCATED`: ends too early or is empty
   * - `CORRUPT`: not JSON, not UTF-8, or not the shape of a record
   * - `UNKNOWN_VERSION`: a record of a format that this version does not know
   * - `FOREIGN`: valid, but not what its name or place says (other gate, subject, pipeline)
   * - `UNREADABLE`: the system refused (permission, I/O error, a directory in its place)
   * - `CONTENT_ALTERED`: bytes whose digest differs from the one in their name
   * - `LISTING_LIMIT`: there may be more than what was listed
   * - `OUTAGE`: a service did not answer
   */
  readonly code:
    | 'TRUNCATED'
    | 'CORRUPT'
    | 'UNKNOWN_VERSION'
    | 'FOREIGN'
    | 'UNREADABLE'
    | 'CONTENT_ALTERED'
    | 'LISTING_LIMIT'
    | 'OUTAGE';
  /** Path or name of what could not be read. */
  readonly where: string;
  readonly message: string;
  /** Where it was moved, if it was. */
  readonly quarantine?: string;
  /**
   * The record that its name describes, if the name could be parsed: it is still treated as an attempt of that gate.
   */
  readonly names?: Pick<GatelineRecord, 'gate' | 'leg' | 'runNumber' | 'runAttempt' | 'n'> & { readonly kind: string };
}

/** Why a file cannot be used. */
export type ReadFault = Pick<ReadProblem, 'code' | 'message'>;

/** The name of an unreadable record, parsed, and the reason why the record could not be read. */
export type UnreadRecord = NonNullable<ReadProblem['names']> & { readonly why: string };

/** The records among the problems. */
export function unreadIn(problems: readonly ReadProblem[]): UnreadRecord[] {
  return problems.flatMap((problem) =>
    problem.names === undefined ? [] : [{ ...problem.names, why: whyUnread(problem) }],
  );
}

/** A problem as one line, with the place it concerns. */
export function whyUnread({ where, message }: ReadProblem): string {
  return `${where}: ${message}`;
}

/** Why a job cannot see records of earlier run attempts: it has no token, or its token lacks the permission. */
export type HiddenBy = 'no-token' | 'not-permitted';

/** A store's answer to a request for all records: the valid ones, and every problem found. */
export interface RecordListing {
  readonly records: readonly GatelineRecord[];
  readonly problems: readonly ReadProblem[];
  /** Every job of a run may have written any of the records, so no decision proves who made it. */
  readonly unprovenDecisions?: true;
  /** Decisions among the records that come from where no job can write. */
  readonly proven?: ReadonlySet<GatelineRecord>;
}

/** Why there may be records, of any kind, that were not listed at all; `undefined` if there can be none. */
export function whyBlind(problems: readonly ReadProblem[]): string | undefined {
  const blind = problems.filter(
    ({ names, code }) => names === undefined && (code === 'OUTAGE' || code === 'LISTING_LIMIT'),
  );
  // Sorted, so that the result does not depend on their order.
  return blind.map(whyUnread).toSorted()[0];
}

/**
 * The result of a read. `unknown` is neither: it is treated as present when attempts are numbered, and as absent when
 * something would be reused.
 */
export type Read<T> =
  | { readonly state: 'present'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly problem: ReadProblem };
