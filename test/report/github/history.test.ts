import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HISTORY_ENTRY_LIMIT,
  HISTORY_FORMAT,
  historyEntryOf,
  mergeHistory,
  parseHistoryEntry,
  type HistoryEntry,
} from '../../../src/report/github/history-entry.ts';
import { medianOf, sparkline, trendOf } from '../../../src/report/github/sections/trend.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { ended, gate, NOW, pipelineOf, ran, started, stateOf } from '../fixtures.ts';
import { FACTS, failedRecords, history } from './fixtures.ts';
import { drawn } from '../../support/test-size.ts';

function entryOf(records: readonly GatelineRecord[], over: Partial<HistoryEntry> = {}): HistoryEntry {
  return { ...historyEntryOf({ state: stateOf(records).state, records, facts: FACTS, now: NOW }), ...over };
}

/** JSON as it is kept and read back. */
function reread(entry: unknown): ReturnType<typeof parseHistoryEntry> {
  return parseHistoryEntry(JSON.parse(JSON.stringify(entry)));
}

describe('what a run comes to', () => {
  it('counts what ran, what it took, and what was saved by reuse', () => {
    const entry = entryOf(failedRecords());
    expect(entry).toMatchObject({
      runNumber: 3,
      runId: '9003',
      conclusion: 'failure',
      units: { all: 6, done: 4, reused: 2, tries: 4 },
      gatesLeftOut: 0,
      durationMs: 192_500,
    });
    expect(entry.spent.costUsd).toBeCloseTo(0.07);
    expect(entry.spent.tokens).toBe(16_540);
    expect(entry.saved).toEqual({ ms: 25_000, costUsd: expect.closeTo(0.055) as number, tokens: 13_900 });
    expect(entry.gates.map(({ key, status, how, tries, firstTime }) => [key, status, how, tries, firstTime])).toEqual([
      ['data', 'passed', 'reused', 0, undefined],
      ['design', 'passed', 'reused', 0, undefined],
      ['dom', 'passed', 'ran', 2, false],
      ['pom', 'passed', 'ran', 1, true],
      ['execute', 'failed', 'ran', 1, false],
      ['learn', 'blocked', '', 0, undefined],
    ]);
    expect(reread(entry)).toEqual({ state: 'present', value: entry });
  });

  it('counts what a reused output took in a run of which there are no records', () => {
    const records = failedRecords().flatMap((record) => {
      if (record.runNumber !== 3) return [];
      return [record.kind === 'ended' && record.how === 'reused' ? { ...record, savedMs: 4_000 } : record];
    });
    expect(entryOf(records).saved).toEqual({ ms: 8_000, costUsd: expect.closeTo(0.055) as number, tokens: 13_900 });
  });

  it('is no success where a needed job left no record, or nothing was checked', () => {
    const records = ran('data');
    const { state } = stateOf(records, { pipeline: pipelineOf([gate('data', 0)]) });
    const input = { state, records, facts: FACTS, now: NOW };
    expect(historyEntryOf(input).conclusion).toBe('success');
    const jobs = [{ id: 'data', result: 'success' }];
    expect(historyEntryOf({ ...input, jobs }).conclusion).toBe('success');
    expect(historyEntryOf({ ...input, jobs: [...jobs, { id: 'lint', result: 'skipped' }] }).conclusion).toBe('failure');
    const empty = { ...input, state: { ...state, units: new Map() } };
    expect(historyEntryOf(empty).conclusion).toBe('failure');
  });

  it('counts the time in which somebody was at work, not the days between two run attempts', () => {
    const later = { runAttempt: 2, startedAt: '2026-01-09T03:00:00.000Z', at: '2026-01-09T03:00:10.000Z' };
    const records = [...ran('data'), ended('design', { call: 2 }, later)];
    expect(entryOf(records).durationMs).toBe(22_500);
  });

  it('counts a first attempt that was lost as one that did not pass', () => {
    const records = [started('data'), ...ran('data', { n: 2 })];
    expect(entryOf(records).gates[0]).toMatchObject({ tries: 2, firstTime: false });
    expect(entryOf([started('data')]).gates[0]).not.toHaveProperty('firstTime');
  });

  it('takes the conclusion of whoever knows more', () => {
    const { state } = stateOf(ran('data'));
    const more = { state, records: [], facts: FACTS, now: NOW };
    expect(historyEntryOf(more).conclusion).toBe('unfinished');
    expect(historyEntryOf({ ...more, conclusion: 'cancelled' }).conclusion).toBe('cancelled');
  });

  it('fits however many gates there are: those that passed are left out first, and counted', () => {
    const pipeline = pipelineOf(Array.from({ length: 400 }, (_, at) => gate(`a_rather_long_gate_${at}`, at)));
    const verdict = { status: 'failed', kind: 'schema', score: 0, advice: '' } as const;
    const metrics = { inputTokens: 123_456, outputTokens: 7_890, costUsd: 1.234567 };
    const records = pipeline.gates.flatMap(({ id }, at) =>
      ran(id, { pipeline }, { metrics, ...(at % 40 === 39 && { verdict: { ...verdict, issues: [] } }) }),
    );
    const entry = historyEntryOf({
      state: stateOf(records, { pipeline }).state,
      records,
      facts: { ...FACTS, branch: '\u0001'.repeat(9_000) },
      now: NOW,
    });
    expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThanOrEqual(HISTORY_ENTRY_LIMIT);
    expect(entry.gates.length).toBeGreaterThan(80);
    expect(entry.gatesLeftOut).toBe(400 - entry.gates.length);
    expect(entry.gates.filter(({ status }) => status === 'failed')).toHaveLength(10);
    expect(entry.gates.map(({ key }) => Number(key.split('_').at(-1)))).toEqual(
      entry.gates.map(({ key }) => Number(key.split('_').at(-1))).sort((a, b) => a - b),
    );
    expect(reread(entry).state).toBe('present');
  });
});

describe('an entry from anywhere', () => {
  it('is read only where it is one of this version, and never thrown at', () => {
    expect(parseHistoryEntry({ ...history()[0], format: 'gateline-history/2' })).toMatchObject({
      state: 'unknown',
      problem: { code: 'UNKNOWN_VERSION', where: 'history entry' },
    });
    expect(parseHistoryEntry({ ...history()[0], runId: '1; rm' }, 'artifact 7')).toMatchObject({
      state: 'unknown',
      problem: { code: 'CORRUPT', where: 'artifact 7', message: expect.stringMatching(/^runId: /) as string },
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything()), (value) => {
        const read = parseHistoryEntry(value);
        expect(read.state).toBe('unknown');
      }),
      drawn(200),
    );
  });

  it.each<[keyof HistoryEntry, unknown]>([
    ['durationMs', -1],
    ['durationMs', '12'],
    ['durationMs', Number.MAX_VALUE],
    ['runNumber', 1.5],
    ['sha', '<img>'],
    ['startedAt', 'yesterday'],
    ['conclusion', 'great'],
    ['gates', [{ key: 'a', status: 'passed', how: 'ran', tries: 1, score: 101 }]],
    ['gates', Array.from({ length: 1_001 }, () => ({ key: 'a', status: 'passed', how: 'ran', tries: 1 }))],
    ['units', null],
    ['subject', 'x'.repeat(2_000)],
    ['pipeline', '../x'],
  ])('is not taken with %s %j', (field, value) => {
    expect(parseHistoryEntry({ ...history()[0], [field]: value }).state).toBe('unknown');
  });

  it('keeps only the fields that it may have', () => {
    const read = reread({ ...history()[0], more: 1, format: HISTORY_FORMAT });
    expect(read).toEqual({ state: 'present', value: history()[0] });
  });
});

describe('a history', () => {
  const [green, red] = history() as [HistoryEntry, HistoryEntry];

  it('has one entry a run, that of its highest run attempt, in the order of run numbers', () => {
    const again = { ...red, runAttempt: 2, conclusion: 'success' as const };
    expect(mergeHistory([green, red, again, red])).toEqual([again, green]);
  });

  it('does not depend on the order or repetition of its entries', () => {
    const entries = [
      green,
      red,
      { ...red, runAttempt: 2 },
      { ...red, durationMs: 1 },
      { ...green, runId: '90020' },
      { ...red, runNumber: 12, runId: '7' },
    ];
    const expected = mergeHistory(entries);
    fc.assert(
      fc.property(fc.shuffledSubarray([...entries, ...entries], { minLength: 12 }), (shuffled) => {
        expect(mergeHistory(shuffled)).toEqual(expected);
      }),
      drawn(50),
    );
  });

  const run = (runNumber: number, over: Partial<HistoryEntry>): HistoryEntry => ({
    ...green,
    runNumber,
    runId: String(runNumber),
    ...over,
  });

  it('tells pass rate, trend against the median, and how often a gate passed at once', () => {
    const trend = trendOf([
      run(1, { durationMs: 100, conclusion: 'failure' }),
      run(2, { durationMs: 200, spent: {} }),
      run(3, { durationMs: 300, spent: { costUsd: 0.1 } }),
      run(4, { durationMs: 9_999, conclusion: 'unfinished', spent: { costUsd: 0.1 } }),
      run(5, { durationMs: 150, conclusion: 'cancelled', spent: { costUsd: 0.2 }, gates: red.gates }),
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
    expect(trendOf(many).entries.map(({ runNumber }) => runNumber)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 31),
    );
  });
});
