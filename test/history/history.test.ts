import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistoryEntry } from '../../src/history/create-history-entry.ts';
import { historyEntrySchema, type HistoryEntry } from '../../src/history/history-entry.ts';
import { queryHistory, type HistoryFilter } from '../../src/history/query.ts';
import { estimateDuration, summarizeDays, summarizeGates, summarizeRuns } from '../../src/history/statistics.ts';
import { digestOf } from '../../src/json/digest.ts';
import { attemptOf } from '../../src/run/entry.ts';
import { LogState } from '../../src/run/state.ts';
import { createVerdict, LogBuilder } from '../support/log-builder.ts';
import { createPipeline } from '../support/pipelines.ts';

const NOW = '2026-01-03T00:00:00.000Z';
const pipeline = createPipeline([
  { id: 'plan' },
  { id: 'code', needs: ['plan'], files: ['src/**'] },
  { id: 'review', needs: ['code'], contract: { score: '/score' } },
]);

/** The last line of the history that a log gives. */
function lineOf(log: LogBuilder): HistoryEntry | undefined {
  const line = createHistoryEntry(pipeline, new LogState(pipeline, log.subject, log.entries), NOW);
  return line && historyEntrySchema.parse(JSON.parse(JSON.stringify(line)));
}

type Unit = HistoryEntry['units'][number];

/** A run of `main` for `pr-42`, one day after the other. */
function runOf(run: number, over: Partial<HistoryEntry> = {}, units: readonly Partial<Unit>[] = []): HistoryEntry {
  const started = new Date(Date.UTC(2026, 0, run, 12)).toISOString();
  return {
    v: 1,
    pipeline: 'main',
    subject: 'pr-42',
    run,
    status: 'completed',
    started,
    ended: started,
    ms: 1_000 * run,
    ...over,
    units: units.map((unit) => ({ unit: 'plan', status: 'passed', how: 'ran', attempts: 1, ms: 1_000 * run, ...unit })),
  };
}

describe('the line of a run', () => {
  it('has its status, what it cost and saved, and what failed first', () => {
    const log = new LogBuilder();
    log.play('plan+', { ended: { metrics: { costUsd: 1, inputTokens: 10 } } }).play('close');
    log.use('plan', attemptOf(log.ends[0]!));
    log.play('code+', { started: { task: 'x'.repeat(300) } });
    const issues = [{ severity: 'error' as const, message: 'too few tests' }];
    const verdict = createVerdict('failed', { kind: 'score', issues });
    log.play('review- review-', { ended: { verdict, metrics: { costUsd: 0.2 } } });
    expect(lineOf(log)).toEqual({
      v: 1,
      pipeline: 'main',
      subject: 'pr-42',
      run: 2,
      status: 'error',
      started: '2026-01-02T03:04:00.000Z',
      ended: NOW,
      ms: 37_500,
      costUsd: 0.4,
      savedMs: 12_500,
      savedUsd: 1,
      iteration: 1,
      task: `${'x'.repeat(200)}…`,
      failure: { unit: 'review', kind: 'score', message: 'score: too few tests' },
      units: [
        { unit: 'plan', status: 'passed', how: 'used', attempts: 0 },
        { unit: 'code', status: 'passed', how: 'ran', attempts: 1, ms: 12_500 },
        { unit: 'review', status: 'failed', how: 'ran', score: 0, attempts: 2, ms: 25_000, costUsd: 0.4 },
      ],
    });
  });

  it.each([
    ['nobody has worked', '', undefined],
    ['only a force', 'force:plan', undefined],
    ['an agent works by itself', 'plan+ code*', 'executing'],
    ['paused', 'plan+ pause', 'paused'],
    ['rolled back', 'plan+ rollback', 'rollback'],
    ['closed', 'plan+ close', 'closed'],
    ['completed', 'plan+ code+ review+ complete', 'completed'],
  ])('%s', (_title, script, status) => {
    expect(lineOf(script === '' ? new LogBuilder() : new LogBuilder().play(script))?.status).toBe(status);
  });

  it('marks a unit as flaky if its request had another verdict before by the same contract', () => {
    const flakyOf = (log: LogBuilder) => lineOf(log)!.units.map(({ flaky }) => flaky ?? false);
    const log = new LogBuilder().play('plan- close plan+ code+');
    expect(flakyOf(log)).toEqual([true, false, false]);
    const other = new LogBuilder().play('plan-').play('plan+', { started: { fingerprint: digestOf('other inputs') } });
    expect(flakyOf(other)[0]).toBe(false);
    const crash = new LogBuilder().play('plan-', { ended: { output: undefined } }).play('plan+');
    expect(flakyOf(crash)[0]).toBe(false);
  });
});

describe('reading', () => {
  it('takes the last line of each run, the newest first, and counts what it cannot read', () => {
    const lines = [runOf(1, { status: 'error' }), runOf(2), runOf(1, { subject: 'pr-7' }), runOf(1)];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { entries, unreadable } = queryHistory(`{"v":2}\n\nnot json\n${text}{"v":1,"pipel`);
    expect(entries).toEqual([lines[3], lines[2], lines[1]]);
    expect(unreadable).toBe(2);
    expect(queryHistory('')).toEqual({ entries: [], unreadable: 0 });
  });

  it('reads back every line that is written', () => {
    const scripts = fc.array(
      fc.constantFrom('plan+', 'plan-', 'code~', 'code?', 'skip:review', 'pause', 'close', 'used'),
      {
        minLength: 1,
      },
    );
    const check = (words: readonly string[]) => {
      const log = new LogBuilder().play('plan+').play(words.join(' '));
      const line = lineOf(log);
      expect(queryHistory(line ? JSON.stringify(line) : '').entries).toEqual(line ? [line] : []);
    };
    fc.assert(fc.property(scripts, check));
  });
});

describe('queries', () => {
  const lines = [
    runOf(4, { task: 'Add a Wishlist', status: 'error' }, [{ status: 'failed' }, { unit: 'test/a' }]),
    runOf(3, { pipeline: 'docs', failure: { unit: 'plan', kind: 'check', message: 'no wish' } }),
    runOf(2, { subject: 'pr-7' }, [{ unit: 'test/a', status: 'failed' }, { unit: 'test/b' }]),
    runOf(1, { subject: 'wishes' }),
  ];
  const text = lines
    .map((line) => `${JSON.stringify(line)}\n`)
    .toReversed()
    .join('');
  it.each<[HistoryFilter, number[]]>([
    [{}, [4, 3, 2, 1]],
    [{ pipeline: 'docs' }, [3]],
    [{ subject: 'pr-42' }, [4, 3]],
    [{ status: ['error', 'paused'] }, [4]],
    [{ since: '2026-01-02', until: '2026-01-04' }, [3, 2]],
    [{ contains: 'WISH' }, [4, 3, 1]],
    [{ limit: 2 }, [4, 3]],
    [{ contains: 'wish', pipeline: 'main', limit: 1 }, [4]],
    [{ gate: 'test' }, [4, 2]],
    [{ gate: 'test/b' }, [2]],
    [{ gate: 'test', status: ['failed'] }, [2]],
    [{ gate: 'tes' }, []],
  ])('%j', (filter, runs) => {
    expect(queryHistory(text, filter).entries.map(({ run }) => run)).toEqual(runs);
  });

  it('by gate return only its units', () => {
    expect(queryHistory(text, { gate: 'test' }).entries[1]!.units.map(({ unit }) => unit)).toEqual([
      'test/a',
      'test/b',
    ]);
  });
});

describe('statistics', () => {
  const entries = [
    runOf(3, { status: 'error', costUsd: 0.5, tokens: 10 }, [{ status: 'failed', attempts: 2, ms: 9_000 }]),
    runOf(2, { savedMs: 5_000, savedUsd: 0.1, costUsd: 0.25 }, [
      { how: 'used', attempts: 0, ms: undefined },
      { unit: 'test/a', flaky: true },
    ]),
    runOf(1, { pipeline: 'docs' }, [{ ms: 3_000 }]),
    runOf(1, { subject: 'pr-7', status: 'paused' }, [{ attempts: 2 }, { unit: 'test/b', ms: 4_000 }]),
  ];

  it('of runs: success rate, times, cost, and what was saved', () => {
    expect(summarizeRuns(entries)).toEqual({
      runs: 4,
      statuses: { completed: 2, error: 1, paused: 1 },
      successRate: 2 / 3,
      times: { median: 1_000, p95: 2_000 },
      ms: 7_000,
      costUsd: 0.75,
      tokens: 10,
      savedMs: 5_000,
      savedUsd: 0.1,
    });
    expect(summarizeRuns([])).toMatchObject({ runs: 0, successRate: undefined, times: { median: undefined } });
  });

  it('of gates, legs together and pipelines apart: pass rates, flakiness, times', () => {
    const gates = summarizeGates(entries).map(({ pipeline: id, gate, ...rest }) => [`${id} ${gate}`, rest]);
    expect(Object.fromEntries(gates)).toMatchObject({
      'main plan': { ran: 2, used: 1, flaky: 0, passRate: 0.5, firstPassRate: 0, times: { median: 1_000, p95: 9_000 } },
      'main test': { ran: 2, used: 0, flaky: 1, passRate: 1, firstPassRate: 1, times: { median: 2_000, p95: 4_000 } },
      'docs plan': { ran: 1, used: 0, passRate: 1, firstPassRate: 1, times: { median: 3_000, p95: 3_000 } },
    });
  });

  it('of days in UTC, with the fields of Nexus, the newest 90', () => {
    const days = summarizeDays(entries);
    expect(days.map(({ date, totalWorkflows }) => [date, totalWorkflows])).toEqual([
      ['2026-01-03', 1],
      ['2026-01-02', 1],
      ['2026-01-01', 2],
    ]);
    expect(days[2]).toEqual({
      date: '2026-01-01',
      totalWorkflows: 2,
      completedWorkflows: 1,
      failedWorkflows: 0,
      totalDuration: 2_000,
      averageDuration: 1_000,
      workflowBreakdown: { docs: 1, main: 1 },
      mostUsedWorkflow: 'docs',
      successRate: 0.5,
    });
    const year = Array.from({ length: 200 }, (_, day) => runOf(1 + day));
    expect(summarizeDays(year)).toHaveLength(90);
    expect(summarizeDays(year, 7).at(-1)!.date).toBe('2026-07-13');
  });

  it('estimate a run: the longest chain of its gates, each at the median of its newest runs', () => {
    const gates = [
      { id: 'c', needs: ['a', 'b'] },
      { id: 'a', needs: [] },
      { id: 'b', needs: [] },
    ];
    const times = (...ms: number[]) => ms.map((value, at) => ({ unit: 'abc'[at]!, ms: value }));
    const history = [runOf(3, {}, times(10, 200, 5)), runOf(2, {}, times(10, 100, 5)), runOf(1, {}, times(90, 100, 7))];
    expect(estimateDuration(gates, history)).toBe(105);
    expect(estimateDuration(gates, history, new Set(['a', 'c']))).toBe(15);
    expect(estimateDuration(gates, history, new Set())).toBe(0);
    expect(estimateDuration([...gates, { id: 'd', needs: ['c'] }], history)).toBeUndefined();
    expect(estimateDuration(gates, [])).toBeUndefined();
  });
});
