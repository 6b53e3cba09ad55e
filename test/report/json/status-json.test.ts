import { describe, expect, it } from 'vitest';
import { jsonText } from '../../../src/report/json/json-text.ts';
import { statusJson, statusJsonSchema } from '../../../src/report/json/status-json.ts';
import { groupStates } from '../../../src/run/state/group-states.ts';
import { expectExample } from '../golden.ts';
import { decided, failedRun, fingerprintOf, ran, reviewed, started, stateOf } from '../fixtures.ts';
import { CONTROLS, HOSTILE } from '../hostile.ts';

describe('the status as JSON', () => {
  it('keeps to its schema, and to the example in the reference', () => {
    const { state, graph } = failedRun();
    const view = statusJson(state, graph, { groups: [], file: 'gateline.yml' });
    expect(statusJsonSchema.parse(view)).toEqual(view);
    const [, , dom, pom, execute] = view.gates;
    expect(execute).toMatchObject({
      key: 'execute',
      number: 4,
      agent: 'ExecutionEngine',
      status: 'failed',
      done: false,
      durationMs: 12_500,
    });
    expect(execute?.verdict).toMatchObject({ kind: 'check', score: 60, threshold: 80 });
    expect(pom?.files).toEqual([
      { path: 'tests/pages/registration.ts', change: 'added' },
      { path: 'tests/old.ts', change: 'deleted' },
    ]);
    expect(dom?.metrics).toMatchObject({ inputTokens: 1200, mcps: ['playwright', 'memory'] });
    const shown = { ...view, gates: view.gates.filter((gate) => gate.key === 'design' || gate.key === 'execute') };
    expectExample('json-output.md', 'status', jsonText(shown), {
      contains: ['"format": "gateline-status/1"', '"status": "error"', '"kind": "check"', '"source": {'],
    });
  });

  it('has the state of each group', () => {
    const where = { pipeline: reviewed };
    const { state, graph } = stateOf([...ran('build', where), ...ran('style', where)], where);
    const view = statusJson(state, graph, { groups: reviewed.groups });
    expect(view.groups).toEqual(groupStates(state, reviewed.groups));
    expect(view.groups).toHaveLength(1);
    expect(statusJsonSchema.parse(view)).toEqual(view);
  });

  it('has null for what there is not', () => {
    const { state, graph } = stateOf([]);
    const view = statusJson(state, graph, { groups: [] });
    expect(view).toMatchObject({ run: 0, status: 'initializing', startedAt: null });
    expect(view.gates[0]).toMatchObject({
      status: 'ready',
      verdict: null,
      attempt: null,
      output: null,
      exports: null,
      decision: null,
      fingerprint: null,
    });
    expect(statusJsonSchema.parse(view)).toEqual(view);
  });

  it('tells of an attempt under way, of a decision and of a problem', () => {
    const problems = [{ code: 'CORRUPT' as const, where: 'x.json', message: 'not JSON' }];
    const { state, graph } = stateOf(
      [started('data'), decided('design', {}, { until: '2027-01-01T00:00:00.000Z' }), ...ran('nobody')],
      { problems },
    );
    const view = statusJson(state, graph, { groups: [] });
    expect(view.gates[0]).toMatchObject({
      status: 'running',
      attempt: { run: 1, call: 1, attempt: 1 },
      fingerprint: fingerprintOf('data'),
      verdict: null,
    });
    expect(view.gates[1]?.decision).toEqual({
      decision: 'skip',
      actor: 'octocat',
      reason: 'not today',
      at: '2026-01-02T03:00:30.000Z',
      until: '2027-01-01T00:00:00.000Z',
    });
    expect(view.problems.map(({ code, gate }) => [code, gate])).toEqual([
      ['UNKNOWN_UNIT', 'nobody'],
      ['UNREADABLE_RECORD', null],
    ]);
    expect(statusJsonSchema.parse(view)).toEqual(view);
  });

  it('refuses what the schema does not know', () => {
    const { state, graph } = failedRun();
    expect(statusJsonSchema.safeParse({ ...statusJson(state, graph, { groups: [] }), units: [] }).success).toBe(false);
    expect(
      statusJsonSchema.safeParse({ ...statusJson(state, graph, { groups: [] }), format: 'gateline-status/2' }).success,
    ).toBe(false);
  });

  it.each(HOSTILE)('loses nothing of %j, and obeys nothing', (text) => {
    const verdict = {
      status: 'failed',
      kind: 'schema',
      score: 0,
      advice: text,
      issues: [{ severity: 'error', message: text, pointer: text, rule: text }],
    } as const;
    const { state, graph } = stateOf(
      ran('data', { subject: text }, { verdict: { ...verdict, issues: [...verdict.issues] } }),
      { subject: text },
    );
    const view = statusJson(state, graph, { groups: [] });
    const printed = jsonText(view);
    expect(JSON.parse(printed)).toEqual(view);
    expect(printed).not.toMatch(CONTROLS);
  });
});
