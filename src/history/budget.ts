import {
  BUDGET_MEASURES,
  limitsOf,
  type BudgetAmount,
  type BudgetMeasure,
  type BudgetScope,
} from '../pipeline/budget.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { PlannedBudget, Reservation } from '../run/plan/plan.ts';
import type { EndedRecord } from '../run/records/record.ts';
import type { VerdictKind } from '../verdict/verdict.ts';
import { agentRan, endedAfter, type Attempt } from './attempts.ts';
import { amountOf, type Amount } from './amounts.ts';
import type { GateOutcome, GatesEntry } from './entry.ts';
import { gateKey } from './query.ts';
import { medianOf } from './statistics/quantiles.ts';

/** The spending of some attempts, and the units for which a measure is unknown. */
export interface Spent {
  readonly amount: Readonly<Record<BudgetMeasure, number>>;
  readonly unknown: Readonly<Record<BudgetMeasure, readonly UnitKey[]>>;
}

/** The amount spent, and the reservations of running gates. */
export interface Spending {
  readonly spent: Spent;
  readonly reserved: readonly BudgetAmount[];
}

/**
 * What a call spends and has reserved today, for the other calls of its process.
 * @param except a unit for which nothing is counted as reserved
 */
export type SpendingToday = (except?: UnitKey) => Spending;

/** One limit that a gate must fit into, and what counts towards it without that gate. */
export interface BudgetLimit extends Spending {
  readonly scope: BudgetScope;
  readonly most: BudgetAmount;
}

/** `wait`: it may start if gates that run spend less than is reserved for them. */
export interface BudgetDecision {
  readonly choice: PlannedBudget['choice'];
  /** One sentence, without markup; empty for `start`. */
  readonly reason: string;
}

const MAY_START: BudgetDecision = { choice: 'start', reason: '' };

/** Sums of amounts such as 0.1 + 0.2 are compared with this tolerance. */
const TOLERANCE = 1e-9;

/**
 * Whether a gate may start: in every limit, what is spent and reserved, and the gate's own reservation, must fit.
 * @param own the gate's reservation
 * @param onUnknown `fail`: it may not after an attempt of which a limited measure is not known
 */
export function withinBudget(
  limits: readonly BudgetLimit[],
  own: BudgetAmount,
  onUnknown: 'allow' | 'fail',
): BudgetDecision {
  const all = limits.flatMap((limit) => limitsOf(limit.most).map((most) => judged(limit, most, own, onUnknown)));
  return all.find(({ choice }) => choice === 'blocked') ?? all.find(({ choice }) => choice === 'wait') ?? MAY_START;
}

function judged(
  { scope, spent, reserved }: BudgetLimit,
  [measure, limit]: readonly [BudgetMeasure, number],
  own: BudgetAmount,
  onUnknown: 'allow' | 'fail',
): BudgetDecision {
  const [unknown] = spent.unknown[measure];
  if (onUnknown === 'fail' && unknown !== undefined)
    return { choice: 'blocked', reason: `the ${measure} of ${unknown} are unknown, and budget.on-unknown is fail` };
  const used = spent.amount[measure];
  const others = reserved.reduce((sum, one) => sum + (one[measure] ?? 0), 0);
  // What a gate reserves is what is left of its own budget: it may start unless nothing is left.
  const mine = scope === 'gate' ? 0 : (own[measure] ?? 0);
  const isUsedUp = scope === 'gate' && used > 0 && used >= limit - TOLERANCE;
  if (!isUsedUp && used + others + mine <= limit + TOLERANCE) return MAY_START;
  const parts = [
    `${amountIn(measure, used)} spent`,
    ...(others > 0 ? [`${amountIn(measure, others)} reserved by gates that run`] : []),
    ...(mine > 0 ? [`${amountIn(measure, mine)} to reserve`] : []),
  ];
  const reason = `over budget: ${amountIn(measure, limit)} for the ${scope}, ${parts.join(', ')}`;
  return { choice: !isUsedUp && used + mine <= limit + TOLERANCE ? 'wait' : 'blocked', reason };
}

/**
 * The reservation of a gate: the rest of its own budget, otherwise the median of its earlier runs, otherwise nothing.
 * @param spent what it has spent in this run
 * @param earlier its outcomes in earlier runs
 * @param measures those that are limited: nothing else is reserved
 */
export function reservationFor(
  most: BudgetAmount | undefined,
  spent: Spent,
  earlier: readonly GateOutcome[],
  measures: readonly BudgetMeasure[],
): Reservation {
  const amount: Partial<Record<BudgetMeasure, number>> = {};
  let from: Reservation['from'] = 'none';
  for (const measure of measures) {
    const limit = most?.[measure];
    const usual = limit === undefined ? medianOf(valuesOf(earlier, measure)) : undefined;
    if (limit !== undefined) {
      amount[measure] = Math.max(0, limit - spent.amount[measure]);
      from = 'budget';
    } else if (usual !== undefined) {
      amount[measure] = usual;
      if (from === 'none') from = 'history';
    }
  }
  return { amount, from };
}

function valuesOf(outcomes: readonly GateOutcome[], measure: BudgetMeasure): number[] {
  return outcomes.flatMap((one) => {
    const value = hadAgent(one) ? inMeasures(one.ms, one.cost, one.tokens)[measure] : undefined;
    return value === undefined ? [] : [value];
  });
}

function hadAgent({ reused, attempts }: GateOutcome): boolean {
  return !reused && attempts > 0;
}

/** What some attempts spent. @param running units whose attempts without an end are left out: they are reserved for */
export function spentBy(attempts: readonly Attempt[], running: ReadonlySet<UnitKey>): Spent {
  const parts = attempts.flatMap((attempt): SpentPart[] => {
    const { key, ended } = attempt;
    if (!agentRan(attempt) || (ended === undefined ? running.has(key) : neverStarted(ended))) return [];
    const one: Partial<Amount> = ended === undefined ? {} : amountOf(endedAfter(ended), ended.metrics);
    return [{ of: key, values: inMeasures(one.ms, one.costUsd, one.tokens) }];
  });
  return sumOfParts(parts);
}

/** A part of what was spent. A measure without a value is not known. */
interface SpentPart {
  /** The unit, or the name of what spent it. */
  readonly of: string;
  readonly values: Partial<Record<BudgetMeasure, number | undefined>>;
}

function sumOfParts(parts: Iterable<SpentPart>): Spent {
  const amount = { dollars: 0, tokens: 0, minutes: 0 };
  const unknown = { dollars: new Set<string>(), tokens: new Set<string>(), minutes: new Set<string>() };
  for (const { of, values } of parts)
    for (const measure of BUDGET_MEASURES) {
      const value = values[measure];
      if (value === undefined) unknown[measure].add(of);
      else amount[measure] += value;
    }
  const { dollars, tokens, minutes } = unknown;
  return { amount, unknown: { dollars: [...dollars], tokens: [...tokens], minutes: [...minutes] } };
}

/**
 * What runs spent by their entries, of which each has the newest. The time is that of each gate's last attempt, as
 * entries have no other.
 */
export function spentByEntries(entries: Iterable<GatesEntry>): Spent {
  const parts = [...entries].flatMap(({ gates, left, run }): SpentPart[] => [
    ...(left > 0 ? [{ of: `other gates of run ${run}`, values: {} }] : []),
    ...gates.filter(hadAgent).map((one) => ({ of: gateKey(one), values: inMeasures(one.ms, one.cost, one.tokens) })),
  ]);
  return sumOfParts(parts);
}

/** Nothing is known of what these spent. */
export function unknownSpent(who: string): Spent {
  return sumOfParts([{ of: who, values: {} }]);
}

const BEFORE_AGENT: ReadonlySet<VerdictKind> = new Set(['no-secret', 'contract', 'not-started', 'workspace']);

/** Whether an attempt ended before its agent could start. */
function neverStarted({ verdict, exitCode, signal }: EndedRecord): boolean {
  return BEFORE_AGENT.has(verdict.kind) && exitCode === undefined && signal === undefined;
}

/** The sum of several spendings. */
export function sumOfSpent(all: readonly Spent[]): Spent {
  const of = <T>(join: (measure: BudgetMeasure) => T): Record<BudgetMeasure, T> => ({
    dollars: join('dollars'),
    tokens: join('tokens'),
    minutes: join('minutes'),
  });
  return {
    amount: of((measure) => all.reduce((sum, one) => sum + one.amount[measure], 0)),
    unknown: of((measure) => all.flatMap((one) => one.unknown[measure])),
  };
}

function inMeasures(
  ms: number | undefined,
  dollars: number | undefined,
  tokens: number | undefined,
): Record<BudgetMeasure, number | undefined> {
  return { dollars, tokens, minutes: ms === undefined ? undefined : ms / 60_000 };
}

/** `USD 0.40`, `1500 tokens`, `12 minutes`. */
export function amountIn(measure: BudgetMeasure, value: number): string {
  const rounded = Number(value.toFixed(measure === 'tokens' ? 0 : 4));
  if (measure !== 'dollars') return `${rounded} ${measure}`;
  return `USD ${rounded === 0 || rounded >= 0.01 ? value.toFixed(2) : rounded}`;
}
