import { unreadIn, type RecordListing, type UnreadRecord } from '../records/reading.ts';
import type { GatelineRecord, Position } from '../records/record.ts';
import { isJobCommand } from './job-commands.ts';

/** The places of claims and changes that are about entities, in one call. */
export interface CallPlaces {
  /** The place of the next one: after all others, also after those that cannot be read. */
  readonly next: number;
  /** Those that cannot be read have at most this place; `Infinity`: it is not known. */
  readonly unread: number;
}

/**
 * Places are given in turn, from 1. So those that nobody has are of records that cannot be read, and while there are
 * fewer of these places than of such records, the next place leaves them out.
 */
export function placesIn(
  { records, problems }: RecordListing,
  { runNumber, runAttempt }: Pick<Position, 'runNumber' | 'runAttempt'>,
): CallPlaces {
  const isInCall = (one: Pick<Position, 'runNumber' | 'runAttempt'>): boolean =>
    one.runNumber === runNumber && one.runAttempt === runAttempt;
  const taken = new Set(records.flatMap((one) => (isInCall(one) ? (placeOf(one) ?? []) : [])));
  const last = [...taken].reduce((a, b) => Math.max(a, b), 0);
  const free = last - taken.size;
  const unread = unreadIn(problems).filter((one) => isInCall(one) && mayChange(one)).length;
  return { next: last + 1 + Math.max(0, unread - free), unread: free < unread ? Infinity : lastFree(taken, last) };
}

function placeOf(record: GatelineRecord): number | undefined {
  if (record.kind === 'ended' || isJobCommand(record)) return undefined;
  return (record.kind === 'started' ? record.entities : record.entity)?.order;
}

/** Whether a record that cannot be read may have changed entities by itself. */
export function mayChange({ kind }: Pick<UnreadRecord, 'kind'>): boolean {
  return kind === 'started' || kind === 'decided.entity';
}

function lastFree(taken: ReadonlySet<number>, last: number): number {
  let place = last;
  while (taken.has(place)) place -= 1;
  return place;
}
