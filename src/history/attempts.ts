import { unitKey, type UnitKey } from '../pipeline/pipeline.ts';
import { orderRecords } from '../run/records/order.ts';
import {
  comparePositions,
  unitOf,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../run/records/record.ts';
import type { RunState, UnitState } from '../run/state/run-state.ts';
import type { VerdictKind } from '../verdict/verdict.ts';
import { amountOf, sumOf, type Amount } from './amounts.ts';

/** One attempt of one unit: its claim, its end, or both. */
export interface Attempt {
  readonly key: UnitKey;
  readonly runAttempt: number;
  readonly n: number;
  readonly started: StartedRecord | undefined;
  readonly ended: EndedRecord | undefined;
}

/** The attempts of a run in order, from all records. */
export function attemptsOf(
  records: readonly GatelineRecord[],
  run: Pick<RunState, 'pipeline' | 'subject' | 'runNumber'>,
): Attempt[] {
  const mine = records.filter(
    ({ pipeline, subject, runNumber }) =>
      pipeline === run.pipeline && subject === run.subject && runNumber === run.runNumber,
  );
  const found = new Map<string, { -readonly [name in keyof Attempt]: Attempt[name] }>();
  for (const record of orderRecords(mine).records) {
    if (record.kind === 'decided') continue;
    const { gate, leg, runAttempt, n } = record;
    const key = unitKey(gate, leg);
    const place = `${key} ${runAttempt} ${n}`;
    const one = found.get(place) ?? { key, runAttempt, n, started: undefined, ended: undefined };
    if (record.kind === 'started') one.started ??= record;
    else one.ended = record;
    found.set(place, one);
  }
  return [...found.values()];
}

/** Whether the agent ran in this attempt: its output was not reused, and its condition was not false. */
export function agentRan({ started, ended }: Attempt): boolean {
  if (ended === undefined) return started !== undefined;
  return ended.how === 'ran' && ended.verdict.kind !== 'not-applicable' && ended.verdict.kind !== 'claimed';
}

/** The time, cost and tokens of some attempts' agents. */
export function spentOn(attempts: readonly Attempt[]): Amount {
  return sumOf(
    attempts.flatMap((attempt) =>
      attempt.ended !== undefined && agentRan(attempt)
        ? [amountOf(endedAfter(attempt.ended), attempt.ended.metrics)]
        : [],
    ),
  );
}

/** A unit that reuses the output of an earlier attempt, and the amount of that attempt. */
export interface Reused {
  readonly unit: UnitState;
  readonly ended: EndedRecord;
  readonly saved: Amount;
}

/**
 * The outputs that were reused instead of running agents, with the amounts of the original attempts. A record of reuse
 * repeats the metrics and the duration of its source, in case the source's record is not among `records`.
 */
export function reusedIn(state: RunState, records: readonly GatelineRecord[]): Reused[] {
  const mine = records.filter(
    (record): record is EndedRecord =>
      record.kind === 'ended' &&
      record.how === 'ran' &&
      record.pipeline === state.pipeline &&
      record.subject === state.subject,
  );
  const byUnit = Map.groupBy(mine, unitOf);
  return [...state.units.values()].flatMap((unit) => {
    const { ended } = unit;
    if (!unit.reused || ended === undefined) return [];
    const { source } = ended;
    const origin =
      source === undefined || source.subject !== undefined
        ? undefined
        : byUnit.get(unit.key)?.find((one) => comparePositions(one, source) === 0);
    const ms = origin === undefined ? ended.savedMs : endedAfter(origin);
    return [{ unit, ended, saved: amountOf(ms, ended.metrics ?? origin?.metrics) }];
  });
}

/** A span of time in milliseconds since 1970, of one run attempt. */
export interface Span {
  readonly runAttempt: number;
  readonly from: number;
  readonly to: number;
}

/**
 * From the first to the last record of each run attempt, in order. A running attempt lasts until `now`. Between two run
 * attempts nothing ran, perhaps for days.
 */
export function spansOf(attempts: readonly Attempt[], state: RunState, now: string): Span[] {
  const running = new Set([...state.units.values()].filter(({ status }) => status === 'running').map(({ key }) => key));
  return [...Map.groupBy(attempts, ({ runAttempt }) => runAttempt)]
    .map(([runAttempt, own]) => {
      const times = own.flatMap((attempt) => timesOf(attempt, running, now)).filter(Number.isFinite);
      return { runAttempt, from: least(times), to: most(times) };
    })
    .filter(({ from, to }) => to >= from)
    .sort((a, b) => a.runAttempt - b.runAttempt);
}

function timesOf({ key, started, ended }: Attempt, running: ReadonlySet<UnitKey>, now: string): number[] {
  if (ended !== undefined) return [Date.parse(ended.startedAt), Date.parse(ended.at)];
  if (started === undefined) return [];
  return [Date.parse(started.at), ...(running.has(key) ? [Date.parse(now)] : [])];
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Infinity);
}

function most(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), -Infinity);
}

/** Milliseconds between begin and end of an attempt; `undefined` if its clock went backwards. */
export function endedAfter(ended: EndedRecord): number | undefined {
  const length = Date.parse(ended.at) - Date.parse(ended.startedAt);
  return length >= 0 ? length : undefined;
}

/** Kinds that say nothing about what an agent did. */
export const NO_VERDICT: ReadonlySet<VerdictKind> = new Set([
  'not-applicable',
  'workspace',
  'not-started',
  'cancelled',
  'lost',
  'claimed',
  'no-secret',
  'contract',
]);

/** Whether an attempt's verdict is about what its agent did. */
export function isJudged({ how, verdict }: Pick<EndedRecord, 'how' | 'verdict'>): boolean {
  return how === 'ran' && !NO_VERDICT.has(verdict.kind);
}
