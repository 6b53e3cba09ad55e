import { describe, expect, it } from 'vitest';
import stringWidth from 'string-width';
import type { Difference } from '../../../src/run/plan/difference.ts';
import type { Plan, PlanChoice, PlannedUnit } from '../../../src/run/plan/plan.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { differenceText, planTable } from '../../../src/report/terminal/plan-table.ts';
import { planJson, planJsonSchema } from '../../../src/report/json/plan-json.ts';
import { jsonText } from '../../../src/report/json/json-text.ts';
import { expectExample, expectGolden } from '../golden.ts';
import { fingerprintOf, webTests } from '../fixtures.ts';
import { HOSTILE, OBEYED_BY_TERMINALS } from '../hostile.ts';

const graph = unitsOf(webTests);

function planned(gate: string, choice: PlanChoice, reason: string, over: Partial<PlannedUnit> = {}): PlannedUnit {
  return {
    key: gate,
    gate,
    leg: '',
    choice,
    reason,
    fingerprint: fingerprintOf(gate),
    from: undefined,
    differences: [],
    notices: [],
    ...over,
  };
}

function planOf(units: PlannedUnit[], over: Partial<Plan> = {}): Plan {
  return { pipeline: 'web_tests', subject: 'pr-42', runNumber: 3, runAttempt: 2, continues: true, units, ...over };
}

const example = planOf([
  planned('data', 'keep', 'inputs unchanged since attempt 1', { from: { runNumber: 3, runAttempt: 1, n: 1 } }),
  planned('design', 'reuse', 'attempt 1 (run 2)', { from: { runNumber: 2, runAttempt: 1, n: 1 } }),
  planned('dom', 'run', 'files page.html changed', {
    differences: [
      { what: 'file', name: 'page.html', change: 'changed' },
      { what: 'env', name: 'BASE_URL', change: 'added' },
      { what: 'export', name: 'design', change: 'changed' },
      { what: 'command', name: 'run', change: 'changed' },
      { what: 'input', name: 'input', change: 'changed' },
    ],
    notices: ['it declares no inputs, so its inputs are all files that git does not ignore'],
  }),
  planned('pom', 'depends', 'needs what dom will export', { fingerprint: undefined }),
  planned('execute', 'depends', 'needs what pom will export', { fingerprint: undefined }),
  planned('learn', 'blocked', 'its contract cannot be read', { fingerprint: undefined }),
]);

describe('the plan as a table', () => {
  it('says for each gate what will happen and why, and spells every difference out', () => {
    expectGolden('plan.txt', planTable(example, graph), {
      contains: [
        'web_tests for pr-42: continues run 3. 6 gates: 1 kept, 1 reused, 1 to run, 2 not known yet, 1 blocked.',
        /^1 {2}design +reuse +attempt 1 \(run 2\)$/m,
        /^ {4}- file page\.html changed$/m,
        /^ {4}- env BASE_URL added$/m,
        /^ {4}- exports of design changed$/m,
        /^ {4}- key run changed$/m,
        /^ {4}- the input changed$/m,
        /^ {4}note: it declares no inputs/m,
      ],
    });
  });

  it('counts what it does not spell out', () => {
    const differences = Array.from({ length: 25 }, (_, at): Difference => ({
      what: 'file',
      name: `f${at}`,
      change: 'changed',
    }));
    const notices = Array.from({ length: 11 }, (_, at) => `n${at}`);
    const table = planTable(
      planOf([planned('dom', 'run', 'x', { differences, notices })], { continues: false }),
      graph,
    );
    expect(table).toContain('starts run 3');
    expect(table).toContain('- file f19 changed\n      and 5 more differences\n');
    expect(table).toContain('note: n9\n      and 1 more note\n');
  });

  it('has a text for every sort of difference', () => {
    expect(differenceText({ what: 'secret', name: 'TOKEN', change: 'removed' })).toBe('secret TOKEN removed');
    expect(differenceText({ what: 'subject', name: 'subject', change: 'changed' })).toBe('the subject changed');
  });

  it.each(HOSTILE)('obeys nothing in %j and stays within its width', (text) => {
    const unit = planned('dom', 'run', text, {
      differences: [{ what: 'file', name: text, change: 'added' }],
      notices: [text],
    });
    for (const width of [20, 33, 80]) {
      const table = planTable(planOf([unit, planned(text, 'run', '')], { subject: text }), graph, { width });
      expect(table).not.toMatch(OBEYED_BY_TERMINALS);
      expect(Math.max(...table.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
    }
  });
});

describe('the plan as JSON', () => {
  it('keeps to its schema, and to the example in the reference', () => {
    const [data, design, dom] = example.units as [PlannedUnit, PlannedUnit, PlannedUnit];
    const notices = [...dom.notices, 'reserves USD 0.40: its own budget'];
    const budget = { choice: 'start', reserves: { amount: { dollars: 0.4 }, from: 'budget' } } as const;
    const view = planJson(planOf([data, design, { ...dom, notices, budget }]));
    expect(planJsonSchema.parse(view)).toEqual(view);
    const short = {
      ...view,
      gates: view.gates.slice(1).map((gate) => ({ ...gate, differences: gate.differences.slice(0, 1) })),
    };
    expectExample('json-output.md', 'plan', jsonText(short), {
      contains: ['"format": "gateline-plan/1"', '"choice": "reuse"', '"name": "page.html"'],
    });
  });

  it('has null for what cannot be known yet', () => {
    expect(planJson(example).gates[3]).toMatchObject({
      choice: 'depends',
      fingerprint: null,
      from: null,
      differences: [],
    });
  });

  it('has every field of a plan and none that the schema does not know', () => {
    expect(planJsonSchema.safeParse({ ...planJson(example), extra: 1 }).success).toBe(false);
    const { gates: _gates, ...without } = planJson(example);
    expect(planJsonSchema.safeParse(without).success).toBe(false);
  });
});
