import type { GatelineRecord } from './record.ts';

/** Why something could not be read as what it should be. */
export interface ReadProblem {
  /**
   * - `TRUNCATED`: ends too early or is empty
   * - `CORRUPT`: not JSON, not UTF-8, or not the shape of a record
   * - `UNKNOWN_VERSION`: a record of a format that this version does not know
   * - `FOREIGN`: sound, but not what its name or place says (other gate, subject, pipeline)
   * - `UNREADABLE`: the system refused (permission, I/O error, a directory in its place)
   * - `CONTENT_ALTERED`: bytes whose digest is not the one they are named by
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
  /** Where it was moved to, if it was. */
  readonly quarantine?: string;
  /** What its name says it is, where that could be told: it still counts as an attempt of that gate. */
  readonly names?: Pick<GatelineRecord, 'gate' | 'leg' | 'runNumber' | 'runAttempt' | 'n'> & { readonly kind: string };
}

/** What the name of a record says that exists and could not be read, and why it could not. */
export type UnreadRecord = NonNullable<ReadProblem['names']> & { readonly why: string };

/** The records among what could not be read. */
export function unreadIn(problems: readonly ReadProblem[]): UnreadRecord[] {
  return problems.flatMap((problem) =>
    problem.names === undefined ? [] : [{ ...problem.names, why: whyUnread(problem) }],
  );
}

/** A problem as one line, with what it is about. */
export function whyUnread({ where, message }: ReadProblem): string {
  return `${where}: ${message}`;
}

/** What keeps a job from seeing records of earlier run attempts: it has no token to ask with, or one that may not ask. */
export type HiddenBy = 'no-token' | 'not-permitted';

/** What a store answers when asked for all records: the sound ones, and every problem met. */
export interface RecordListing {
  readonly records: readonly GatelineRecord[];
  readonly problems: readonly ReadProblem[];
  /** Every job of a run may have written any of the records, so no decision proves who made it. */
  readonly unprovenDecisions?: true;
}

/** Why there may be records, of any kind, that were not listed at all; `undefined` where there can be none. */
export function whyBlind(problems: readonly ReadProblem[]): string | undefined {
  const blind = problems.filter(
    ({ names, code }) => names === undefined && (code === 'OUTAGE' || code === 'LISTING_LIMIT'),
  );
  // The same one in whichever order they came.
  return blind.map(whyUnread).toSorted()[0];
}

/** What a read came to. `unknown` is neither: it counts as present where attempts are counted and as absent where something would be reused. */
export type Read<T> =
  | { readonly state: 'present'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly problem: ReadProblem };
