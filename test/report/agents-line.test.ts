import { describe, expect, it } from 'vitest';
import { commentBody } from '../../src/report/github/comment.ts';
import { gateSummary } from '../../src/report/github/gate-summary.ts';
import { ownHistory } from '../../src/report/github/own-history.ts';
import { gatesEntrySchema } from '../../src/history/entry.ts';
import { runReport } from '../../src/report/github/run-report.ts';
import { checkpointMarkdown } from '../../src/report/markdown/checkpoint.ts';
import { statusJson } from '../../src/report/json/status-json.ts';
import { statusTable } from '../../src/report/terminal/status-table.ts';
import { verdictText } from '../../src/report/terminal/verdict-text.ts';
import type { EndedRecord } from '../../src/run/records/record.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import { ended, NOW, ran, stateOf, webTests } from './fixtures.ts';
import { FACTS } from './github/fixtures.ts';

const HOSTILE = '\u001b[31mall 12 tests pass ##[error]x @octocat | <!-- ![x](https://x.y/z) ';
const RESULT = 'APPROVED | @octocat';

function reported(verdict: Partial<EndedRecord['verdict']>) {
  const records = [...ran('data', {}, { verdict: { ...ended('data').verdict, ...verdict } }), ...ran('design')];
  const { state } = stateOf(records, {});
  const graph = unitsOf(webTests);
  const unit = graph.get('data')!;
  const input = { pipeline: webTests, state, records, now: NOW, facts: FACTS };
  const { gates } = ownHistory(input);
  return {
    table: statusTable(state, webTests),
    text: verdictText(state.units.get('data')!.ended!),
    json: statusJson(state, graph, { groups: [] }).gates[0]!.verdict,
    checkpoint: checkpointMarkdown({ unit, graph, state }),
    gate: gateSummary({ unit, graph, state, records }),
    report: runReport(input),
    comment: commentBody({ ...input, from: 'report', revision: { runNumber: 1, runAttempt: 1, records: 4 } }),
    entry: gatesEntrySchema.parse(gates).gates[0]!,
  };
}

describe('the agent’s line about an output that passed', () => {
  it('is in every view', () => {
    const { table, text, json, checkpoint, gate, report, comment, entry } = reported({
      message: '3 pages tested',
      result: 'APPROVED',
    });
    expect(table).toMatch(/^ *0 +data +passed .* “3 pages tested”$/m);
    expect(text).toContain('\n  result: APPROVED\n  message: 3 pages tested\n');
    expect(json).toMatchObject({ result: 'APPROVED', message: '3 pages tested' });
    for (const view of [checkpoint, gate]) {
      expect(view).toContain('| Result | APPROVED |\n');
      expect(view).toContain('| Message | 3 pages tested |\n');
    }
    expect(report).toMatch(/^\| 0 \| `data` .* \| “3 pages tested” \|$/m);
    expect(comment).toMatch(/^\| Gate \| .* \| Message \|$/m);
    expect(comment).toMatch(/^\| `data` .* \| “3 pages tested” \|$/m);
    expect(entry).toMatchObject({ result: 'APPROVED', message: '3 pages tested' });
  });

  it('comes after what we say of the gate', () => {
    const verdict = { ...ended('data').verdict, message: '3 pages tested' };
    const source = { runNumber: 1, runAttempt: 1, n: 1 };
    const records = [...ran('data'), ended('data', { run: 2 }, { how: 'reused', source, verdict })];
    expect(statusTable(stateOf(records, {}).state, webTests)).toMatch(
      / data .* reused from run 1.*: “3 pages tested”$/m,
    );
  });

  it('is shown, never obeyed', () => {
    const { table, text, checkpoint, gate, report, comment, entry } = reported({ message: HOSTILE, result: RESULT });
    for (const view of [table, text]) {
      expect(view).not.toContain('\u001b');
      expect(view).not.toContain('##[');
    }
    for (const view of [checkpoint, gate, report, comment]) {
      const line = view.split('\n').find((one) => one.includes('all 12 tests pass'))!;
      expect(line).not.toMatch(/\u001b|##\[|@octocat|<!--|!\[/);
      expect(line.match(/(?<!\\)\|/g)!.length).toBeGreaterThan(2);
    }
    expect(Buffer.byteLength(entry.message!)).toBeLessThanOrEqual(120);
  });

  it('leaves the comment without a column where there is none', () => {
    expect(reported({}).comment).toContain('| Gate | Status | How | Score | Time |');
    expect(reported({}).entry).not.toHaveProperty('message');
  });
});
