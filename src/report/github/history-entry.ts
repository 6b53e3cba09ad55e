import { Buffer } from 'node:buffer';
import { problemText } from '../../pipeline/problem-text.ts';
import { z } from 'zod';
import { ID_PATTERN } from '../../pipeline/pipeline.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { Read } from '../../run/records/reading.ts';
import type { GatelineRecord } from '../../run/records/record.ts';
import { UNIT_STATUSES, resultOf, type RunState, type RunStatus, type UnitState } from '../../run/state/run-state.ts';
import { truncateBytes } from '../../untrusted/escape.ts';
import type { JsonValue } from '../../json/json.ts';
import { durationOf, howOf, messageOf } from '../wording.ts';
import { sumOf, type Amount } from '../../history/amounts.ts';
import { agentRan, attemptsOf, reusedIn, spansOf, spentOn, type Attempt } from '../../history/attempts.ts';
import { unsatisfiedJobs, type NeededJob } from './needed-jobs.ts';

/** Version of a history entry. Fields may be added within a version; none is removed or changes its meaning. */
export const HISTORY_FORMAT = 'gateline-history/1';

/** Maximum size of an entry as JSON, in UTF-8 bytes: gates are left out, and counted, until it fits. */
export const HISTORY_ENTRY_LIMIT = 16 * 1_024;

/** How a run ended. `unfinished`: it had not ended when the entry was written. */
export const CONCLUSIONS = ['success', 'failure', 'paused', 'cancelled', 'rolled-back', 'unfinished'] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];

/** Bytes of an agent's text in an entry. */
const LONGEST_TEXT = 120;

const counter = z.int().min(0).max(1_000_000_000);
/** Milliseconds, US dollars or tokens: agents may report any number, so the maximum keeps sums finite. */
const quantity = z.number().min(0).max(1e15);
const amount = z.object({
  ms: quantity.optional(),
  costUsd: quantity.optional(),
  tokens: quantity.optional(),
});

const gateSchema = z.object({
  /** `gate`, or `gate/leg`. */
  key: z.string().min(1).max(130),
  status: z.enum(UNIT_STATUSES),
  how: z.enum(['ran', 'reused', 'adopted', 'skipped', '']),
  score: z.number().min(0).max(100).optional(),
  /** Duration of the attempt that determines its status. */
  ms: quantity.optional(),
  /** Cost of all attempts in this run. */
  costUsd: quantity.optional(),
  tokens: quantity.optional(),
  /** How often the agent was started in this run. */
  tries: counter,
  /** Whether the first of these tries passed; absent if there was none. */
  firstTime: z.boolean().optional(),
  /** The agent's own label for its result, and its line about an output that passed, cut. */
  result: z.string().max(LONGEST_TEXT).optional(),
  message: z.string().max(LONGEST_TEXT).optional(),
});

const iterationSchema = z.object({
  /** The gate that does its work again. */
  gate: z.string().min(1).max(130),
  /** Which time this is. */
  number: counter,
  /** How often the gate may run, if one loop alone says so. */
  of: counter.optional(),
});

/** Which time the work is done, in a run that was started to do it again. */
export type RunIteration = Readonly<z.infer<typeof iterationSchema>>;

/** The result of one run. */
export const historyEntrySchema = z.object({
  format: z.literal(HISTORY_FORMAT),
  pipeline: z.string().regex(ID_PATTERN),
  subject: z.string().min(1).max(1_024),
  runId: z.string().regex(/^[0-9]{1,20}$/),
  runNumber: counter,
  runAttempt: counter,
  sha: z.string().regex(/^(?:[0-9a-f]{7,64})?$/),
  branch: z.string().max(300),
  event: z.string().max(100),
  /** Absent: the run was not started to do work again. */
  iteration: iterationSchema.optional(),
  conclusion: z.enum(CONCLUSIONS),
  startedAt: z.iso.datetime({ precision: 3 }),
  /** Working time: the durations of the run attempts, without the time between them. */
  durationMs: quantity,
  /** Numbers of units of work, including those not listed. */
  units: z.object({ all: counter, done: counter, reused: counter, tries: counter }),
  /**
   * Sum of the values that agents reported in this run; `ms` is the sum of their times, even if they ran in parallel.
   */
  spent: amount,
  /** The amounts of the attempts whose outputs were reused. */
  saved: amount,
  gates: z.array(gateSchema).max(1_000),
  /** Number of gates left out because of the size limit. */
  gatesLeftOut: counter,
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;
type HistoryGate = HistoryEntry['gates'][number];

/** The input for {@link historyEntryOf}. */
export interface HistoryInput {
  readonly state: RunState;
  readonly records: readonly GatelineRecord[];
  readonly facts: RunFacts;
  /** ISO 8601, UTC, milliseconds. */
  readonly now: string;
  /** Set if more is known than the state shows: the run was cancelled. */
  readonly conclusion?: Conclusion;
  /** Jobs that must leave a record: a run without one of each is not a success. */
  readonly jobs?: readonly NeededJob[];
}

const CONCLUSION_OF: Readonly<Record<RunStatus, Conclusion>> = {
  initializing: 'unfinished',
  executing: 'unfinished',
  paused: 'paused',
  error: 'failure',
  completed: 'success',
  rollback: 'rolled-back',
};

/**
 * The result of a run, at most {@link HISTORY_ENTRY_LIMIT} bytes as JSON without white space. Gates that passed are
 * left out first.
 */
export function historyEntryOf(input: HistoryInput): HistoryEntry {
  const { state, records, facts, now } = input;
  const attempts = attemptsOf(records, state);
  const units = [...state.units.values()];
  const reused = reusedIn(state, records);
  const entry: Omit<HistoryEntry, 'gates' | 'gatesLeftOut'> = {
    format: HISTORY_FORMAT,
    pipeline: state.pipeline,
    subject: state.subject,
    runId: facts.runId,
    runNumber: state.runNumber,
    runAttempt: state.runAttempt,
    sha: /^[0-9a-f]{7,64}$/.test(facts.sha) ? facts.sha : '',
    branch: truncateBytes(facts.branch, 300),
    event: truncateBytes(facts.event, 100),
    ...(facts.iteration && { iteration: facts.iteration }),
    conclusion: input.conclusion ?? concluded(input),
    startedAt: state.startedAt ?? now,
    durationMs: bounded(spansOf(attempts, state, now).reduce((sum, { from, to }) => sum + to - from, 0)),
    units: {
      all: units.length,
      done: units.filter(({ done }) => done).length,
      reused: reused.length,
      tries: attempts.filter(agentRan).length,
    },
    spent: amountEntry(spentOn(attempts)),
    saved: amountEntry(sumOf(reused.map(({ saved }) => saved))),
  };
  const byUnit = Map.groupBy(attempts, ({ key }) => key);
  const gates = units.map((unit) => gateEntry(unit, byUnit.get(unit.key) ?? []));
  const kept = fitGates(gates, HISTORY_ENTRY_LIMIT - Buffer.byteLength(JSON.stringify(entry)) - 64);
  return { ...entry, gates: kept, gatesLeftOut: gates.length - kept.length };
}

/** If nothing was checked, or a job has no record, the run is not complete, whatever the records say. */
function concluded({ state, records, jobs = [] }: HistoryInput): Conclusion {
  const conclusion = CONCLUSION_OF[state.status];
  const isWhole = state.units.size > 0 && unsatisfiedJobs(jobs, records, state).length === 0;
  return conclusion === 'success' && !isWhole ? 'failure' : conclusion;
}

/** Parses a stored entry from any source. `unknown`: it is not an entry of this version. */
export function parseHistoryEntry(value: unknown, where = 'history entry'): Read<HistoryEntry> {
  const parsed = historyEntrySchema.safeParse(value, { reportInput: true });
  if (parsed.success) return { state: 'present', value: parsed.data };
  const issue = parsed.error.issues[0]!;
  const place = issue.path.map(String).join('.');
  const code = place === 'format' ? 'UNKNOWN_VERSION' : 'CORRUPT';
  return { state: 'unknown', problem: { code, where, message: `${place || 'it'}: ${problemText(issue)}` } };
}

/**
 * One entry per run, that of its highest run attempt, sorted by run number. Does not depend on order or duplicates. The
 * caller must check that an entry was written by the run that it names.
 */
export function mergeHistory(entries: readonly HistoryEntry[]): HistoryEntry[] {
  const byRun = new Map<string, HistoryEntry>();
  for (const entry of entries) {
    const known = byRun.get(entry.runId);
    if (known === undefined || later(entry, known)) byRun.set(entry.runId, entry);
  }
  return [...byRun.values()].sort(
    (a, b) => a.runNumber - b.runNumber || a.runId.length - b.runId.length || (a.runId < b.runId ? -1 : 1),
  );
}

function later(a: HistoryEntry, b: HistoryEntry): boolean {
  if (a.runAttempt !== b.runAttempt) return a.runAttempt > b.runAttempt;
  return canonicalJson(a as unknown as JsonValue) > canonicalJson(b as unknown as JsonValue);
}

function gateEntry(unit: UnitState, attempts: readonly Attempt[]): HistoryGate {
  const ended = resultOf(unit);
  const tries = attempts.filter(agentRan);
  const ms = durationOf({ ...unit, status: unit.status === 'running' ? 'pending' : unit.status });
  const { costUsd, tokens } = amountEntry(spentOn(attempts));
  const result = truncateBytes(ended?.verdict.result ?? '', LONGEST_TEXT);
  const message = truncateBytes(messageOf(unit), LONGEST_TEXT);
  return {
    key: truncateBytes(unit.key, 130),
    status: unit.status,
    how: howOf(unit),
    ...(ended !== undefined &&
      unit.status !== 'not-applicable' && { score: Math.round(ended.verdict.score * 100) / 100 }),
    ...(ms !== undefined && { ms: bounded(ms) }),
    ...(costUsd !== undefined && { costUsd }),
    ...(tokens !== undefined && { tokens }),
    tries: tries.length,
    ...(isOver(tries, unit) && { firstTime: tries[0]?.ended?.verdict.status === 'passed' }),
    ...(result !== '' && { result }),
    ...(message !== '' && { message }),
  };
}

/** Whether the first try has a result, including being lost. */
function isOver(tries: readonly Attempt[], unit: UnitState): boolean {
  return tries.length > 1 || (tries.length === 1 && (tries[0]!.ended !== undefined || unit.status !== 'running'));
}

/** As many gates as fit, in their order; those that passed or are not applicable are left out first. */
function fitGates(gates: readonly HistoryGate[], room: number): HistoryGate[] {
  let left = room;
  const kept = new Set<HistoryGate>();
  const well = (gate: HistoryGate): boolean => gate.status === 'passed' || gate.status === 'not-applicable';
  for (const gate of [...gates.filter((gate) => !well(gate)), ...gates.filter(well)]) {
    left -= Buffer.byteLength(JSON.stringify(gate)) + 1;
    if (left < 0) break;
    kept.add(gate);
  }
  return gates.filter((gate) => kept.has(gate));
}

function amountEntry({ ms, costUsd, tokens }: Amount): HistoryEntry['spent'] {
  return {
    ...(ms !== undefined && { ms: bounded(ms) }),
    ...(costUsd !== undefined && { costUsd: bounded(costUsd) }),
    ...(tokens !== undefined && { tokens: bounded(tokens) }),
  };
}

function bounded(quantity: number): number {
  return Number.isNaN(quantity) ? 0 : Math.min(Math.max(quantity, 0), 1e15);
}

/** GitHub's facts about the run. */
export interface RunFacts {
  /** Decimal digits. */
  readonly runId: string;
  /** The tested commit; '' if there is none. */
  readonly sha: string;
  /** The branch, or another ref of the run: `refs/pull/7/merge`. */
  readonly branch: string;
  /** `push`, `pull_request`, … */
  readonly event: string;
  /** Of a run that was started to do work again. */
  readonly iteration?: RunIteration;
}
