import type { UnitKey } from '../pipeline/pipeline.ts';
import { deriveUnit } from './fold-unit.ts';
import { orderRecords } from './order.ts';
import { isBlind, type ReadProblem, type RecordListing } from './reading.ts';
import {
  comparePositions,
  unitOf,
  type DecidedRecord,
  type EndedRecord,
  type GatelineRecord,
  type Position,
  type StartedRecord,
} from './record.ts';
import type { RunProblem, RunState, RunStatus, Told, UnitState } from './run-state.ts';
import type { UnitRecords } from './unit-records.ts';
import type { UnitGraph } from './unit.ts';
import { unitKey } from '../pipeline/pipeline.ts';

/** Whose records to fold. */
export interface RunIdentity {
  readonly pipeline: string;
  readonly subject: string;
  /** Default: the newest run that there are records of. */
  readonly runNumber?: number;
}

/**
 * What is true of a run. Pure and total: any soup of records gives an answer, with problems named; neither
 * order nor repetition nor the way records are split over listings matters.
 */
export function foldRun(graph: UnitGraph, listing: RecordListing, identity: RunIdentity, told: Told): RunState {
  const mine = listing.records.filter(
    (record) => record.pipeline === identity.pipeline && record.subject === identity.subject,
  );
  const { records, conflicts } = orderRecords(mine);
  const runNumber = identity.runNumber ?? newestRun(records, listing.problems);
  const ofRun = records.filter((record) => record.runNumber === runNumber);
  const problems: RunProblem[] = [
    ...conflicts.map((name): RunProblem => ({
      code: 'CONFLICTING_RECORDS',
      message: `two different records are called ${name}`,
    })),
    ...listing.problems.map(describeProblem),
  ];
  const grouped = groupByUnit(records, listing.problems, runNumber);
  const units = new Map<UnitKey, UnitState>();
  for (const [key, unit] of graph) {
    const own = grouped.get(key) ?? emptyUnitRecords();
    const derived = deriveUnit(unit, own, units, told);
    units.set(key, derived.state);
    problems.push(...derived.problems);
  }
  for (const key of grouped.keys()) {
    if (!graph.has(key))
      problems.push({
        code: 'UNKNOWN_UNIT',
        message: `there are records of ${key}, which the pipeline does not have`,
        unit: key,
      });
  }
  return {
    pipeline: identity.pipeline,
    subject: identity.subject,
    runNumber,
    runAttempt: latestAttempt(ofRun, listing.problems, runNumber),
    status: statusOf(units, ofRun),
    units,
    problems: sortProblems(problems),
    ...spanOf(ofRun),
  };
}

/** Records of each unit, and what is known of those that could not be read. */
function groupByUnit(
  records: readonly GatelineRecord[],
  problems: readonly ReadProblem[],
  runNumber: number,
): Map<UnitKey, UnitRecords> {
  const grouped = new Map<UnitKey, UnitRecords>();
  const at = (key: UnitKey): UnitRecords => {
    const found = grouped.get(key) ?? emptyUnitRecords();
    grouped.set(key, found);
    return found;
  };
  for (const record of records) {
    if (record.runNumber !== runNumber) continue;
    const own = at(unitOf(record));
    if (record.kind === 'started') (own.started as StartedRecord[]).push(record);
    else if (record.kind === 'ended') (own.ended as EndedRecord[]).push(record);
    else (own.decided as DecidedRecord[]).push(record);
  }
  for (const { names } of problems) {
    if (names === undefined || names.runNumber !== runNumber) continue;
    const own = at(unitKey(names.gate, names.leg));
    (own.unknown as NonNullable<ReadProblem['names']>[]).push(names);
  }
  addEarlierDecisions(grouped, records, problems, runNumber);
  if (isBlind(problems)) for (const own of grouped.values()) (own as { blind: boolean }).blind = true;
  return grouped;
}

function addEarlierDecisions(
  grouped: ReadonlyMap<UnitKey, UnitRecords>,
  records: readonly GatelineRecord[],
  problems: readonly ReadProblem[],
  runNumber: number,
): void {
  for (const record of records) {
    if (record.kind !== 'decided' || record.runNumber >= runNumber) continue;
    (grouped.get(unitOf(record))?.earlier.decided as DecidedRecord[] | undefined)?.push(record);
  }
  for (const { names } of problems) {
    if (names === undefined || names.runNumber >= runNumber || !names.kind.startsWith('decided')) continue;
    (grouped.get(unitKey(names.gate, names.leg))?.earlier.unknown as Position[] | undefined)?.push(names);
  }
}

function emptyUnitRecords(): UnitRecords {
  return { started: [], ended: [], decided: [], unknown: [], earlier: { decided: [], unknown: [] }, blind: false };
}

/** The newest run number that records or the names of unreadable ones tell of; 0 without any. */
export function newestRun(records: readonly GatelineRecord[], problems: readonly ReadProblem[]): number {
  let newest = 0;
  for (const record of records) newest = Math.max(newest, record.runNumber);
  for (const { names } of problems) newest = Math.max(newest, names?.runNumber ?? 0);
  return newest;
}

function latestAttempt(
  records: readonly GatelineRecord[],
  problems: readonly ReadProblem[],
  runNumber: number,
): number {
  let latest = 0;
  for (const record of records) latest = Math.max(latest, record.runAttempt);
  for (const { names } of problems) if (names?.runNumber === runNumber) latest = Math.max(latest, names.runAttempt);
  return latest;
}

/** Run status from the units': completed ≻ executing ≻ paused ≻ error, as far as anything can still happen. */
function statusOf(units: ReadonlyMap<UnitKey, UnitState>, records: readonly GatelineRecord[]): RunStatus {
  if (records.length === 0) return 'initializing';
  const last = records.reduce<Position & { kind: string; decision?: string }>(
    (a, b) => (comparePositions(b, a) >= 0 ? b : a),
    records[0]!,
  );
  if (last.kind === 'decided' && last.decision === 'rollback') return 'rollback';
  const states = [...units.values()];
  if (states.every((state) => state.done)) return 'completed';
  const has = (...statuses: Array<UnitState['status']>): boolean =>
    states.some((state) => !state.done && statuses.includes(state.status));
  if (has('running')) return 'executing';
  if (has('failed', 'lost', 'partial')) return 'error';
  if (has('ready')) return 'executing';
  return has('paused') ? 'paused' : 'error';
}

function spanOf(records: readonly GatelineRecord[]): Pick<RunState, 'startedAt' | 'updatedAt'> {
  const times = records.map((record) => record.at).sort();
  return { startedAt: times[0], updatedAt: times.at(-1) };
}

function describeProblem(problem: ReadProblem): RunProblem {
  return {
    code: 'UNREADABLE_RECORD',
    message: `${problem.where}: ${problem.message} (${problem.code})`,
    ...(problem.names && { unit: unitKey(problem.names.gate, problem.names.leg) }),
  };
}

function sortProblems(problems: RunProblem[]): RunProblem[] {
  const text = (problem: RunProblem): string => `${problem.code} ${problem.unit ?? ''} ${problem.message}`;
  const unique = new Map(problems.map((problem) => [text(problem), problem]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, problem]) => problem);
}
