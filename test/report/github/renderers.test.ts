import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import { annotationsOf } from '../../../src/report/github/annotations.ts';
import {
  isNewerThan,
  parseMarker,
  renderComment,
  renderRunningComment,
  type CommentMarker,
} from '../../../src/report/github/comment.ts';
import { linkTo, type UnitDetails } from '../../../src/report/github/context.ts';
import { findingAt, findingsOf } from '../../../src/report/github/findings.ts';
import { renderGateSummary } from '../../../src/report/github/gate-summary.ts';
import { githubStep } from '../../../src/report/github/next-step.ts';
import { renderBadge, reportOutputs } from '../../../src/report/github/outcome.ts';
import { renderRunSummary } from '../../../src/report/github/run-summary.ts';
import { createVerdict, LogBuilder } from '../../support/log-builder.ts';
import { createLegs, createPipeline } from '../../support/pipelines.ts';
import { parseMarkdown } from '../../untrusted/markdown.ts';
import { contextOf, historyOf, viewOf } from './support.ts';

const pipeline = createPipeline([
  { id: 'plan', contract: { score: '/score' } },
  { id: 'code', needs: ['plan'], approval: 'required' },
  { id: 'test', needs: ['code'] },
]);
const APPROVAL = '/gateline approve code 0123456789abcdef0123456789abcdef';
const waiting = contextOf({ units: new Map([['code', { approval: APPROVAL, output: { ok: true } }]]) });

const noOutput = { verdict: createVerdict('failed', { kind: 'missing', advice: 'Write it to GATELINE_OUTPUT.' }) };
const interrupted = { verdict: createVerdict('failed', { kind: 'cancelled' }) };

describe('a run on GitHub', () => {
  it.each([
    ['plan+ code+ approve test+ complete', {}, '✅ passed', 'brightgreen', 'completed', 'All gates are done', ''],
    ['plan+ code+', {}, '⏸️ waiting for a person', 'yellow', 'paused', 'then approve it with its line', ''],
    ['plan-', {}, '❌ failed', 'red', 'error', 'Fix plan, then push', 'gh run rerun 9007 --failed --repo octo/web'],
    ['plan-', noOutput, '❌ failed', 'red', 'error', 'Fix plan: write it to GATELINE_OUTPUT, then push', 'gh run'],
    ['plan-', interrupted, '❌ failed', 'red', 'error', 'plan was interrupted', 'gh run'],
    ['plan~', {}, '❌ failed', 'red', 'error', 'Improve plan, then push: a re-run uses the same output', ''],
    ['plan+ code~', {}, '❌ failed', 'red', 'error', 'Accept code with its line, or improve it', ''],
    ['plan+ code+ reject', {}, '❌ failed', 'red', 'error', 'the output of code was rejected', 'gh run'],
    ['plan? plan!', {}, '❌ failed', 'red', 'error', 'the job of plan ended without a result', 'gh run'],
    ['plan+', {}, '🔄 not finished', 'lightgrey', 'executing', 'Look at the job of code: repair what', ''],
    ['', {}, '⏳ not started', 'lightgrey', 'initializing', 'Look at the job of plan', ''],
  ])('after %j says how it stands and what to do', (script, ended, title, color, status, text, command) => {
    const view = viewOf(pipeline, script === '' ? new LogBuilder() : new LogBuilder().play(script, { ended }));
    for (const markdown of [renderRunSummary(view, waiting), renderComment(view, waiting)])
      expect(markdown).toContain(`# ${title}: \`main\` for \`pr-42\``);
    expect(renderBadge(view, waiting)).toEqual({
      schemaVersion: 1,
      label: 'main',
      message: title.slice(title.indexOf(' ') + 1),
      color,
    });
    expect(reportOutputs(view, waiting).status).toBe(status);
    const step = githubStep(view, waiting);
    expect(step.text).toContain(text);
    expect(step.command ?? '').toMatch(new RegExp(command === '' ? '^$' : `^${command}`));
  });

  it('lists the decisions of people', () => {
    const summaryOf = (script: string) => renderRunSummary(viewOf(pipeline, new LogBuilder().play(script)), waiting);
    expect(summaryOf('plan+ code+ approve test+ complete')).toMatch(/### Decisions\n\n?- approve [^\n]*\n(?!- )/);
    expect(summaryOf('plan+ complete')).not.toContain('### Decisions');
    const log = new LogBuilder().play('plan+ code+ approve', { decided: { reason: '' } });
    expect(renderRunSummary(viewOf(pipeline, log), waiting)).toMatch(/- approve `code` by octocat$/m);
    expect(viewOf(pipeline, log).units[1]!.reason).toBe('octocat approved it');
  });

  it('is not green if a job left no result, whatever its gates say', () => {
    const view = viewOf(pipeline, new LogBuilder().play('plan+ code+ approve test+ complete'));
    const context = contextOf({ problems: ['job lint was skipped', '@octocat'] });
    expect(renderComment(view, context)).toMatch(
      /^.*\n### ❌ not everything was checked: [^]*\n- ❌ job lint was skipped\n/,
    );
    expect(renderBadge(view, context).color).toBe('red');
    expect(reportOutputs(view, context)).toEqual({
      status: 'error',
      summary: 'not everything was checked: 3 of 3 gates done; 38 s',
    });
    expect(githubStep(view, context).text).toMatch(/^Fix what was not checked/);
  });

  it('says that a waiting gate is not broken, and shows its output and the line that approves it in a block of its own', () => {
    const view = viewOf(pipeline, new LogBuilder().play('plan+ code+'));
    const unit = view.units.find(({ key }) => key === 'code')!;
    for (const markdown of [renderGateSummary(view, unit, waiting), renderRunSummary(view, waiting)]) {
      expect(markdown).toContain('Nothing is broken: the check is red until a person decides.');
      const blocks = parseMarkdown(markdown).root.children.flatMap((node) => (node.type === 'code' ? node.value : []));
      expect(blocks).toEqual([APPROVAL, '{\n  "ok": true\n}']);
    }
    expect(renderComment(view, waiting)).toContain('{\n  "ok": true\n}');
    const approved = viewOf(pipeline, new LogBuilder().play('plan+ code+ approve'));
    for (const markdown of [renderRunSummary(approved, waiting), renderComment(approved, waiting)]) {
      expect(markdown).not.toContain(APPROVAL);
      expect(markdown).not.toContain('"ok"');
    }
  });

  it('says that an approval needs a branch, if the run is of a tag', () => {
    const view = viewOf(pipeline, new LogBuilder().play('plan+ code+'));
    const ofTag = contextOf({ pullRequest: undefined, units: new Map([['code', { approval: '', output: {} }]]) });
    const summary = renderRunSummary(view, ofTag);
    expect(summary).toContain('To accept the output of `code`, run the workflow on a branch:');
    expect(summary).toContain('**Next:** Run the workflow on a branch: an approval of code needs that.');
    expect(summary).not.toContain('```sh');
  });

  it('is compared with the default branch where its agents ran', () => {
    const earlier = new LogBuilder().play('plan+ code~', { ended: { ms: 60_000, metrics: { costUsd: 0.5 } } });
    const baseline = historyOf(pipeline, earlier, { run: 12, runId: '9000' });
    const log = new LogBuilder().play('plan+', {
      ended: { ms: 90_000, metrics: { costUsd: 0.4 }, verdict: createVerdict('passed', { score: 97.5 }) },
    });
    const view = viewOf(pipeline, log);
    const summary = renderRunSummary(view, contextOf({ baseline }));
    expect(summary).toContain('| `plan` | ✅\u00a0passed | ran | 97.5 (+2.5) | 1 min 30 s (+30 s) | $0.40 (−$0.10) |');
    expect(summary).toContain('against [run 12](https://github.com/octo/web/actions/runs/9000) of the default branch');
    expect(renderRunSummary(view, contextOf())).toContain('| 97.5 | 1 min 30 s | $0.40 |');
  });
});

describe('the marker of a comment', () => {
  const marker = (runId: number, runAttempt: number, stage: CommentMarker['stage']) => ({
    topic: '',
    runId,
    runAttempt,
    stage,
  });
  it('tells which of two comments is newer', () => {
    const order = [marker(9, 1, 'running'), marker(9, 1, 'ended'), marker(9, 2, 'running'), marker(10, 1, 'running')];
    for (const [i, a] of order.entries())
      for (const [j, b] of order.entries()) expect(isNewerThan(a, b), `${i} ${j}`).toBe(i > j);
  });

  it('is read from the first line only, and differs by pipeline and subject', () => {
    const view = viewOf(pipeline, new LogBuilder());
    const marker = parseMarker(renderComment(view, contextOf()))!;
    expect(marker).toEqual({ topic: marker.topic, runId: 9_007, runAttempt: 2, stage: 'ended' });
    const subjects = [
      { pipeline: 'main', subject: 'pr-42' },
      { pipeline: 'main', subject: 'pr-4' },
      { pipeline: 'b', subject: 'pr-42' },
    ];
    const topics = subjects.map((subject) => parseMarker(renderRunningComment(subject, contextOf()))!.topic);
    expect(topics[0]).toBe(marker.topic);
    expect(new Set(topics).size).toBe(3);
    const line = `<!-- gateline-comment/1 ${marker.topic} 9007.2 ended -->`;
    for (const body of [`x\n${line}`, ` ${line}`, `${line} x`, `> ${line}`, line.replace('ended', 'over'), ''])
      expect(parseMarker(body)).toBeUndefined();
    expect(parseMarker(`${line}\r\nx`)).toEqual(marker);
  });
});

describe('a report of a large run', () => {
  const legs = createLegs(...Array.from({ length: 100 }, (_, index) => `leg-${index}`));
  const large = createPipeline([{ id: 'wide', matrix: { maxParallel: 2, failFast: false, legs } }]);
  const issues = Array.from({ length: 100 }, (_, index) => ({
    severity: 'error' as const,
    pointer: `/findings/${index}`,
    message: `漢字 \`\`\`\` ${index} `.repeat(60),
  }));
  const log = new LogBuilder();
  const verdict = createVerdict('failed', { issues, advice: 'x'.repeat(2_000) });
  for (const { id } of legs)
    log.play(`wide/${id}${id === 'leg-7' ? '+' : '-'}`, id === 'leg-7' ? {} : { ended: { verdict } });
  const view = viewOf(large, log);
  const output = { findings: issues, text: '```\n/gateline\n'.repeat(2_000) };
  const details: UnitDetails = { output, learnings: '````\n'.repeat(100_000), approval: APPROVAL };
  const context = contextOf({ units: new Map(view.units.map(({ key }) => [key, details])) });

  it.each([
    ['the run', (max?: number) => renderRunSummary(view, context, max), [400_000, 20_000, 2_000]],
    ['a gate', (max?: number) => renderGateSummary(view, view.units[0]!, context, max), [100_000, 9_000, 3_000]],
    ['the comment', () => renderComment(view, context), [65_100]],
  ])('fits the limit of %s by leaving out whole pieces, and counts them', (_, render, limits) => {
    for (const limit of limits) {
      const markdown = render(limit);
      const { root, types } = parseMarkdown(markdown);
      expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(limit);
      expect(markdown).toMatch(/_… and \d+ more\._|_Left out, too large: /);
      expect(types.has('emphasis')).toBe(true);
      const folds = [...markdown.matchAll(/^<(\/?)details>/gm)].map(([, end]) => end);
      expect(folds).toEqual(folds.map((_, index) => (index % 2 === 0 ? '' : '/')));
      const last = root.children.at(-1)!;
      expect(['paragraph', 'html']).toContain(last.type);
    }
  });

  it('lists in the comment of a large pipeline only what is not done', () => {
    const comment = renderComment(view, contextOf());
    expect(comment).toContain('\n| `wide/leg-8` |');
    expect(comment).not.toContain('\n| `wide/leg-7` |');
  });
});

describe('findings of an output', () => {
  const message = 'm';
  it.each<[JsonValue, object[]]>([
    [
      { findings: [{ message, file: 'a/b.ts', line: 3, severity: 'error', rule: 'r' }] },
      [{ message, file: 'a/b.ts', line: 3, severity: 'error', rule: 'r' }],
    ],
    [{ findings: [{ message }, { message: '' }, 'x', null, { text: 'x' }] }, [{ message, severity: 'warning' }]],
    [{ findings: [{ message, severity: 'critical', line: '3', rule: 1 }] }, [{ message, severity: 'warning' }]],
    [
      {
        findings: ['../a', 'a/../../b', '/etc/passwd', 'C:\\a', '~/a', 'a\nb', '##[error]', ''].map((file) => ({
          message,
          file,
        })),
      },
      Array.from({ length: 8 }, () => ({ message, severity: 'warning' })),
    ],
    [{ findings: [{ message, file: './a\\b.ts' }] }, [{ message, file: 'a/b.ts', severity: 'warning' }]],
    [{ findings: { 0: { message } } }, []],
    [[{ message, file: 'a' }], []],
    [{ results: { findings: [{ message }] } }, []],
  ])('of %j', (output, findings) => {
    expect(findingsOf(output)).toEqual(findings);
  });

  it('are where the issues about them are', () => {
    const output = { findings: [{ message, file: 'a.ts', line: 1 }], other: 1 };
    for (const pointer of ['/findings/0', '/findings/0/message']) expect(findingAt(output, pointer)?.file).toBe('a.ts');
    for (const pointer of ['/findings', '/findings/1', '/other/0', '', undefined])
      expect(findingAt(output, pointer)).toBeUndefined();
  });
});

describe('annotations', () => {
  it('have each text once, the unfinished first, and never more of a level than GitHub shows', () => {
    const issue = (severity: 'error' | 'warning', message: string) => ({ severity, message, pointer: '/x' });
    const many = Array.from({ length: 30 }, (_, index) => issue('error', `<b> & "${index}"`));
    const failed = createVerdict('failed', { issues: [issue('error', 'same'), issue('error', 'same'), ...many] });
    const log = new LogBuilder().play('plan+', {
      ended: { verdict: createVerdict('passed', { issues: [issue('error', 'late')] }) },
    });
    const { units } = viewOf(pipeline, log.play('code-', { ended: { verdict: failed } }));
    const findings = ['same', 'a\n::error::b ##[group]', '\u202ex'].map((message) => ({
      message,
      file: 'a.ts',
      line: 2,
      severity: 'notice',
    }));
    const annotations = annotationsOf(units, contextOf({ units: new Map([['code', { output: { findings } }]]) }));
    expect(annotations.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'error same',
      ...Array.from({ length: 7 }, (_, index) => `error <b> & "${index}"`),
      'error 23 more are in the summary',
      'warning late',
      'notice same',
      'notice a ::error::b ## [group]',
      'notice <U+202E>x',
    ]);
    expect(annotations.at(-1)).toMatchObject({ title: 'Gate code: failed', place: { file: 'a.ts', line: 2 } });
  });

  it.each([
    ['plan!', ['error nobody ended its attempt']],
    ['plan-', ['error check: ']],
    ['plan~', ['error partial: ']],
    ['plan+', []],
    ['plan+ code+', ['notice a person must approve the output']],
  ])('say why a gate holds the run up after %s', (script, texts) => {
    const { units } = viewOf(pipeline, new LogBuilder().play(script === 'plan!' ? 'plan? plan!' : script));
    expect(annotationsOf(units, contextOf()).map(({ level, message }) => `${level} ${message}`)).toEqual(
      texts.map((text) => text.trim()),
    );
  });
});

describe('a link', () => {
  it.each([
    ['https://github.com/a b/(c)', '[x](https://github.com/a%20b/%28c%29)'],
    ['https://github.com/a?b=[c]|`d`<e>', '[x](https://github.com/a?b=%5bc%5d%7c%60d%60%3Ce%3E)'],
    ['http://github.com', 'x'],
    ['javascript:alert(1)', 'x'],
    ['//github.com', 'x'],
    [undefined, 'x'],
  ])('to %j', (address, markdown) => {
    expect(linkTo('x', address)).toBe(markdown);
  });
});
