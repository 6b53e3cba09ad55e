import { createHistoryEntry } from '../../../src/history/create-history-entry.ts';
import { createExcerpt, excerptSize } from '../../../src/report/html/excerpt.ts';
import type { HtmlReport } from '../../../src/report/html/page.ts';
import { createRunView } from '../../../src/report/run-view.ts';
import { LogState } from '../../../src/run/state.ts';
import { createVerdict, LogBuilder } from '../../support/log-builder.ts';
import { createLegs, createPipeline } from '../../support/pipelines.ts';

export const NOW = '2026-01-02T04:00:00.000Z';
const LEGS = { maxParallel: 2, failFast: false, legs: createLegs('chrome', 'firefox') };
const pipeline = createPipeline(
  [
    { id: 'design', agent: 'TestCaseDesigner' },
    { id: 'dom', needs: ['design'], memory: ['locators'], contract: { score: '/score' } },
    { id: 'pom', needs: ['dom', 'design'], files: ['tests/**'] },
    { id: 'execute', needs: ['pom'], matrix: LEGS, contract: { score: '/score' } },
    { id: 'style', needs: ['pom'] },
    { id: 'learn', needs: ['execute', 'style', 'dom'] },
  ],
  { task: 'Test the student registration', groups: [{ id: 'checks', gates: ['execute', 'style'], mode: 'parallel' }] },
);

/** A run with something of everything: used, passed at the second attempt, failed, skipped, blocked, decisions. */
export function createReport(): HtmlReport {
  const log = new LogBuilder();
  const metrics = { model: 'm-1', inputTokens: 1_200, outputTokens: 340, costUsd: 0.012 };
  log.play('design+', { ended: { ms: 740_000, metrics: { costUsd: 1.84 } } }).play('close');
  const state = new LogState(pipeline, log.subject, log.entries);
  const earlier = { ...createHistoryEntry(pipeline, state, NOW)!, status: 'error' as const };
  const failure = { unit: 'gone', kind: 'schema', message: 'it has no selectors' };
  const issue = { severity: 'error' as const, message: 'it has no selectors', pointer: '/items/0', rule: '/required' };
  const changes = ['a', 'b'].map((name, at) => ({ path: `tests/${name}.ts`, before: at ? 'x' : null, after: 'y' }));
  log.play('used', { about: log.ends[0] });
  log.play('dom-', { ended: { verdict: createVerdict('failed', { kind: 'schema', issues: [issue] }), exitCode: 1 } });
  log.play('dom+', { ended: { metrics, verdict: createVerdict('passed', { score: 87, message: 'all mapped' }) } });
  log.play('pom+', { ended: { changes, ms: 185_000, undeclared: ['coverage.txt'] } }).play('approve');
  const rate = { ...issue, message: '`rate >= 90` is false: rate is 60', pointer: '', rule: 'rate >= 90' };
  const failed = createVerdict('failed', { score: 60, advice: 'Make the tests pass.', result: 'RED', issues: [rate] });
  log.play('execute/chrome-', { ended: { verdict: failed, exitCode: 0 } }).play('execute/firefox+ skipped:style');
  const { subject, entries } = log;
  const history = [{ ...earlier, failure }];
  const view = createRunView({ pipeline, subject, metadata: {}, entries, isAlive: () => true, history });
  const output = createExcerpt('output', '{\n  "score": 60\n}', 1_024);
  const stdout = createExcerpt('stdout', 'first line\n'.repeat(400), 1_024, 'gateline show dom stdout');
  const excerpts = new Map([
    ['execute/chrome', [output, stdout]],
    ['dom', [stdout]],
  ]);
  return { view, now: NOW, excerpts, problems: ['job lint was skipped'] };
}

/** A run of so many gates, most of them done; each needs the one ten before it and left an output. */
export function createLargeReport(gates: number): HtmlReport {
  const ids = Array.from({ length: gates }, (_, at) => `gate-${at}`);
  const large = createPipeline(ids.map((id, at) => ({ id, needs: at < 10 ? [] : [ids[at - 10]!] })));
  const log = new LogBuilder();
  for (const [at, id] of ids.slice(0, gates * 0.9).entries()) log.play(`${id}${at % 97 === 13 ? '~' : '+'}`);
  const { subject, entries } = log;
  const view = createRunView({ pipeline: large, subject, metadata: {}, entries, isAlive: () => true, history: [] });
  const text = JSON.stringify({ items: Array.from({ length: 400 }, (_, item) => `item ${item}`) }, null, 2);
  const excerpts = new Map(ids.map((id) => [id, [createExcerpt('output', text, excerptSize(gates))]]));
  return { view, now: NOW, excerpts };
}

/** Words of ours; every other text of a report may come from anybody. */
const OURS = /^(?:status|how|kind|severity|format|mode|at|started|ended|before|after|digest|fingerprint)$/;

/** A report in which every text of agents, people and definitions is this one; only ids are as they are. */
export function withText(report: HtmlReport, text: string): HtmlReport {
  const ids = new Set(report.view.units.flatMap(({ key, gate }) => [key, gate]));
  const fill = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (key, part: unknown) =>
      typeof part === 'string' && !OURS.test(key) && !ids.has(part) ? text : part,
    ) as T;
  const view = fill(report.view);
  return { ...report, view, problems: fill(report.problems), excerpts: new Map(fill([...report.excerpts])) };
}

/** Tags of the page, without those around code; whatever does not look like one of ours stays in `rest`. */
export function tagsOf(page: string): { readonly tags: readonly string[]; readonly rest: string } {
  const tags: string[] = [];
  const rest = page
    .replace(/<style>[^]*<\/style>/, '')
    .replaceAll(/<\/?(?:!doctype|[a-z][a-z0-9]*)(?: [a-z][a-z-]*(?:="[^"<>]*")?)*\/?>/gi, (tag) => {
      if (!/^<\/?code\b/.test(tag)) tags.push(tag.replaceAll(/="[^"]*"/g, ''));
      return '';
    });
  return { tags, rest };
}
