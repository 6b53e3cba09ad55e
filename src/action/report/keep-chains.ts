import {
  comparePositions,
  unitOf,
  type DecidedRecord,
  type EndedRecord,
  type GatelineRecord,
} from '../../run/records/record.ts';
import type { RunState, UnitState } from '../../run/state/run-state.ts';
import type { WorkflowEvent } from '../event/event.ts';
import type { JobStore } from '../records/job-store.ts';

/** A run as it ended. */
interface EndedRun {
  readonly state: Pick<RunState, 'units'>;
  readonly records: readonly GatelineRecord[];
}

/**
 * Saves the last iteration of work that was sent back under the fingerprint that it had before, if all gates that sent
 * it back are done: later runs then reuse it instead of the first iteration. Besides the iteration of this run, it may
 * be one of the resumed run whose last output was approved in this run.
 * @returns problems, for people
 */
export async function keepChains(
  { runNumber }: Pick<WorkflowEvent, 'runNumber'>,
  store: Pick<JobStore, 'supersede'>,
  run: EndedRun,
): Promise<readonly string[]> {
  const notices: string[] = [];
  for (const unit of run.state.units.values()) {
    const work = unit.done ? producedBy(unit, run) : undefined;
    const causes = work?.rework?.causes?.map((key) => run.state.units.get(key));
    if (work?.rework === undefined || causes === undefined || !causes.every((cause) => cause?.done === true)) continue;
    const approvals = causes.flatMap((cause) => approvalOf(cause!));
    if (work.runNumber !== runNumber && !approvals.some((one) => one.runNumber === runNumber)) continue;
    const ends = causes.flatMap((cause) => lastEnd(cause!, run, work.runNumber) ?? []);
    const claim = run.records.find(
      (one) => one.kind === 'started' && unitOf(one) === unit.key && comparePositions(one, work) === 0,
    );
    const all = [work, ...ends, ...approvals] as const;
    notices.push(...(await store.supersede(work.rework.base, claim === undefined ? all : [claim, ...all])));
  }
  return notices;
}

/** The attempt that produced the output of a unit, in this run or in the resumed one. */
function producedBy({ key, ended }: UnitState, { records }: EndedRun): EndedRecord | undefined {
  if (ended?.how === 'ran') return ended;
  const source = ended?.how === 'reused' && ended.source?.subject === undefined ? ended.source : undefined;
  return source && ended && records.find(isEndOf(key, (one) => comparePositions(one, source) === 0));
}

function lastEnd({ key }: UnitState, { records }: EndedRun, runNumber: number): EndedRecord | undefined {
  return records.findLast(isEndOf(key, (one) => one.runNumber === runNumber));
}

function isEndOf(
  key: string,
  matches: (one: EndedRecord) => boolean,
): (record: GatelineRecord) => record is EndedRecord {
  return (record): record is EndedRecord => record.kind === 'ended' && unitOf(record) === key && matches(record);
}

/** What let an output pass that was only partial. */
function approvalOf({ ended, decided }: UnitState): DecidedRecord[] {
  return ended?.verdict.status === 'partial' && decided?.decision === 'approve' ? [decided] : [];
}
