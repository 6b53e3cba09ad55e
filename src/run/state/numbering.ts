import type { RecordListing } from '../records/reading.ts';
import { unitOf } from '../records/record.ts';
import type { RunState } from './run-state.ts';
import { unitKey, type UnitKey } from '../../pipeline/pipeline.ts';

/** The numbers for the records of a new call. */
export interface CallNumbers {
  readonly runNumber: number;
  readonly runAttempt: number;
  /** Whether it continues an open run. */
  readonly continues: boolean;
}

/**
 * A run stays open, over any number of calls, until it is completed, closed or rolled back; the next call then begins a
 * new one.
 *
 * @param latest state of the newest run
 */
export function numberCall(latest: Pick<RunState, 'status' | 'runNumber' | 'runAttempt' | 'decided'>): CallNumbers {
  const isOver = latest.status === 'completed' || latest.status === 'rollback' || latest.decided.closed !== undefined;
  const open = latest.runNumber > 0 && !isOver;
  return open
    ? { runNumber: latest.runNumber, runAttempt: latest.runAttempt + 1, continues: true }
    : { runNumber: latest.runNumber + 1, runAttempt: 1, continues: false };
}

/** The number of a unit's next attempt in a call: after all known ones, including unreadable records. */
export function nextAttempt(
  listing: RecordListing,
  call: Pick<CallNumbers, 'runNumber' | 'runAttempt'>,
  key: UnitKey,
): number {
  let last = 0;
  for (const record of listing.records) {
    if (record.runNumber === call.runNumber && record.runAttempt === call.runAttempt && unitOf(record) === key)
      last = Math.max(last, record.n);
  }
  for (const { names } of listing.problems) {
    if (names === undefined || names.runNumber !== call.runNumber || names.runAttempt !== call.runAttempt) continue;
    if (unitKey(names.gate, names.leg) === key) last = Math.max(last, names.n);
  }
  return last + 1;
}
