import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dailySummaries, dailySummary } from '../../src/history/statistics/daily.ts';
import { dayIn, nextDay, startOfDay } from '../../src/history/statistics/days.ts';
import type { GateOutcome, GatesEntry, HistoryEntry } from '../../src/history/entry.ts';
import { estimatedTime, medianTimes, timeLeft } from '../../src/history/statistics/estimate.ts';
import { percentileOf } from '../../src/history/statistics/quantiles.ts';
import { gateStatistics, runStatistics } from '../../src/history/statistics/statistics.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import type { RunState } from '../../src/run/state/run-state.ts';
import { gate, pipelineOf } from '../report/fixtures.ts';
import { drawn } from '../support/samples.ts';

let number = 0;

function run(over: Partial<HistoryEntry>): HistoryEntry {
  number += 1;
  const started = over.started ?? '2026-11-05T10:00:00.000Z';
  const counts = { gates: 1, passed: 1, failed: 0, skipped: 0, reused: 0 };
  const identity = { format: 'gateline-history/2', pipeline: 'p', subject: 's', run: number, attempt: 1 } as const;
  return { ...identity, started, ended: started, status: 'completed', ms: 1_000, ...counts, ...over };
}

function gates(...outcomes: Partial<GateOutcome>[]): GatesEntry {
  number += 1;
  const identity = { pipeline: 'p', subject: 's', run: number, attempt: 1, started: '2026-11-05T10:00:00.000Z' };
  return {
    format: 'gateline-history-gates/2',
    ...identity,
    gates: outcomes.map((one) => ({
      gate: 'a',
      leg: '',
      status: 'passed',
      attempts: 1,
      first: true,
      ms: 1_000,
      fingerprint: '000000000001',
      contract: '00000000000c',
      ...one,
    })),
    left: 0,
  };
}

describe('a percentile', () => {
  it('is by nearest rank, and there is none of fewer than 5 values', () => {
    expect(percentileOf([1, 2, 3, 4], 50)).toBeUndefined();
    expect([5, 50, 95, 100].map((percent) => percentileOf([15, 20, 35, 40, 50], percent))).toEqual([15, 35, 50, 50]);
    expect(
      percentileOf(
        Array.from({ length: 20 }, (_, at) => at + 1),
        95,
      ),
    ).toBe(19);
    expect(
      percentileOf(
        Array.from({ length: 21 }, (_, at) => at + 1),
        95,
      ),
    ).toBe(20);
  });

  it('is the smallest value that so many values do not exceed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 5, maxLength: 60 }), fc.integer({ min: 1, max: 100 }), (list, p) => {
        const sorted = list.toSorted((a, b) => a - b);
        const value = percentileOf(sorted, p)!;
        const share = (limit: number): number => list.filter((one) => one <= limit).length / list.length;
        expect(share(value) * 100).toBeGreaterThanOrEqual(p - 1e-9);
        const below = sorted.findLast((one) => one < value);
        if (below !== undefined) expect(share(below) * 100).toBeLessThan(p);
      }),
      drawn(200),
    );
  });
});

describe('statistics', () => {
  it('of runs have the share of completed ones among those that were judged', () => {
    const statuses = ['completed', 'completed', 'completed', 'error', 'paused', 'rollback'] as const;
    const found = runStatistics(statuses.map((status, at) => run({ status, ms: at, cost: 0.5 })));
    expect(found).toMatchObject({ runs: 6, successRate: 0.75, spent: { ms: 15, costUsd: 3, tokens: undefined } });
    expect(found.statuses).toMatchObject({ completed: 3, error: 1, paused: 1, executing: 0 });
    expect(runStatistics([])).toMatchObject({ runs: 0, successRate: undefined, durations: { values: 0 } });
  });

  it('of gates leave reused outputs out, and count what they saved', () => {
    const { gates: found } = gateStatistics([
      gates({ first: false, attempts: 2, cost: 0.2 }),
      gates({ cost: 0.1 }),
      gates({ attempts: 0, reused: true, ms: 4_000, cost: 0.1 }),
      gates({ status: 'failed', kind: 'schema', first: false }, { gate: 'b', status: 'pending', attempts: 0 }),
    ]);
    expect(found[0]).toMatchObject({
      key: 'a',
      ran: 3,
      passed: 2,
      firstPassRate: 1 / 3,
      reused: 1,
      saved: { ms: 4_000, costUsd: 0.1 },
      spent: { ms: 3_000, costUsd: expect.closeTo(0.3) as number },
      flaky: 1,
    });
    expect(found[1]).toMatchObject({ key: 'b', ran: 0, firstPassRate: undefined });
  });

  it('tell legs apart if a gate is named', () => {
    const entries = [gates({ gate: 'e2e', leg: 'chrome' }, { gate: 'e2e', leg: 'firefox' }, { gate: 'a' })];
    expect(gateStatistics(entries).gates.map(({ key, ran }) => [key, ran])).toEqual([
      ['e2e', 2],
      ['a', 1],
    ]);
    expect(gateStatistics(entries, { gate: 'e2e' }).gates.map(({ key }) => key)).toEqual(['e2e/chrome', 'e2e/firefox']);
    expect(gateStatistics(entries, { gate: 'e2e/chrome' }).gates.map(({ key }) => key)).toEqual(['e2e/chrome']);
  });

  it.each<readonly [string, Partial<GateOutcome>, readonly string[]]>([
    ['the same verdict', {}, []],
    ['another verdict', { status: 'failed', kind: 'check' }, ['passed', 'failed']],
    ['another verdict of another request', { status: 'failed', fingerprint: '000000000002' }, []],
    ['another verdict by another contract', { status: 'failed', contract: '00000000000d' }, []],
    ['no verdict', { status: 'failed', kind: 'cancelled' }, []],
    ['another leg', { status: 'failed', leg: 'x' }, []],
    ['a reused output', { status: 'failed', reused: true }, []],
    ['attempts with different verdicts', { flaky: true }, ['passed']],
  ])('name a gate flaky for its request and contract: %s', (_, other, verdicts) => {
    const { flaky } = gateStatistics([gates({}), gates(other)]);
    expect(flaky.flatMap((one) => one.verdicts)).toEqual(verdicts);
  });
});

describe('days', () => {
  it('begin and end in their time zone, also on leap days and when clocks change', () => {
    const at = (timezone: string, time: string): string => dayIn(timezone)(time);
    expect(at('UTC', '2028-02-29T23:59:59.999Z')).toBe('2028-02-29');
    expect(at('Europe/Berlin', '2028-02-28T23:00:00.000Z')).toBe('2028-02-29');
    expect(at('Europe/Berlin', '2028-02-29T22:59:59.999Z')).toBe('2028-02-29');
    expect(at('Europe/Berlin', '2028-02-29T23:00:00.000Z')).toBe('2028-03-01');
    // In summer Berlin is two hours ahead, and Lord Howe's clocks change by half an hour.
    expect(at('Europe/Berlin', '2026-07-01T22:00:00.000Z')).toBe('2026-07-02');
    expect(at('Australia/Lord_Howe', '2026-01-01T12:59:59.999Z')).toBe('2026-01-01');
    expect(at('Australia/Lord_Howe', '2026-01-01T13:00:00.000Z')).toBe('2026-01-02');
    expect(at('Australia/Lord_Howe', '2026-07-01T13:29:59.999Z')).toBe('2026-07-01');
    expect(at('Australia/Lord_Howe', '2026-07-01T13:30:00.000Z')).toBe('2026-07-02');
  });

  it.each([
    ['UTC', '2026-11-05', '2026-11-05T00:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-06', '2026-04-05T13:30:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
    ['Pacific/Niue', '2026-01-01', '2026-01-01T11:00:00.000Z'],
  ])('of %s: %s begins at %s', (timezone, day, time) => {
    expect(startOfDay(day, timezone)).toBe(time);
  });

  it('that do not exist have no start', () => {
    expect([startOfDay('2026-02-29', 'UTC'), startOfDay('yesterday', 'UTC')]).toEqual([undefined, undefined]);
    expect([nextDay('2028-02-28'), nextDay('2026-12-31')]).toEqual(['2028-02-29', '2027-01-01']);
  });
});

describe('a summary of a day', () => {
  it('has the nine fields of the state manager', () => {
    const entries = [
      run({ pipeline: 'b', ms: 100 }),
      run({ pipeline: 'a', status: 'error', ms: 200 }),
      run({ pipeline: 'b', status: 'paused', ms: 0 }),
      run({ pipeline: 'a', ms: 500 }),
      run({ started: '2026-11-04T23:30:00.000Z', pipeline: 'c' }),
    ];
    const day = {
      date: '2026-11-05',
      totalWorkflows: 4,
      completedWorkflows: 2,
      failedWorkflows: 1,
      totalDuration: 800,
      averageDuration: 200,
      workflowBreakdown: { a: 2, b: 2 },
      mostUsedWorkflow: 'a',
      successRate: 0.5,
    };
    expect(dailySummary(entries, '2026-11-05')).toEqual(day);
    expect(dailySummaries(entries).map(({ date }) => date)).toEqual(['2026-11-05', '2026-11-04']);
    expect(dailySummaries(entries, 'Europe/Berlin')).toMatchObject([{ date: '2026-11-05', totalWorkflows: 5 }]);
  });

  it('is there for a day without runs', () => {
    const none = {
      totalDuration: 0,
      averageDuration: 0,
      workflowBreakdown: {},
      mostUsedWorkflow: 'none',
      successRate: 0,
    };
    expect(dailySummary([], '2026-11-05')).toMatchObject({ date: '2026-11-05', totalWorkflows: 0, ...none });
  });

  it('is of the newest 90 days that have runs, the newest first', () => {
    const entries = Array.from({ length: 120 }, (_, at) =>
      run({ started: new Date(Date.UTC(2026, 0, 1 + 2 * at)).toISOString() }),
    );
    const days = dailySummaries(entries).map(({ date }) => date);
    expect(days).toHaveLength(90);
    expect(days.slice(0, 2)).toEqual(['2026-08-27', '2026-08-25']);
    expect(days).toEqual(days.toSorted().toReversed());
  });
});

describe('an estimate', () => {
  const graph = unitsOf(
    pipelineOf([
      gate('a', 0),
      gate('b', 1, { needs: ['a'] }),
      gate('c', 2, { needs: ['a'] }),
      gate('d', 3, { needs: ['b', 'c'] }),
    ]),
  );
  const named = (id: string, ms: number, over: Partial<GateOutcome> = {}): Partial<GateOutcome> => ({
    gate: id,
    ms,
    ...over,
  });

  it('is the longest chain of medians of what will run, or unknown', () => {
    const medians = medianTimes([
      gates(named('a', 100), named('b', 10), named('c', 1_000)),
      gates(named('a', 300), named('b', 10), named('c', 9_000, { reused: true, attempts: 0 })),
    ]);
    expect(Object.fromEntries(medians)).toEqual({ a: 200, b: 10, c: 1_000 });
    expect(estimatedTime(graph, new Set(['a', 'b', 'c']), medians)).toBe(1_200);
    expect(estimatedTime(graph, new Set(['b']), medians)).toBe(10);
    expect(estimatedTime(graph, new Set(), medians)).toBe(0);
    expect(estimatedTime(graph, new Set(['d']), medians)).toBeUndefined();
  });

  it('of what is left takes what has passed off, and leaves out what cannot start', () => {
    const medians = new Map([
      ['a', 200],
      ['b', 10],
      ['c', 1_000],
    ]);
    const now = Date.parse('2026-11-05T10:00:00.150Z');
    const running = { status: 'running', done: false, started: { at: '2026-11-05T10:00:00.000Z' } };
    const left = (units: Record<string, object>): number | undefined =>
      timeLeft(graph, new Map(Object.entries(units)) as unknown as RunState['units'], medians, now);
    const [pending, done, failed] = [
      { status: 'pending' },
      { status: 'passed', done: true },
      { status: 'failed', ended: {} },
    ];
    expect(left({ a: running, b: pending, c: pending })).toBe(1_050);
    expect(left({ a: done, b: pending, c: { ...running, started: { at: '2026-11-05T09:00:00.000Z' } } })).toBe(10);
    expect(left({ a: done, b: done, c: done })).toBe(0);
    expect(left({ a: failed, b: running, c: { status: 'blocked' } })).toBe(0);
    expect(left({ a: running, d: pending })).toBeUndefined();
    expect(left({ d: running })).toBeUndefined();
  });

  it('is made from the newest runs', () => {
    const entries = Array.from({ length: 60 }, (_, at) => gates(named('a', at < 50 ? 1 : 1_000_000)));
    expect(medianTimes(entries).get('a')).toBe(1);
  });
});
