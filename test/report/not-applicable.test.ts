import { describe, expect, it } from 'vitest';
import { checkpointMarkdown } from '../../src/report/markdown/checkpoint.ts';
import { gateSummary } from '../../src/report/github/gate-summary.ts';
import { statusJson } from '../../src/report/json/status-json.ts';
import { statusTable } from '../../src/report/terminal/status-table.ts';
import { verdictText } from '../../src/report/terminal/verdict-text.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';
import { ended, gate, pipelineOf, stateOf } from './fixtures.ts';

const pipeline = pipelineOf([
  gate('data', 0),
  gate('e2e', 1, {
    legs: [
      { id: 'a', matrix: { on: 'a' } },
      { id: 'b', matrix: { on: 'b' } },
    ],
  }),
]);
const why = 'metadata.deploy == \'yes\' is false: metadata.deploy is "no"';
const verdict: Verdict = { status: 'not-applicable', kind: 'not-applicable', score: 0, issues: [], advice: why };
const records = ['', 'a', 'b'].map((leg) => ended(leg === '' ? 'data' : 'e2e', { pipeline, leg }, { verdict }));
const { state, graph } = stateOf(records, { pipeline });
const unit = state.units.get('data')!;

describe('a gate whose condition is false', () => {
  it('has its condition as the reason, and neither score nor attempt in a table', () => {
    const table = statusTable(state, pipeline);
    expect(table).toContain(`data  not-applicable                    ${why}\n`);
    expect(table).toMatch(/^1 +e2e +not-applicable +2 of 2 legs done$/m);
  });

  it('has neither score nor attempt where everything about it is told', () => {
    const texts = [
      verdictText(unit.ended!),
      checkpointMarkdown({ unit: graph.get('data')!, graph, state }),
      gateSummary({ unit: graph.get('data')!, graph, state, records }),
    ];
    for (const text of texts) {
      expect(text).not.toMatch(/attempt|score/i);
      expect(text).toMatch(/metadata.deploy.* is false/);
    }
  });

  it('has neither for programs', () => {
    const [data] = statusJson(state, graph, { groups: [] }).gates;
    expect(data).toMatchObject({ attempts: 0, attempt: null, durationMs: null, reason: why });
    expect(data!.verdict).toMatchObject({ status: 'not-applicable', score: null });
  });
});
