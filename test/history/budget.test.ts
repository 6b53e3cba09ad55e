import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  reservationFor,
  spentBy,
  spentByEntries,
  withinBudget,
  type BudgetLimit,
  type Spent,
} from '../../src/history/budget.ts';
import { GATES_FORMAT } from '../../src/history/entry.ts';
import { BUDGET_MEASURES, type BudgetAmount } from '../../src/pipeline/budget.ts';
import { NOW } from '../report/fixtures.ts';
import { drawn } from '../support/samples.ts';

const NOTHING: Spent = spentBy([], new Set());

const cents = fc.integer({ min: 0, max: 300 }).map((number) => number / 100);
const amount = fc.record({ dollars: cents, tokens: cents, minutes: cents }, { requiredKeys: [] });
const whole = fc.record({ dollars: cents, tokens: cents, minutes: cents });

function limitOf(most: BudgetAmount, spent: Spent['amount'], reserved: readonly BudgetAmount[]): BudgetLimit {
  return { scope: 'run', most, spent: { ...NOTHING, amount: spent }, reserved };
}

describe('the decision whether a gate may start', () => {
  it('is yes exactly if spent, reserved and its own reservation fit into every limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(amount, whole, fc.array(amount, { maxLength: 3 })), { maxLength: 2 }),
        amount,
        (all, own) => {
          const limits = all.map(([most, spent, reserved]) => limitOf(most, spent, reserved));
          const { choice, reason } = withinBudget(limits, own, 'allow');
          // In whole hundredths, the oracle has no rounding.
          const sum = (numbers: readonly (number | undefined)[]): number =>
            numbers.reduce<number>((total, one) => total + Math.round((one ?? 0) * 100), 0);
          const over = (isFree: boolean): boolean =>
            all.some(([most, spent, reserved]) =>
              BUDGET_MEASURES.some((measure) => {
                const others = isFree ? [] : reserved.map((one) => one[measure]);
                return (
                  most[measure] !== undefined && sum([spent[measure], own[measure], ...others]) > sum([most[measure]])
                );
              }),
            );
          expect(choice).toBe(!over(false) ? 'start' : over(true) ? 'blocked' : 'wait');
          expect(reason === '').toBe(choice === 'start');
        },
      ),
      drawn(2_000),
    );
  });

  it('never lets gates that keep to their reservations spend more than the limit, in any order', () => {
    const gates = fc.array(fc.tuple(cents, fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 12 });
    fc.assert(
      fc.property(cents, gates, fc.array(fc.nat(11), { maxLength: 30 }), (limit, all, order) => {
        const running = new Map<number, BudgetAmount>();
        let spent = 0;
        for (const next of order) {
          const [most, share] = all[next] ?? [0, 0];
          if (running.delete(next)) spent += most * share;
          else {
            const own = { dollars: most };
            const known = limitOf({ dollars: limit }, { ...NOTHING.amount, dollars: spent }, [...running.values()]);
            if (withinBudget([known], own, 'allow').choice === 'start') running.set(next, own);
          }
          const reserved = [...running.values()].reduce((sum, one) => sum + one.dollars!, 0);
          expect(spent + reserved).toBeLessThanOrEqual(limit + 1e-6);
        }
      }),
      drawn(2_000),
    );
  });

  it('is no after an attempt of unknown cost, if that is asked for and that measure is limited', () => {
    const spent = { ...NOTHING, unknown: { ...NOTHING.unknown, dollars: ['a'] } };
    const limit = (most: BudgetAmount): BudgetLimit => ({ scope: 'run', most, spent, reserved: [] });
    expect(withinBudget([limit({ dollars: 1 })], {}, 'fail').choice).toBe('blocked');
    expect(withinBudget([limit({ dollars: 1 })], {}, 'allow').choice).toBe('start');
    expect(withinBudget([limit({ tokens: 1 })], {}, 'fail').choice).toBe('start');
  });
});

it('what is reserved is the rest of the own budget, else the median of what agents spent, else nothing', () => {
  const spent = { ...NOTHING, amount: { dollars: 0.3, tokens: 0, minutes: 0 } };
  const outcome = { gate: 'a', leg: '', status: 'passed' as const, attempts: 1 };
  const earlier = [
    { ...outcome, cost: 1 },
    { ...outcome, cost: 3 },
    { ...outcome, cost: 90, reused: true as const },
    outcome,
  ];
  expect(reservationFor({ dollars: 1 }, spent, earlier, ['dollars'])).toEqual({
    amount: { dollars: 0.7 },
    from: 'budget',
  });
  expect(reservationFor({ dollars: 0.2 }, spent, earlier, ['dollars'])).toEqual({
    amount: { dollars: 0 },
    from: 'budget',
  });
  expect(reservationFor(undefined, spent, earlier, ['dollars'])).toEqual({ amount: { dollars: 2 }, from: 'history' });
  expect(reservationFor(undefined, spent, earlier, ['tokens'])).toEqual({ amount: {}, from: 'none' });
});

it('entries say what their gates spent, without what was reused, and what is not known', () => {
  const about = {
    format: GATES_FORMAT,
    pipeline: 'p',
    subject: 's',
    run: 3,
    attempt: 1,
    started: NOW,
    left: 0,
  } as const;
  const one = { gate: 'a', leg: '', status: 'passed', attempts: 2 } as const;
  const gates = [
    { ...one, cost: 0.3, tokens: 100, ms: 90_000 },
    { ...one, gate: 'b', leg: 'x', tokens: 50 },
    { ...one, gate: 'c', cost: 9, tokens: 9, ms: 9, reused: true as const },
    { ...one, gate: 'd', attempts: 0 },
  ];
  const other = { ...about, run: 4, left: 2, gates: [{ ...one, cost: 0.2, tokens: 1, ms: 30_000 }] };
  expect(spentByEntries([{ ...about, gates }, other])).toEqual({
    amount: { dollars: 0.5, tokens: 151, minutes: 2 },
    unknown: {
      dollars: ['b/x', 'other gates of run 4'],
      tokens: ['other gates of run 4'],
      minutes: ['b/x', 'other gates of run 4'],
    },
  });
});
