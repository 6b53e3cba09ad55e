import { BUDGET_MEASURES, type Budget, type BudgetAmount, type BudgetMeasure } from '../pipeline/budget.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { agentRan, endedAfter, type Attempt } from './attempts.ts';
import { amountOf, type Amount } from './amounts.ts';
import type { GateOutcome } from './entry.ts';
import { gateKey } from './query.ts';
import { medianOf } from './statistics/quantiles.ts';

/** What some attempts spent, and the units of which a measure is not known. */
export interface Spent {
  readonly amount: Readonly<Record<BudgetMeasure, number>>;
  readonly unknown: Readonly<Record<BudgetMeasure, readonly UnitKey[]>>;
}

/** What is kept free for a gate that is about to start, or that runs. */
export interface Reservation {
  readonly amount: BudgetAmount;
  /** Its own budget, the median of its earlier runs, or nothing is known. */
  readonly from: 'budget' | 'history' | 'none';
}

/** What {@link withinBudget} decides on. */
export interface BudgetQuestion {
  readonly budget: Pick<Budget, 'run' | 'day' | 'onUnknown'>;
  /** What the gate may spend in this run, and what it has spent. */
  readonly gate: { readonly most: BudgetAmount | undefined; readonly spent: Spent };
  readonly own: BudgetAmount;
  /** Reserved by gates that run. */
  readonly reserved: readonly BudgetAmount[];
  readonly spent: { readonly run: Spent; readonly day: Spent };
}

/** `wait`: it may start if gates that run spend less than is reserved for them. */
export interface BudgetDecision {
  readonly choice: 'start' | 'wait' | 'blocked';
  /** One sentence, without markup; empty for `start`. */
  readonly reason: string;
}

const MAY_START: BudgetDecision = { choice: 'start', reason: '' };

/** Sums of amounts such as 0.1 + 0.2 are compared with this tolerance. */
const TOLERANCE = 1e-9;

/** Whether a gate may start: what is spent and reserved, and its own reservation, must fit into every limit. */
export function withinBudget({ budget, gate, own, reserved, spent }: BudgetQuestion): BudgetDecision {
  const all: BudgetDecision[] = [];
  for (const [scope, most] of [['run', budget.run], ['day', budget.day]] as const)
    if (most !== undefined) all.push(...judged(scope, most, { own, reserved, spent: spent[scope] }, budget.onUnknown));
  for (const [measure, limit] of limitsOf(gate.most)) {
    const used = gate.spent.amount[measure];
    if (used > 0 && used >= limit - TOLERANCE)
      all.push(blocked(`the gate may spend ${amountIn(measure, limit)} in one run, and has spent ${amountIn(measure, used)}`));
  }
  return all.find(({ choice }) => choice === 'blocked') ?? all.find(({ choice }) => choice === 'wait') ?? MAY_START;
}

function judged(
  scope: 'run' | 'day',
  most: BudgetAmount,
  { own, reserved, spent }: { own: BudgetAmount; reserved: readonly BudgetAmount[]; spent: Spent },
  onUnknown: Budget['onUnknown'],
): BudgetDecision[] {
  return limitsOf(most).flatMap(([measure, limit]) => {
    const [unknown] = spent.unknown[measure];
    if (onUnknown === 'fail' && unknown !== undefined)
      return [blocked(`${unknown} reported no ${measure}, and budget.on-unknown is fail`)];
    const used = spent.amount[measure];
    const mine = own[measure] ?? 0;
    const others = reserved.reduce((sum, one) => sum + (one[measure] ?? 0), 0);
    if (used + others + mine <= limit + TOLERANCE) return [];
    const parts = [
      `${amountIn(measure, used)} spent`,
      ...(others > 0 ? [`${amountIn(measure, others)} reserved by gates that run`] : []),
      ...(mine > 0 ? [`${amountIn(measure, mine)} to reserve for this gate`] : []),
    ];
    const reason = `the ${scope} may spend ${amountIn(measure, limit)}: ${parts.join(', ')}`;
    return [others > 0 && used + mine <= limit + TOLERANCE ? { choice: 'wait', reason } : blocked(reason)];
  });
}

function blocked(reason: string): BudgetDecision {
  return { choice: 'blocked', reason };
}

/**
 * What is reserved for a gate: what is left of its own budget, else the medians of its earlier runs, else nothing.
 * @param measures those that are limited somewhere: nothing else is reserved
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
    if (limit !== undefined) amount[measure] = Math.max(0, limit - spent.amount[measure]);
    else if (usual !== undefined) amount[measure] = usual;
    if (limit !== undefined) from = 'budget';
    else if (usual !== undefined && from === 'none') from = 'history';
  }
  return { amount, from };
}

function valuesOf(outcomes: readonly GateOutcome[], measure: BudgetMeasure): number[] {
  return outcomes.flatMap((one) => {
    const value = one.reused || one.attempts === 0 ? undefined : inMeasures(one.ms, one.cost, one.tokens)[measure];
    return value === undefined ? [] : [value];
  });
}

/** What attempts of this run spent. @param running units whose newest attempt has not ended: they are reserved for */
export function spentByAttempts(attempts: readonly Attempt[], running: ReadonlySet<UnitKey>): Spent {
  const done = attempts.filter((one) => agentRan(one) && (one.ended !== undefined || !running.has(one.key)));
  return sumOf(
    done.map(({ key, ended }) => [key, ended ? amountOf(endedAfter(ended), ended.metrics) : undefined] as const),
  );
}

/** What gates of other runs spent, by their history. */
export function spentByOutcomes(outcomes: readonly GateOutcome[]): Spent {
  const ran = outcomes.filter(({ attempts, reused }) => attempts > 0 && reused !== true);
  return sumOf(ran.map((one) => [gateKey(one), { ms: one.ms, costUsd: one.cost, tokens: one.tokens }] as const));
}

/** The sum of two. */
export function bothSpent(a: Spent, b: Spent): Spent {
  const of = <T>(join: (measure: BudgetMeasure) => T): Record<BudgetMeasure, T> => ({
    dollars: join('dollars'),
    tokens: join('tokens'),
    minutes: join('minutes'),
  });
  return {
    amount: of((measure) => a.amount[measure] + b.amount[measure]),
    unknown: of((measure) => [...a.unknown[measure], ...b.unknown[measure]]),
  };
}

function sumOf(parts: readonly (readonly [UnitKey, Amount | undefined])[]): Spent {
  const amount = { dollars: 0, tokens: 0, minutes: 0 };
  const unknown: Record<BudgetMeasure, UnitKey[]> = { dollars: [], tokens: [], minutes: [] };
  for (const [key, one] of parts) {
    const values = inMeasures(one?.ms, one?.costUsd, one?.tokens);
    for (const measure of BUDGET_MEASURES) {
      const value = values[measure];
      if (value === undefined) unknown[measure].push(key);
      else amount[measure] += value;
    }
  }
  return { amount, unknown };
}

function inMeasures(
  ms: number | undefined,
  dollars: number | undefined,
  tokens: number | undefined,
): Record<BudgetMeasure, number | undefined> {
  return { dollars, tokens, minutes: ms === undefined ? undefined : ms / 60_000 };
}

/** The limits of an amount. */
export function limitsOf(amount: BudgetAmount | undefined): (readonly [BudgetMeasure, number])[] {
  return BUDGET_MEASURES.flatMap((measure) => {
    const limit = amount?.[measure];
    return limit === undefined ? [] : [[measure, limit] as const];
  });
}

/** `USD 0.40`, `1500 tokens`, `12 minutes`. */
export function amountIn(measure: BudgetMeasure, value: number): string {
  const rounded = Number(value.toFixed(measure === 'tokens' ? 0 : 4));
  return measure === 'dollars' ? `USD ${value >= 0.01 ? value.toFixed(2) : rounded}` : `${rounded} ${measure}`;
}
