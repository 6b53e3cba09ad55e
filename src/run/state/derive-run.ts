import { comparePositions, RUN_GATE, type GatelineRecord } from '../records/record.ts';
import type { ReadProblem } from '../records/reading.ts';
import type { RunDecisions } from '../records/decisions.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { spanOf } from './earlier-views.ts';
import type { RunState, RunStatus, UnitState } from './run-state.ts';

/** The input from which the state of a run is derived. No part of it can change later. */
interface RunParts extends Pick<RunState, 'pipeline' | 'subject' | 'runNumber' | 'decided' | 'units' | 'problems'> {
  /** Records of the run. */
  readonly records: readonly GatelineRecord[];
  /** The latest call that recorded anything. */
  readonly calls: number;
  /** Problems of all records of the subject. */
  readonly unread: readonly ReadProblem[];
}

/**
 * The state of a run. What depends on every unit or record is derived when it is first read: a call asks for the states
 * of units again after each record, and seldom for the rest.
 */
export function deriveRun({ records, unread, calls, ...parts }: RunParts): RunState {
  const span = once(() => spanOf(records));
  const runAttempt = once(() => latestAttempt(calls, unread, parts.runNumber));
  const status = once(() => statusOf(parts.units, records, parts.decided));
  const task = once(() => latestOf(records.filter((record) => record.kind !== 'decided'))?.task);
  return {
    ...parts,
    get runAttempt() {
      return runAttempt();
    },
    get status() {
      return status();
    },
    get task() {
      return task();
    },
    get startedAt() {
      return span().startedAt;
    },
    get updatedAt() {
      return span().updatedAt;
    },
  };
}

/** A function that computes its result in the first call. */
function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
}

function latestAttempt(calls: number, problems: readonly ReadProblem[], runNumber: number): number {
  let latest = calls;
  for (const { names } of problems) if (names?.runNumber === runNumber) latest = Math.max(latest, names.runAttempt);
  return latest;
}

/** Run status from the units' states: completed ≻ executing ≻ paused ≻ error, if anything can still happen. */
function statusOf(
  units: ReadonlyMap<UnitKey, UnitState>,
  records: readonly GatelineRecord[],
  decided: RunDecisions,
): RunStatus {
  const states = [...units.values()];
  const last = latestOf(records);
  if (last === undefined) return states.some(({ unread }) => unread !== undefined) ? 'error' : 'initializing';
  if (decided.closed !== undefined) return 'error';
  if (last.gate === RUN_GATE && last.kind === 'decided' && last.decision === 'rollback') return 'rollback';
  if (states.every((state) => state.done)) return 'completed';
  const has = (...statuses: Array<UnitState['status']>): boolean =>
    states.some((state) => !state.done && statuses.includes(state.status));
  if (has('running')) return 'executing';
  if (decided.paused !== undefined) return 'paused';
  if (has('failed', 'lost', 'partial') || states.some(({ unread }) => unread !== undefined)) return 'error';
  if (has('ready')) return 'executing';
  return has('paused') ? 'paused' : 'error';
}

/** The latest of some records by position; of records at one position, the last in the list. */
function latestOf<R extends GatelineRecord>(records: readonly R[]): R | undefined {
  let latest: R | undefined;
  for (const record of records) if (latest === undefined || comparePositions(latest, record) <= 0) latest = record;
  return latest;
}
