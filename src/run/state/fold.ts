import { unitKey, type UnitKey } from '../../pipeline/pipeline.ts';
import { runDecisions, usedDecision, type UsedDecision } from '../records/decisions.ts';
import { deriveRun } from './derive-run.ts';
import { deriveUnit } from './fold-unit.ts';
import { orderRecords } from '../records/order.ts';
import { unreadIn, whyBlind, type ReadProblem, type RecordListing, type UnreadRecord } from '../records/reading.ts';
import {
  isEntityRecord,
  RUN_GATE,
  unitOf,
  type DecidedRecord,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../records/record.ts';
import type { RunProblem, RunState, ExternalFacts, UnitState } from './run-state.ts';
import { withStandIns } from './stand-in-states.ts';
import type { UnitRecords } from '../records/unit-records.ts';
import { strangersTo, type UnitGraph } from '../records/unit.ts';
import { earlierViews } from './earlier-views.ts';

/** The pipeline, subject and run whose records are folded. */
export interface RunIdentity {
  readonly pipeline: string;
  readonly subject: string;
  /** Default: the newest run that there are records of. */
  readonly runNumber?: number;
}

/**
 * Computes the state of a run. Pure and total: any mix of records gives a result that names its problems. Neither order
 * nor repetition nor the split over listings matters.
 */
export function foldRun(
  graph: UnitGraph,
  listing: RecordListing,
  identity: RunIdentity,
  facts: ExternalFacts,
): RunState {
  return createRunFold(graph, listing, identity, facts).state();
}

/** An incremental fold: after an addition, only units that may have changed are derived again. */
export interface RunFold {
  state(): RunState;
  /** Adds a record of the folded run that is new and the latest of its unit. */
  add(record: GatelineRecord): void;
  /** Something in `facts` changed for this unit: its fingerprint, the time. */
  touch(key: UnitKey): void;
  /** Something in `facts` changed for any unit. */
  touchAll(): void;
}

/** {@link foldRun} for callers that continue to write records. `facts` may change if the fold is notified. */
export function createRunFold(
  graph: UnitGraph,
  listing: RecordListing,
  identity: RunIdentity,
  facts: ExternalFacts,
): RunFold {
  const mine = listing.records.filter(
    (record) => record.pipeline === identity.pipeline && record.subject === identity.subject,
  );
  const { records: all, conflicts } = orderRecords(mine);
  const records = all.filter((record) => !isEntityRecord(record));
  // Also a run of which nothing but set-up commands is recorded: what is recorded next comes after them.
  const runNumber = identity.runNumber ?? newestRun(all, listing.problems);
  let ofRun: readonly GatelineRecord[] = records.filter((record) => record.runNumber === runNumber);
  let calls = latestCall(all.filter((record) => record.runNumber === runNumber));
  // A CI run has one commit, and an approval for that of another run must not count.
  const views = listing.unprovenDecisions === true ? [] : earlierViews(graph, records, ofRun, facts);
  for (const view of views) {
    const then = createRunFold(view.graph, listing, { ...identity, runNumber }, view.facts);
    if (then.state().status === 'completed') return then;
  }
  const grouped = groupByUnit(graph, records, listing, runNumber);
  const open = new Set(graph.keys());
  const dependents = dependentsIn(graph);
  const problemsOf = new Map<UnitKey, readonly RunProblem[]>();
  let units: ReadonlyMap<UnitKey, UnitState> = new Map();
  let strangers = strangersTo(graph, grouped.keys()).map(describeStranger);
  const unplaced = [
    ...conflicts.map(describeConflict),
    ...listing.problems.map(describeProblem),
    ...describeDecisions(records, listing),
  ];
  let state: RunState | undefined;
  /** States of all units. Derives again those that are open, and those downstream of a unit whose state changed. */
  const deriveOpen = (): ReadonlyMap<UnitKey, UnitState> => {
    const derived = new Map(units);
    // In the graph's order: what is opened here comes later.
    for (const [key, unit] of graph) {
      if (!open.has(key)) continue;
      const now = deriveUnit(unit, grouped.get(key) ?? emptyUnitRecords(), derived, facts);
      const before = derived.get(key);
      if (before === undefined || !sameForOthers(before, now.state))
        for (const dependent of dependents.get(key) ?? []) open.add(dependent);
      derived.set(key, now.state);
      if (now.problems.length > 0) problemsOf.set(key, now.problems);
      else problemsOf.delete(key);
    }
    open.clear();
    return derived;
  };
  return {
    state: () => {
      if (state !== undefined) return state;
      units = deriveOpen();
      const ofAll = grouped.get(RUN_GATE);
      const decided = runDecisions(ofAll?.decided ?? [], ofAll?.unknown[0]?.why);
      const problems = sortProblems([...unplaced, ...[...problemsOf.values()].flat(), ...strangers]);
      const { pipeline, subject } = identity;
      const known = { records: ofRun, unread: listing.problems, calls };
      state = deriveRun({ pipeline, subject, runNumber, decided, units: withStandIns(units), problems, ...known });
      return state;
    },
    add: (record) => {
      calls = Math.max(calls, record.runAttempt);
      state = undefined;
      if (isEntityRecord(record)) return;
      ofRun = [...ofRun, record];
      const key = unitOf(record);
      const own = grouped.get(key) ?? emptyUnitRecords();
      if (!grouped.has(key)) {
        grouped.set(key, own);
        strangers = strangersTo(graph, grouped.keys()).map(describeStranger);
      }
      addTo(own, record, listing);
      open.add(key);
    },
    touch: (key) => {
      open.add(key);
      state = undefined;
    },
    touchAll: () => {
      for (const key of graph.keys()) open.add(key);
      state = undefined;
    },
  };
}

/** The latest call, that of a command included: the next one comes after it. */
function latestCall(records: readonly GatelineRecord[]): number {
  let latest = 0;
  for (const { runAttempt } of records) latest = Math.max(latest, runAttempt);
  return latest;
}

/** The units that need each unit. */
function dependentsIn(graph: UnitGraph): ReadonlyMap<UnitKey, readonly UnitKey[]> {
  const pairs = [...graph.values()].flatMap(({ key, needs }) => needs.map((need) => ({ key, need })));
  const dependents = Map.groupBy(pairs, ({ need }) => need);
  return new Map([...dependents].map(([need, some]) => [need, some.map(({ key }) => key)]));
}

/** Whether two states look the same to units downstream. */
function sameForOthers(a: UnitState, b: UnitState): boolean {
  return a.done === b.done && a.status === b.status && a.exports?.digest === b.exports?.digest;
}

function describeConflict(name: string): RunProblem {
  return { code: 'CONFLICTING_RECORDS', message: `two different records have the name ${name}` };
}

/** Lists each decision that cannot be verified: one that opens a gate was ignored, one that closes a gate was used. */
function describeDecisions(records: readonly GatelineRecord[], listing: RecordListing): RunProblem[] {
  if (listing.unprovenDecisions !== true) return [];
  return records.flatMap((record): RunProblem[] => {
    // A rework keeps an output from being reused, and does nothing else.
    if (record.kind !== 'decided' || record.decision === 'rework' || listing.proven?.has(record)) return [];
    const isUsed = usedDecision(record, listing) !== undefined;
    const about = record.gate === RUN_GATE ? 'the run' : unitOf(record);
    const what = `${record.decision} of ${about}, in the name of ${record.actor}`;
    const why = 'every job of the run can write such a record';
    const message = isUsed ? `${what}, is used unverified: ${why}` : `${what}, is ignored: ${why}`;
    return [{ code: isUsed ? 'DECISION_UNVERIFIED' : 'DECISION_IGNORED', message, unit: unitOf(record) }];
  });
}

function describeStranger(key: UnitKey): RunProblem {
  return { code: 'UNKNOWN_UNIT', message: `there are records of ${key}, which is not in the pipeline`, unit: key };
}

/** Groups records by unit, including the names of unreadable ones. */
function groupByUnit(
  graph: UnitGraph,
  records: readonly GatelineRecord[],
  listing: RecordListing,
  runNumber: number,
): Map<UnitKey, UnitRecords> {
  const { problems } = listing;
  const grouped = new Map<UnitKey, UnitRecords>([...graph.keys()].map((key) => [key, emptyUnitRecords()]));
  const at = (key: UnitKey): UnitRecords => {
    const found = grouped.get(key) ?? emptyUnitRecords();
    grouped.set(key, found);
    return found;
  };
  for (const record of records) {
    if (record.runNumber !== runNumber) continue;
    addTo(at(unitOf(record)), record, listing);
  }
  for (const unread of unreadIn(problems)) {
    if (unread.runNumber !== runNumber) continue;
    (at(unitOf(unread)).unknown as UnreadRecord[]).push(unread);
  }
  addEarlierDecisions(grouped, records, listing, runNumber);
  const blind = whyBlind(problems);
  for (const own of grouped.values()) (own as { blind: string | undefined }).blind = blind;
  return grouped;
}

function addTo(own: UnitRecords, record: GatelineRecord, listing: RecordListing): void {
  if (record.kind === 'started') (own.started as StartedRecord[]).push(record);
  else if (record.kind === 'ended') (own.ended as EndedRecord[]).push(record);
  else pushUsed(own.decided, record, listing);
}

function pushUsed(into: readonly UsedDecision[], record: DecidedRecord, listing: RecordListing): void {
  const used = usedDecision(record, listing);
  if (used !== undefined) (into as UsedDecision[]).push(used);
}

function addEarlierDecisions(
  grouped: ReadonlyMap<UnitKey, UnitRecords>,
  records: readonly GatelineRecord[],
  listing: RecordListing,
  runNumber: number,
): void {
  for (const record of records) {
    if (record.kind !== 'decided' || record.runNumber >= runNumber) continue;
    const own = grouped.get(unitOf(record));
    if (own !== undefined) pushUsed(own.earlier.decided, record, listing);
  }
  for (const unread of unreadIn(listing.problems)) {
    if (unread.runNumber >= runNumber || !unread.kind.startsWith('decided')) continue;
    (grouped.get(unitOf(unread))?.earlier.unknown as UnreadRecord[] | undefined)?.push(unread);
  }
}

function emptyUnitRecords(): UnitRecords {
  return { started: [], ended: [], decided: [], unknown: [], earlier: { decided: [], unknown: [] }, blind: undefined };
}

/** The newest run number in records or in the names of unreadable ones; 0 without any. */
export function newestRun(records: readonly GatelineRecord[], problems: readonly ReadProblem[]): number {
  let newest = 0;
  for (const record of records) newest = Math.max(newest, record.runNumber);
  for (const { names } of problems) newest = Math.max(newest, names?.runNumber ?? 0);
  return newest;
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
