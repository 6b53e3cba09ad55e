import type { UnitStatus } from '../../run/state/run-state.ts';
import { comparePositions } from '../../run/records/record.ts';
import type { NameStatus } from '../../store/github/records/github-store.ts';
import { unitKey } from '../../pipeline/pipeline.ts';

/** One gate or leg, as the names of its records tell. */
export interface LiveRow {
  readonly gate: string;
  readonly leg: string;
  readonly status: UnitStatus;
}

/** How every gate that left a record stands, by its latest one: begun and not ended is running. Sorted by gate and leg. */
export function liveRows(statuses: readonly NameStatus[]): LiveRow[] {
  const rows: LiveRow[] = [];
  for (const records of Map.groupBy(statuses, ({ gate, leg }) => unitKey(gate, leg)).values()) {
    const work = records.filter(({ kind }) => kind !== 'decided').toSorted(byTime);
    const last = work.at(-1);
    if (last !== undefined) rows.push({ gate: last.gate, leg: last.leg, status: last.status ?? 'running' });
  }
  return rows.toSorted((a, b) => (unitKey(a.gate, a.leg) < unitKey(b.gate, b.leg) ? -1 : 1));
}

/** The end of an attempt comes after its claim. */
function byTime(a: NameStatus, b: NameStatus): number {
  const at = ({ runAttempt, n }: NameStatus) => ({ runNumber: 0, runAttempt, n });
  return comparePositions(at(a), at(b)) || Number(a.kind === 'ended') - Number(b.kind === 'ended');
}
