import { describe, expect, it } from 'vitest';
import { createHistoryEntry } from '../../src/history/create-history-entry.ts';
import { queryHistory } from '../../src/history/query.ts';
import { summarizeDays, summarizeGates, summarizeRuns } from '../../src/history/statistics.ts';
import { renderCheckpoint } from '../../src/report/checkpoint.ts';
import { historyTitle, renderDays, renderHistory, renderStatistics } from '../../src/report/history-table.ts';
import { Progress } from '../../src/report/progress.ts';
import { createRunView } from '../../src/report/run-view.ts';
import { renderPlan, renderStatus, renderVerdict } from '../../src/report/terminal.ts';
import type { EngineEvent, UnitPlan } from '../../src/run/events.ts';
import { LogState } from '../../src/run/state.ts';
import { createVerdict, LogBuilder } from '../support/log-builder.ts';
import { createLegs, createPipeline } from '../support/pipelines.ts';

/** The gates of the state guide, with browsers as legs and a group of checks. */
const pipeline = createPipeline(
  [
    { id: 'design', agent: 'TestCaseDesigner', contract: { score: '/score' } },
    { id: 'dom', agent: 'DOMAgent', needs: ['design'], memory: ['locators'], contract: { score: '/score' } },
    { id: 'pom', agent: 'POMAgent', needs: ['dom'], files: ['tests/**'] },
    {
      id: 'execute',
      agent: 'ExecutionEngine',
      needs: ['pom'],
      contract: { score: '/score' },
      matrix: { maxParallel: 2, failFast: false, legs: createLegs('chrome', 'firefox') },
    },
    { id: 'style', needs: ['pom'] },
    { id: 'learn', needs: ['execute', 'style'] },
  ],
  {
    id: 'web_tests',
    task: 'Test the student registration',
    groups: [{ id: 'checks', gates: ['execute', 'style'], mode: 'parallel' }],
  },
);
const PATHS = ['a', 'b', 'c', 'd', 'e'].map((name) => `tests/${name}.ts`);
const CHANGES = PATHS.map((path) => ({ path, before: null, after: `100644 ${path}` }));
const ADVICE = 'Make the spec pass: 2 of 5 tests fail.';

const log = new LogBuilder();
Object.assign(log, { pipeline: 'web_tests', subject: 'demoqa_com-registration' });
log.play('design+', { ended: { ms: 740_000, metrics: { costUsd: 1.84 } } });
log.play('close', { decided: { reason: 'the url was wrong' } });
const first = historyOf();
log.play('used', { about: log.ends[0] });
log.play('dom-', { ended: { verdict: createVerdict('failed', { kind: 'schema' }), ms: 4_000 } });
const tools = { mcps: ['playwright', 'memory'], tools: ['read_file'] };
const metrics = { model: 'm-1', ...tools, inputTokens: 1_200, outputTokens: 340, costUsd: 0.012 };
const [severity, message] = ['warning' as const, '2 elements have confidence < 80%'];
const doubt = { severity, message, pointer: '/elementMappings' };
log.play('dom+', { ended: { verdict: createVerdict('passed', { score: 87.125, issues: [doubt] }), metrics } });
log.play('pom+', { ended: { changes: CHANGES, ms: 185_000, undeclared: ['coverage/lcov.info'] } });
const rule = 'passRate >= 90';
const rate = {
  severity: 'error' as const,
  pointer: '/finalStatus/passRate',
  message: `\`${rule}\` is false: passRate is 60`,
};
const issues = [
  { ...rate, rule },
  { severity, message: '2 tests are slow', rule: '/properties/slow' },
];
const failed = createVerdict('failed', { score: 60, advice: ADVICE, issues });
log.play('execute/chrome-', { ended: { verdict: failed, exitCode: 0 } }).play('execute/firefox? skipped:style');

function historyOf() {
  return createHistoryEntry(pipeline, new LogState(pipeline, log.subject, log.entries), '2026-01-02T03:30:00.000Z')!;
}

const history = [historyOf(), first];
const lines = history
  .map((line) => JSON.stringify(line))
  .toReversed()
  .join('\n');
const { subject, entries } = log;
const view = createRunView({ pipeline, subject, metadata: {}, entries, isAlive: () => true, history });
const unit = (key: string) => view.units.find((other) => other.key === key)!;

const unchanged = 'nothing that it reads has changed since run 1';
const hint = 'add `inputs: [page.html]` to dom at gateline.yml:2';
const plans: UnitPlan[] = [
  { unit: 'design', choice: 'use', reason: unchanged, savesMs: 740_000, savesUsd: 1.84 },
  { unit: 'dom', choice: 'run', reason: 'page.html changed since its last attempt', hint },
  { unit: 'pom', choice: 'depends', reason: 'it depends on what dom makes' },
];

const passed = { type: 'ended', verdict: createVerdict('passed'), changes: CHANGES, retries: false } as const;
const bad = { verdict: createVerdict('failed', { advice: ADVICE }), changes: [], retries: true };
const events: EngineEvent[] = [
  { type: 'planned', plan: plans[0]! },
  { ...passed, unit: 'design', n: 1, how: 'used', ms: 0 },
  { type: 'opened', pipeline: 'web_tests', subject: 'pr-42', run: 3, folder: '/home/dev/web', units: ['dom', 'pom'] },
  { type: 'planned', plan: plans[1]! },
  { type: 'started', unit: 'dom', n: 1, reason: plans[1]!.reason, at: '2026-01-02T03:00:00.000Z' },
  { type: 'output', unit: 'dom', stream: 'stdout', line: '  reading\tthe page \u001b[2J::error::' },
  { ...passed, unit: 'dom', n: 1, how: 'ran', ms: 9_000, ...bad },
  { type: 'started', unit: 'dom', n: 2, reason: 'attempt 1 failed', at: '2026-01-02T03:01:00.000Z' },
  { ...passed, unit: 'dom', n: 2, how: 'ran', score: 95, ms: 61_000, costUsd: 0.4 },
  { ...passed, unit: 'pom', n: 1, how: 'ran', ms: 2_000 },
  { type: 'rework', gate: 'dom', iteration: 2, causes: ['review'] },
  { type: 'notice', message: 'README.md changed while dom worked', hint: 'run again' },
  { type: 'planned', plan: { unit: 'pom', choice: 'not-applicable', reason: 'its condition is false' } },
];

describe('what people read', () => {
  it.each([
    [
      'status.txt',
      () => renderStatus(view, { now: '2026-01-02T04:00:00.000Z', plan: [{ ...plans[1]!, unit: 'pom' }] }),
    ],
    ['run-end-80-columns.txt', () => renderStatus(view, { width: 80, ran: ['pom', 'execute/chrome'] })],
    ['verdict.txt', () => renderVerdict(unit('execute/chrome')) + renderVerdict(unit('learn'))],
    ['plan.txt', () => renderPlan(plans)],
    [
      'checkpoint-passed.md',
      () => renderCheckpoint(view, unit('dom'), '.state/demoqa_com-registration-gate1-output.json'),
    ],
    [
      'checkpoint-failed.md',
      () => renderCheckpoint(view, unit('execute/chrome')) + renderCheckpoint(view, unit('pom')),
    ],
    [
      'history.txt',
      () =>
        [
          renderHistory(history),
          renderHistory(queryHistory(lines, { gate: 'dom' }).entries, 'dom'),
          renderStatistics(summarizeRuns(history), summarizeGates(history)),
          renderDays(summarizeDays(history)),
        ].join('\n'),
    ],
    [
      'progress.txt',
      () => {
        const progress = new Progress(true);
        const now = '2026-01-02T03:02:00.000Z';
        return events
          .flatMap((event, at) => [
            ...(progress.apply(event)?.split('\n') ?? []),
            ...(at === 6 || at === 7 ? ['', progress.render(now, at === 6 ? 10 : 1)] : []),
          ])
          .join('\n');
      },
    ],
  ] as const)('%s', async (name, render) => {
    await expect(render()).toMatchFileSnapshot(`golden/${name}`);
  });
});

it('shows no time for runs of less than 50 ms', () => {
  const short = history.map((entry) => ({ ...entry, status: 'completed' as const, ms: 20, costUsd: undefined }));
  expect(historyTitle(short)).toBe(`Last runs (${short.length}): 100 % completed`);
});
