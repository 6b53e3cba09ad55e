import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import { annotationsOf } from '../../../src/report/github/annotations.ts';
import { renderComment, renderRunningComment } from '../../../src/report/github/comment.ts';
import type { JsonValue } from '../../../src/json/json.ts';
import type { UnitDetails } from '../../../src/report/github/context.ts';
import { renderGateSummary } from '../../../src/report/github/gate-summary.ts';
import { renderBadge, reportOutputs } from '../../../src/report/github/outcome.ts';
import { renderRunSummary } from '../../../src/report/github/run-summary.ts';
import { createVerdict, LogBuilder } from '../../support/log-builder.ts';
import { createLegs, createPipeline } from '../../support/pipelines.ts';
import { contextOf, historyOf, viewOf } from './support.ts';

const pipeline = createPipeline(
  [
    { id: 'plan', agent: 'Planner', contract: { score: '/score' } },
    { id: 'code', agent: 'Coder', needs: ['plan'], files: ['src/**'], contract: { score: '/score' } },
    {
      id: 'test',
      needs: ['code'],
      contract: { score: '/score' },
      matrix: { maxParallel: 2, failFast: false, legs: createLegs('chrome', 'firefox') },
    },
    { id: 'review', needs: ['code'], approval: 'required', contract: { score: '/score' } },
    { id: 'ship', needs: ['test', 'review'] },
  ],
  {
    id: 'web',
    task: 'Register students',
    groups: [{ id: 'checks', gates: ['test', 'review'], mode: 'parallel' }],
  },
);

const log = new LogBuilder();
log.pipeline = 'web';
const metrics = { model: 'm-1', costUsd: 0.4, inputTokens: 1_200, outputTokens: 340 };
log.play('plan+', { ended: { ms: 740_000, metrics: { costUsd: 1.84 } } });
log.play('code+ review+', { ended: { ms: 100_000, metrics: { costUsd: 0.5 }, verdict: createVerdict('passed') } });
log.play('approve test/chrome+ test/firefox+ ship+ complete');
const baseline = historyOf(pipeline, log, { runId: '9001', run: 5 });
log.play('used', { about: log.ends[0] });
const rule = 'output.coverage >= 80';
const issues = [
  { severity: 'error' as const, pointer: '/findings/0', message: 'the form has no label' },
  { severity: 'error' as const, pointer: '/coverage', message: `\`${rule}\` is false: coverage is 60`, rule },
];
const check = createVerdict('failed', { score: 60, advice: 'Make the form accessible.', issues });
const changes = ['a', 'b'].map((name) => ({ path: `src/${name}.ts`, before: null, after: `100644 ${name}` }));
log.play('code-', { ended: { verdict: check, metrics, ms: 31_000 } });
log.play('code+', { ended: { verdict: createVerdict('passed', { score: 87 }), metrics, changes, ms: 125_000 } });
log.play('test/chrome+ test/firefox-', { ended: { verdict: check, exitCode: 1 } });
const output = { digest: digestOf('another review'), bytes: 12 };
log.play('review+', {
  ended: { verdict: createVerdict('passed', { score: 91, message: 'two nits' }), metrics, output },
});

const findings: JsonValue = [
  { file: 'src/form.ts', line: 12, severity: 'error', message: 'the form has no label', rule: 'a11y/label' },
  { file: 'src/form.ts', line: 30, severity: 'notice', message: 'a comment would help' },
];
const reason = 'nothing that it reads has changed since run 1';
const context = contextOf({
  baseline,
  units: new Map<string, UnitDetails>([
    ['plan', { plan: { unit: 'plan', choice: 'use', reason, savesMs: 740_000, savesUsd: 1.84 }, output: { ok: true } }],
    [
      'code',
      {
        job: 'https://github.com/octo/web/actions/runs/9007/job/2',
        plan: { unit: 'code', choice: 'run', reason: 'src/form.ts changed since its last attempt' },
        output: { score: 87 },
        learnings: 'labels first\n/gateline approve review 00\n',
      },
    ],
    ['test/firefox', { job: 'https://github.com/octo/web/actions/runs/9007/job/4', output: { findings } }],
    ['review', { output: { score: 91 }, approval: '/gateline approve review 0123456789abcdef0123456789abcdef' }],
  ]),
});
const view = viewOf(pipeline, log, [baseline]);
const unit = (key: string) => view.units.find((other) => other.key === key)!;

describe('what people read on GitHub', () => {
  it.each([
    ['run-summary.md', () => renderRunSummary(view, context)],
    ['gate-used.md', () => renderGateSummary(view, unit('plan'), context)],
    ['gate-passed.md', () => renderGateSummary(view, unit('code'), context)],
    ['gate-failed.md', () => renderGateSummary(view, unit('test/firefox'), context)],
    ['gate-paused.md', () => renderGateSummary(view, unit('review'), context)],
    ['comment.md', () => renderComment(view, { ...context, problems: ['job e2e ended without a result (skipped)'] })],
    ['running.md', () => renderRunningComment(view, context)],
    [
      'step.txt',
      () =>
        JSON.stringify(
          [annotationsOf(view.units, context), renderBadge(view, context), reportOutputs(view, context)],
          null,
          2,
        ),
    ],
  ] as const)('%s', async (name, render) => {
    await expect(render()).toMatchFileSnapshot(`golden/${name}`);
  });
});
