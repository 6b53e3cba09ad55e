import { describe, expect, it } from 'vitest';
import { medianOf } from '../../../src/history/statistics/quantiles.ts';
import type { HistoryEntry } from '../../../src/history/entry.ts';
import type { PastRun } from '../../../src/history/merge.ts';
import { ownHistory } from '../../../src/report/github/own-history.ts';
import { sparkline, trendOf } from '../../../src/report/github/sections/trend.ts';
import { gate, NOW, pipelineOf, ran, stateOf } from '../fixtures.ts';
import { FACTS, history } from './fixtures.ts';

it('a run is not completed where a needed job left no record, or nothing was checked', () => {
  const records = ran('data');
  const pipeline = pipelineOf([gate('data', 0)]);
  const { state } = stateOf(records, { pipeline });
  const input = { pipeline, state, records, facts: FACTS, now: NOW };
  expect(ownHistory(input).entry.status).toBe('completed');
  const jobs = [{ id: 'data', result: 'success' }];
  expect(ownHistory({ ...input, jobs }).entry.status).toBe('completed');
  expect(ownHistory({ ...input, jobs: [...jobs, { id: 'lint', result: 'skipped' }] }).entry.status).toBe('error');
  const empty = { ...input, state: { ...state, units: new Map() } };
  expect(ownHistory(empty).entry.status).toBe('error');
});

describe('a trend', () => {
  const [green, red] = history() as [PastRun, PastRun];

  const run = (number: number, over: Partial<HistoryEntry>, gates = green.gates): PastRun => ({
    entry: { ...green.entry, run: number, runId: String(number), ...over },
    gates,
  });

  it('tells pass rate, trend against the median, and how often a gate passed at once', () => {
    const trend = trendOf([
      run(1, { ms: 100, status: 'error' }),
      run(2, { ms: 200, cost: undefined }),
      run(3, { ms: 300, cost: 0.1 }),
      run(4, { ms: 9_999, status: 'executing', cost: 0.1 }),
      run(5, { ms: 150, status: 'paused', cost: 0.2 }, red.gates),
    ]);
    expect(trend.passRate).toBeCloseTo(66.7, 0);
    expect(trend.results).toBe('🟥🟩🟩🟨🟨');
    expect(trend.duration).toMatchObject({ latest: 150, median: 200, change: 'down', spark: '▁▁▁█▁' });
    expect(trend.cost).toMatchObject({
      latest: 0.2,
      median: expect.closeTo(0.11) as number,
      change: 'up',
      spark: '▅·▅▅█',
    });
    expect(trend.gates.find(({ key }) => key === 'execute')).toMatchObject({
      ran: 5,
      firstTime: 4,
      medianMs: 12_500,
      results: '🟩🟩🟩🟩🟥',
    });
    expect(trend.gates.find(({ key }) => key === 'learn')).toMatchObject({ ran: 4, results: '🟩🟩🟩🟩⬜' });
  });

  it('says nothing that it does not know', () => {
    expect(trendOf([])).toMatchObject({
      passRate: undefined,
      results: '',
      gates: [],
      duration: { latest: undefined, median: undefined, change: undefined },
    });
    expect(trendOf([green])).toMatchObject({ duration: { median: undefined, change: undefined } });
    expect(medianOf([])).toBeUndefined();
    expect(medianOf([4, 1, 3, 2])).toBe(2.5);
    expect(sparkline([])).toBe('');
    expect(sparkline([0, 0])).toBe('▁▁');
    expect(sparkline([0, 1e15, 1, undefined])).toBe('▁█▁·');
  });

  it('looks back on the latest runs only', () => {
    const many = Array.from({ length: 50 }, (_, at) => run(at + 1, {}));
    expect(trendOf(many).runs.map(({ entry }) => entry.run)).toEqual(Array.from({ length: 20 }, (_, at) => at + 31));
  });
});
