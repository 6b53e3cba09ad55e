import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistoryEntry } from '../../src/history/create-history-entry.ts';
import { historyEntrySchema } from '../../src/history/history-entry.ts';
import { summarizeDays, summarizeGates, summarizeRuns } from '../../src/history/statistics.ts';
import { renderCheckpoint } from '../../src/report/checkpoint.ts';
import { renderDays, renderHistory, renderStatistics } from '../../src/report/history-table.ts';
import { renderHtml } from '../../src/report/html/page.ts';
import { Progress } from '../../src/report/progress.ts';
import { createRunView } from '../../src/report/run-view.ts';
import { renderPlan, renderStatus, renderVerdict } from '../../src/report/terminal.ts';
import type { RunView } from '../../src/report/view.ts';
import { LogState } from '../../src/run/state.ts';
import type { LogBuilder } from '../support/log-builder.ts';
import { LIVE, parseMarkdown } from '../untrusted/markdown.ts';
import { logs, pipeline } from './any-log.ts';
import { tagsOf } from './html/pages.ts';

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
      const state = new LogState(pipeline, subject, entries);
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
        const html = renderHtml({ view, now: NOW, excerpts: new Map() });
        expect(tagsOf(html).rest).not.toMatch(/[<>]|(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
        expect(html).toContain(`<dd>${figures.done} of ${figures.units}</dd>`);
      }
      if (line === undefined) return;
      const view = createRunView({ pipeline, subject, metadata: {}, entries, isAlive: () => true, history: [] });
      expect([line.status, line.ms, line.costUsd]).toEqual([view.status, view.figures.ms, view.figures.costUsd]);
      expect(line.units.map((unit) => unit.status)).toEqual(view.units.map((unit) => unit.status));
    };
    fc.assert(fc.property(logs, fc.boolean(), fc.nat(200), check), { numRuns: 80 });
    // Of 16 statuses of units and runs.
    expect(seen.size).toBeGreaterThan(12);
  });
});
