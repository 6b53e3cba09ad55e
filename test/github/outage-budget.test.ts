import { expect, it } from 'vitest';
import { OutageBudget } from '../../src/github/outage-budget.ts';

function budgetOn(totalMs: number, atMostMs?: number) {
  let now = 1_000;
  const clock = { now: () => now, sleep: async () => undefined };
  const pass = (milliseconds: number): void => void (now += milliseconds);
  return { budget: new OutageBudget({ clock, totalMs, atMostMs }), clock, pass };
}

it('counts from the beginning of the try that failed, and only as long as something fails', () => {
  const { budget, clock, pass } = budgetOn(10_000);
  pass(60_000);
  expect(budget.left()).toBe(10_000);
  budget.enter(clock.now() - 3_000);
  pass(1_000);
  expect([budget.spentMs, budget.left()]).toEqual([4_000, 6_000]);
  budget.leave();
  pass(60_000);
  expect(budget.left()).toBe(6_000);
  budget.enter(clock.now());
  pass(7_000);
  expect(budget.left()).toBe(0);
});

it('counts calls that wait side by side once', () => {
  const { budget, clock, pass } = budgetOn(10_000);
  budget.enter(clock.now());
  budget.enter(clock.now());
  pass(2_000);
  budget.leave();
  pass(1_000);
  budget.leave();
  expect(budget.left()).toBe(7_000);
});

it('goes on from what earlier steps spent, and tells what is spent before each pause', async () => {
  const { budget, clock, pass } = budgetOn(10_000);
  const saved: number[] = [];
  budget.resume(4_000, async (spent) => void saved.push(spent));
  budget.enter(clock.now());
  pass(1_000);
  await budget.pausing(500);
  expect(saved).toEqual([5_500]);
  expect(budget.left()).toBe(5_000);
  // Another attempt begins.
  budget.leave();
  budget.resume(0, async () => undefined);
  expect(budget.left()).toBe(10_000);
});

it('ends at its latest, however little was spent', () => {
  const { budget, pass } = budgetOn(300_000, 50_000);
  expect(budget.left()).toBe(50_000);
  pass(49_000);
  expect(budget.left()).toBe(1_000);
  pass(2_000);
  expect(budget.left()).toBe(0);
});
