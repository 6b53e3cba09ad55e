import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistoryEntry } from '../../src/history/create-history-entry.ts';
import { historyEntrySchema } from '../../src/history/history-entry.ts';
import { summarizeDays, summarizeGates, summarizeRuns } from '../../src/history/statistics.ts';
import { renderCheckpoint } from '../../src/report/checkpoint.ts';
import { renderDays, renderHistory, renderStatistics } from '../../src/report/history-table.ts';
import { Progress } from '../../src/report/progress.ts';
import { createRunView } from '../../src/report/run-view.ts';
import { renderPlan, renderStatus, renderVerdict } from '../../src/report/terminal.ts';
import type { RunView } from '../../src/report/view.ts';
import { FolderState } from '../../src/run/state.ts';
import { VERDICT_KINDS } from '../../src/verdict/verdict.ts';
import { LogBuilder } from '../support/log-builder.ts';
import { createLegs, createPipeline } from '../support/pipelines.ts';
import { ALL_HOSTILE } from '../untrusted/hostile.ts';
import { LIVE, parseMarkdown } from '../untrusted/markdown.ts';

const matrix = { maxParallel: 2, failFast: true };
const pipeline = createPipeline(
  [
    { id: 'plan' },
    { id: 'code', needs: ['plan'], files: ['src/**'], approval: 'required', memory: ['handoff'] },
    { id: 'test', needs: ['code'], matrix: { ...matrix, legs: createLegs('a', 'b') }, contract: { partial: 'pause' } },
    { id: 'each', needs: ['plan'], matrix: { ...matrix, from: { gate: 'plan', pointer: '', variable: 'x' } } },
    { id: 'review', needs: ['test', 'each'], run: undefined, onFail: { goto: 'code', maxIterations: 3 } },
  ],
  { groups: [{ id: 'checks', gates: ['test', 'review'], mode: 'parallel' }] },
);
const UNITS = ['plan', 'plan', 'code', 'code', 'test/a', 'test/b', 'each/1', 'review', 'gone'];

const text = fc.oneof(
  fc.constantFrom(...ALL_HOSTILE),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constant('漢'.repeat(300)),
);
const name = text.map((value) => value.slice(0, 80) || 'x');
const issue = fc.record({
  severity: fc.constantFrom('error' as const, 'warning' as const),
  message: text,
  pointer: text,
  rule: text,
});
const verdict = fc.record({
  status: fc.constantFrom('passed' as const, 'passed' as const, 'partial' as const, 'failed' as const),
  kind: fc.constantFrom(...VERDICT_KINDS),
  score: fc.double({ min: 0, max: 100, noNaN: true }),
  issues: fc.array(issue, { maxLength: 3 }),
  advice: text,
  message: text,
});
const metrics = fc.record({
  model: name,
  mcps: fc.array(name, { maxLength: 3 }),
  costUsd: fc.double({ min: 0, max: 9, noNaN: true }),
});
const paths = fc.array(name, { maxLength: 3 });

const WORK = '%+ %+ %+ %? %? %* %. %! skip:% force:% skipped:% not-applicable:% adopted:%'.split(' ');
const ABOUT_END = 'approve approve approve reject used rework rollback'.split(' ');
const step = fc.record({
  word: fc.constantFrom(...WORK, ...WORK, ...ABOUT_END, 'pause', 'resume', 'resume', 'close', 'complete'),
  unit: fc.constantFrom(...UNITS),
  subject: fc.constantFrom('pr-42', 'pr-42', 'pr-42', 'pr-42', 'pr-41'),
  pick: fc.nat(4),
  task: text,
  reason: text,
  result: fc.record({ verdict, metrics, undeclared: paths }),
});

/** A log in which each call of the engine, or of a person, is possible after those before it. */
const logs = fc.array(step, { maxLength: 25 }).map((steps) => {
  const log = new LogBuilder();
  for (const { word, unit, subject, pick, task, reason, result } of steps) {
    log.subject = subject;
    const about = log.ends.filter(({ output }) => output !== undefined).at(-1 - pick);
    const last = log.entries.findLast((entry) => 'unit' in entry && entry.unit === unit && entry.kind !== 'decided');
    const isOpen = last?.kind === 'started' && last.run === log.run && last.subject === subject;
    if (/%[.!]/.test(word) ? !isOpen : ABOUT_END.includes(word) && about === undefined) continue;
    const changes = result.undeclared.map((path) => ({ path, before: null, after: '100644 a' }));
    const ended = { ...result, changes };
    log.play(word.replace('%', unit), { started: { task }, ended, decided: { reason }, about });
  }
  log.subject = 'pr-42';
  return log;
});

/** What a terminal or a log obeys: control characters but line breaks and tabs, hidden marks, commands of a runner. */
const OBEYED = /(?![\n\t])\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]|##\[|^\s*::/mu;
const LIVE_NODES = ['link', 'image', 'html', 'linkReference', 'imageReference', 'definition', 'footnoteReference'];
const NOW = '2026-01-03T00:00:00.000Z';

function renderAll(view: RunView, width: number): string {
  const { units, history } = view;
  const plan = units.map(({ key, reason }) => ({ unit: key, choice: 'run' as const, reason, hint: reason }));
  const progress = new Progress(true);
  const stdout = { type: 'output', stream: 'stdout' } as const;
  return [
    renderStatus(view, { width, plan, ran: units.map(({ key }) => key), now: NOW }),
    renderPlan(plan, { width }),
    ...units.map((unit) => renderVerdict(unit)),
    ...units.map(({ key, reason }) => progress.apply({ ...stdout, unit: key, line: reason })),
    ...plan.map((each) => progress.apply({ type: 'planned', plan: each })),
    progress.render(NOW, 4, { width }),
    renderHistory(history, undefined, { width }),
    renderStatistics(summarizeRuns(history), summarizeGates(history)),
    renderDays(summarizeDays(history)),
  ].join('\n');
}

describe('any log that calls can write', () => {
  it('has a view whose renderings obey nothing, keep their limits and agree with each other', () => {
    const seen = new Set<string>();
    const check = (log: LogBuilder, isAlive: boolean, width: number): void => {
      const { subject, entries } = log;
      const state = new FolderState(pipeline, subject, entries);
      const line = createHistoryEntry(pipeline, state, NOW);
      const history = line ? [historyEntrySchema.parse(JSON.parse(JSON.stringify({ ...line, run: 99 })))] : [];
      for (const run of [undefined, ...state.runs.map((each) => each.run)]) {
        const view = createRunView({ pipeline, subject, metadata: {}, entries, run, isAlive: () => isAlive, history });
        const { units, figures, groups, status } = view;
        for (const word of [status, ...units.map((unit) => unit.status)]) seen.add(word);
        expect(JSON.parse(JSON.stringify(view))).toEqual(view);
        expect([figures.units, figures.done]).toEqual([units.length, units.filter(({ done }) => done).length]);
        expect(figures.used).toBeLessThanOrEqual(figures.done);
        expect(new Set(groups[0]!.units)).toEqual(new Set(['test/a', 'test/b', 'review']));
        const rendered = renderAll(view, width);
        expect(rendered).not.toMatch(OBEYED);
        if (view.run > 0) expect(rendered).toContain(`${figures.done} of ${figures.units} gates done`);
        const checkpoint = renderCheckpoint(view, units[width % units.length]!, '.state/file.json');
        expect(Buffer.byteLength(checkpoint)).toBeLessThanOrEqual(65_000);
        expect(checkpoint).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]|##\[/u);
        const { types, prose } = parseMarkdown(checkpoint);
        expect(LIVE_NODES.filter((type) => types.has(type))).toEqual([]);
        expect(prose).not.toMatch(LIVE);
      }
      if (line === undefined) return;
      const view = createRunView({ pipeline, subject, metadata: {}, entries, isAlive: () => true, history: [] });
      expect([line.status, line.ms, line.costUsd]).toEqual([view.status, view.figures.ms, view.figures.costUsd]);
      expect(line.units.map((unit) => unit.status)).toEqual(view.units.map((unit) => unit.status));
    };
    fc.assert(fc.property(logs, fc.boolean(), fc.nat(200), check), { numRuns: 200 });
    // Of 16 statuses of units and runs.
    expect(seen.size).toBeGreaterThan(12);
  });
});
