import { hexOf } from '../json/digest.ts';
import type { GateGroup } from '../pipeline/pipeline.ts';
import { stoppedUnits } from '../run/plan/strategy.ts';
import { actorOf } from '../run/records/decisions.ts';
import type { EndedRecord, GatelineRecord } from '../run/records/record.ts';
import { iterationOf } from '../run/records/reworks.ts';
import { resultOf, type RunState, type RunStatus, type UnitState } from '../run/state/run-state.ts';
import { truncateBytes } from '../untrusted/escape.ts';
import { failureText } from '../verdict/verdict.ts';
import { sumOf, type Amount } from './amounts.ts';
import { agentRan, attemptsOf, endedAfter, isJudged, reusedIn, spansOf, spentOn, type Attempt } from './attempts.ts';
import {
  GATES_FORMAT,
  HISTORY_FORMAT,
  keptSubject,
  type GateOutcome,
  type GatesEntry,
  type HistoryEntry,
  type RunHistory,
} from './entry.ts';
import { fitEntry, fitGates } from './entry-line.ts';

/** Facts about a run that are not in its records. */
export type EntryFacts = Partial<
  Pick<HistoryEntry, 'runId' | 'set' | 'commit' | 'branch' | 'event' | 'trust' | 'actor' | 'workflowFile' | 'iteration'>
>;

/** The input for {@link historyOfRun}. */
export interface HistoryInput {
  readonly state: RunState;
  readonly records: readonly GatelineRecord[];
  readonly groups?: readonly GateGroup[];
  readonly facts?: EntryFacts;
  /** ISO 8601, UTC, milliseconds. */
  readonly now: string;
  /** The status of the run, if more is known than its records say. */
  readonly status?: RunStatus;
}

/** Bytes of texts in an entry, before it is made to fit. */
const LONGEST = 200;
const LONGEST_IN_GATE = 120;

/** The entries of a run, from its folded state and its records. */
export function historyOfRun(input: HistoryInput): RunHistory {
  const { state, records, now, facts = {} } = input;
  const attempts = attemptsOf(records, state);
  const identity = {
    pipeline: state.pipeline,
    subject: keptSubject(state.subject),
    run: state.runNumber,
    ...(facts.runId !== undefined && { runId: facts.runId }),
    attempt: state.runAttempt,
    started: state.startedAt ?? now,
  };
  const entry = fitEntry({ format: HISTORY_FORMAT, ...identity, ...runFields(input, attempts) });
  const saved = new Map(reusedIn(state, records).map(({ unit, saved: amount }) => [unit.key, amount]));
  const byUnit = Map.groupBy(attempts, ({ key }) => key);
  const groups = new Map(input.groups?.flatMap(({ id, gates }) => gates.map((gate) => [gate, id] as const)));
  const gates = [...state.units.values()].map((unit) => {
    const group = groups.get(unit.gate);
    return {
      ...gateEntry(unit, byUnit.get(unit.key) ?? [], saved.get(unit.key)),
      ...(group !== undefined && { group: cut(group, 100) }),
    };
  });
  return { entry, gates: fitGates({ format: GATES_FORMAT, ...identity, gates, left: 0 } satisfies GatesEntry) };
}

type RunFields = Omit<HistoryEntry, 'format' | 'pipeline' | 'subject' | 'run' | 'runId' | 'attempt' | 'started'>;

function runFields({ state, now, facts = {}, status }: HistoryInput, attempts: readonly Attempt[]): RunFields {
  const units = [...state.units.values()];
  const count = (is: (unit: UnitState) => boolean): number => units.filter(is).length;
  const { costUsd, tokens } = spentOn(attempts);
  const { closed } = state.decided;
  const failure = failureOf(state);
  const iteration = Math.max(facts.iteration ?? 1, ...units.map(({ reworks }) => iterationOf(reworks)));
  const text = (name: 'set' | 'branch' | 'event' | 'trust' | 'actor' | 'workflowFile'): object =>
    facts[name] === undefined ? {} : { [name]: cut(facts[name]) };
  return {
    status: status ?? state.status,
    ended: state.updatedAt ?? now,
    ms: bounded(spansOf(attempts, state, now).reduce((sum, { from, to }) => sum + to - from, 0)),
    gates: units.length,
    passed: count(({ done, status: is }) => done && !SKIPPED.has(is)),
    failed: count(({ done, status: is }) => !done && FAILED.has(is)),
    skipped: count(({ status: is }) => SKIPPED.has(is)),
    reused: count(({ reused }) => reused),
    ...(costUsd !== undefined && { cost: dollars(costUsd) }),
    ...(tokens !== undefined && { tokens: bounded(tokens) }),
    ...(failure !== undefined && { failure }),
    ...(iteration > 1 && { iteration }),
    ...(state.task !== undefined && { task: cut(state.task) }),
    ...(closed !== undefined && { closedBy: cut(actorOf(closed)) }),
    ...(isCommit(facts.commit) && { commit: facts.commit.slice(0, 12) }),
    ...text('set'),
    ...text('branch'),
    ...text('event'),
    ...text('trust'),
    ...text('actor'),
    ...text('workflowFile'),
    ...usedIn(attempts),
  };
}

const SKIPPED: ReadonlySet<UnitState['status']> = new Set(['skipped', 'not-applicable']);
const WELL: ReadonlySet<UnitState['status']> = new Set(['passed', ...SKIPPED]);
const FAILED: ReadonlySet<UnitState['status']> = new Set(['failed', 'lost', 'partial']);

function isCommit(commit: string | undefined): commit is string {
  return commit !== undefined && /^[0-9a-f]{7,64}$/.test(commit);
}

/** The gate that stopped a run that failed, and the decision that closed it. */
function failureOf(state: RunState): HistoryEntry['failure'] {
  if (state.status !== 'error') return undefined;
  const unit = state.units.get(stoppedUnits(state)[0] ?? '') ?? [...state.units.values()].find(({ unread }) => unread);
  if (unit === undefined) return undefined;
  const kind = unit.status === 'lost' ? 'lost' : resultOf(unit)?.verdict.kind;
  const message = messageOf(unit);
  return {
    gate: truncateBytes(unit.key, 121),
    ...(kind !== undefined && { kind }),
    ...(message !== '' && { message }),
  };
}

/** Sets of what agents reported that they used, by name. */
function usedIn(attempts: readonly Attempt[]): Pick<HistoryEntry, 'tools' | 'mcps' | 'plugins' | 'models'> {
  const reports = attempts.flatMap(({ ended }) => (ended?.how === 'ran' ? (ended.metrics ?? []) : []));
  const set = (names: readonly (string | undefined)[]): string[] =>
    [...new Set(names.filter((name) => name !== undefined && name !== ''))]
      .map((name) => cut(name!, 60))
      .toSorted()
      .slice(0, 50);
  return {
    tools: set(reports.flatMap(({ tools = [] }) => tools)),
    mcps: set(reports.flatMap(({ mcps = [] }) => mcps)),
    plugins: set(reports.flatMap(({ plugins = [] }) => plugins)),
    models: set(reports.map(({ model }) => model)),
  };
}

function gateEntry(unit: UnitState, attempts: readonly Attempt[], saved: Amount | undefined): GateOutcome {
  const ended = resultOf(unit);
  const tries = attempts.filter(agentRan);
  const last = ended ?? unit.started;
  const took = ended === undefined || unit.status === 'not-applicable' ? undefined : endedAfter(ended);
  const spent = saved ?? sumOf([{ ...spentOn(attempts), ms: took }]);
  const first = firstVerdict(tries, unit);
  const iteration = iterationOf(unit.reworks);
  const [model, result, message] = [ended?.metrics?.model, ended?.verdict.result, messageOf(unit)].map((text = '') =>
    cut(text, LONGEST_IN_GATE),
  );
  return {
    gate: truncateBytes(unit.gate, LONGEST_IN_GATE),
    leg: truncateBytes(unit.leg, 80),
    status: unit.status,
    ...(ended !== undefined &&
      unit.status !== 'not-applicable' && { score: Math.round(ended.verdict.score * 100) / 100 }),
    ...(ended !== undefined && !WELL.has(unit.status) && { kind: ended.verdict.kind }),
    attempts: tries.length,
    ...(first !== undefined && { first }),
    ...(saved !== undefined && { reused: true }),
    ...(spent.ms !== undefined && { ms: bounded(spent.ms) }),
    ...(spent.tokens !== undefined && { tokens: bounded(spent.tokens) }),
    ...(spent.costUsd !== undefined && { cost: dollars(spent.costUsd) }),
    ...(model !== '' && { model: cut(model!, 100) }),
    ...(last !== undefined && { fingerprint: twelve(last.fingerprint), contract: twelve(last.contract) }),
    ...(differs(attempts) && { flaky: true }),
    ...(iteration > 1 && { iteration }),
    ...(result !== '' && { result: result! }),
    ...(message !== '' && { message: message! }),
  };
}

/** Whether the first attempt passed; `undefined`: there was none, or it is not over. */
function firstVerdict(tries: readonly Attempt[], unit: UnitState): boolean | undefined {
  const isOver =
    tries.length > 1 || (tries.length === 1 && (tries[0]!.ended !== undefined || unit.status !== 'running'));
  return isOver ? tries[0]!.ended?.verdict.status === 'passed' : undefined;
}

/** Whether two attempts with one fingerprint and one contract have different verdicts. */
function differs(attempts: readonly Attempt[]): boolean {
  const judged = attempts.flatMap(({ ended }) => (ended !== undefined && isJudged(ended) ? [ended] : []));
  const same = Map.groupBy(judged, ({ fingerprint, contract }) => `${fingerprint} ${contract}`);
  return [...same.values()].some((list) => new Set(list.map(({ verdict }) => verdict.status)).size > 1);
}

/** The agent's line about an output that passed; otherwise what is wrong. Redacted, as records are. */
function messageOf(unit: UnitState): string {
  const verdict = resultOf(unit)?.verdict;
  if (unit.status === 'passed') return cut(verdict?.message ?? '', LONGEST_IN_GATE);
  if (unit.status === 'lost' || unit.unread !== undefined) return cut(unit.reason, LONGEST_IN_GATE);
  if (verdict === undefined || !FAILED.has(unit.status)) return '';
  return cut(failureText(verdict).replace(`${verdict.kind}: `, ''), LONGEST_IN_GATE);
}

function twelve(digest: EndedRecord['fingerprint']): string {
  return hexOf(digest).slice(0, 12);
}

/** A text on one line, of at most so many bytes. */
function cut(text: string, bytes = LONGEST): string {
  return truncateBytes(text.replace(/\s+/g, ' ').trim(), bytes);
}

/** Millionths of a dollar: more digits are not worth their bytes. */
function dollars(amount: number): number {
  return Math.round(bounded(amount) * 1e6) / 1e6;
}

function bounded(quantity: number): number {
  return Number.isNaN(quantity) ? 0 : Math.min(Math.max(Math.round(quantity * 1e6) / 1e6, 0), 1e15);
}
