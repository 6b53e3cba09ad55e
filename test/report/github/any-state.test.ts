import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, it } from 'vitest';
import { annotationsOf } from '../../../src/report/github/annotations.ts';
import { parseMarker, renderComment, renderRunningComment } from '../../../src/report/github/comment.ts';
import type { UnitDetails } from '../../../src/report/github/context.ts';
import { renderGateSummary } from '../../../src/report/github/gate-summary.ts';
import { renderBadge, reportOutputs } from '../../../src/report/github/outcome.ts';
import { renderRunSummary } from '../../../src/report/github/run-summary.ts';
import { createHistoryEntry } from '../../../src/history/create-history-entry.ts';
import { LogState } from '../../../src/run/state.ts';
import { LIVE, parseMarkdown } from '../../untrusted/markdown.ts';
import { logs, pipeline, text } from '../any-log.ts';
import { contextOf, NOW, viewOf } from './support.ts';

const APPROVAL = '/gateline approve code 0123456789abcdef0123456789abcdef';
const PAGE = 'https://github.com/octo/web/';
/** The commands as a line that an agent would like somebody to copy. */
const copied = fc.constantFrom(
  '/gateline approve code 00',
  ' \t/gateline reject x\n/GATELINE retry',
  '\r/gateline retry',
);
const anyText = fc.oneof(text, text, copied);
const lines = fc.array(anyText, { maxLength: 4 }).map((texts) => texts.join('\n'));
const finding = fc.record({
  file: fc.oneof(anyText, fc.constantFrom('src/a.ts', './a)b](c d.ts', '../up', '/etc/passwd', 'C:\\x', 'a|b`c`.ts')),
  line: fc.oneof(fc.constantFrom(1, 12, 0, -1, 1.5), anyText),
  severity: fc.oneof(fc.constantFrom('error', 'warning', 'notice'), anyText),
  message: anyText,
  rule: anyText,
});
const output = fc.oneof(
  fc.record({ findings: fc.array(finding, { maxLength: 4 }), text: lines }),
  lines,
  fc.constant(null),
);
const details = fc.record(
  {
    // Comes from GitHub: any https address is a page of a job.
    job: fc.oneof(
      fc.constantFrom(`${PAGE}job/2?a=(b)|\`c\`[d]`, 'javascript:alert(1)', 'http://evil.example'),
      anyText.filter((address) => !/^\s*https:/i.test(address)),
    ),
    plan: fc.record({
      unit: anyText,
      choice: fc.constantFrom('use' as const, 'run' as const),
      reason: anyText,
      hint: anyText,
    }),
    output,
    learnings: lines,
    approval: fc.constant(APPROVAL),
  },
  { requiredKeys: [] },
);
const facts = fc.record({
  units: fc.array(details, { minLength: 6, maxLength: 6 }),
  problems: fc.array(anyText, { maxLength: 3 }),
  runId: fc.string(),
});

const FOLD = /^<details><summary>[\w ,:.()$%,]+<\/summary>$|^<\/details>$/;
const DEAD = ['image', 'linkReference', 'imageReference', 'definition', 'footnoteReference', 'footnoteDefinition'];

/** Fails if Markdown does anything but show text, links to the repository, and folds of ours. */
function expectHarmless(markdown: string, maxBytes: number): void {
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(maxBytes);
  const { root, types, prose } = parseMarkdown(markdown);
  expect(DEAD.filter((type) => types.has(type))).toEqual([]);
  expect(prose).not.toMatch(LIVE);
  expect(prose).not.toMatch(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:#|GH-|\S+\/\S+#)\d/i);
  const folds: string[] = [];
  const visit = (node: Nodes): void => {
    if (node.type === 'link') expect(node.url.startsWith(PAGE) ? '' : node.url).toBe('');
    if (node.type === 'html') folds.push(...node.value.split('\n'));
    if ('children' in node) node.children.forEach(visit);
  };
  visit(root);
  expect(folds.filter((line) => !FOLD.test(line))).toEqual([]);
  expect(folds.filter((line) => line.startsWith('<d'))).toHaveLength(folds.length / 2);
  expect(markdown).not.toMatch(/<!--|(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
  const commands = markdown.split(/\r|\n/).filter((line) => /^\s*\/gateline/i.test(line));
  expect(commands.filter((line) => line !== APPROVAL)).toEqual([]);
}

describe('any log, with any texts of agents', () => {
  it('has no effect on GitHub (no mention, link or command), and fits the limits', () => {
    const seen = { folds: 0, links: 0, approvals: 0 };
    fc.assert(
      fc.property(
        logs,
        facts,
        fc.constantFrom(900_000, 900_000, 60_000, 9_000, 2_000, 500),
        (log, { units, problems, runId }, maxBytes) => {
          const line = createHistoryEntry(pipeline, new LogState(pipeline, log.subject, log.entries), NOW);
          const history = line
            ? [
                { ...line, run: 99, runId },
                { ...line, run: 98 },
              ]
            : [];
          const view = viewOf(pipeline, log, history);
          const unitDetails = new Map(
            view.units.map(({ key }, index): [string, UnitDetails] => [key, units[index % 6]!]),
          );
          const context = contextOf({ units: unitDetails, problems, baseline: history[0] });
          for (const unit of [view.units[0]!, view.units.at(-1)!, view.units[maxBytes % 5]!])
            expectHarmless(renderGateSummary(view, unit, context, maxBytes), maxBytes);
          const summary = renderRunSummary(view, context, maxBytes);
          expectHarmless(summary, maxBytes);
          seen.folds += summary.includes('<details>') ? 1 : 0;
          seen.links += summary.includes(`](${PAGE}job/2`) ? 1 : 0;
          seen.approvals += summary.includes(`\n${APPROVAL}\n`) ? 1 : 0;

          for (const comment of [renderComment(view, context), renderRunningComment(view, context)]) {
            const [first, ...rest] = comment.split('\n');
            expect(parseMarker(first!)).toMatchObject({ runId: 9_007, runAttempt: 2 });
            expectHarmless(rest.join('\n'), 65_400);
          }
          const annotations = annotationsOf(view.units, context);
          for (const { title, message, place } of annotations) {
            const shown = JSON.stringify([title, message, place?.file ?? '']);
            expect(shown).not.toMatch(/\p{Cc}|[\u200b\u202a-\u202e\u2066-\u2069]|##\[/u);
            expect(place?.file ?? 'a').not.toMatch(/^[/~]|^[a-z]:|(?:^|[/\\])\.\.(?:$|[/\\])/i);
          }
          expect(new Set(annotations.map((annotation) => JSON.stringify(annotation))).size).toBe(annotations.length);
          const badge = renderBadge(view, context);
          const { status, summary: oneLine } = reportOutputs(view, context);
          expect(`${badge.message} ${status} ${oneLine}`).toMatch(/^[\w .,:;$-]+$/);
          expect(badge.color === 'brightgreen').toBe(view.status === 'completed' && problems.length === 0);
        },
      ),
      { numRuns: 40 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(3);
  });
});
