import { expect, it } from 'vitest';
import { criticalPath } from '../../src/report/graph/critical-path.ts';
import { graphSvg } from '../../src/report/graph/graph-svg.ts';
import { graphTable } from '../../src/report/terminal/graph-table.ts';
import { mermaidGraph } from '../../src/report/graph/mermaid.ts';
import { stepsOf } from '../../src/report/graph/steps.ts';
import type { GatelineRecord } from '../../src/run/records/record.ts';
import type { RunState } from '../../src/run/state/run-state.ts';
import { gate, pipelineOf, ran, started, stateOf } from './fixtures.ts';

/** Two chains from `plan` to `merge`: the one with fewer gates takes longer. */
const pipeline = pipelineOf([
  gate('plan', 0),
  gate('merge', 1, { needs: ['docs', 'test'] }),
  gate('code', 2, { needs: ['plan'] }),
  gate('test', 3, { needs: ['code'] }),
  gate('docs', 4, { needs: ['plan'] }),
]);

const stateAfter = (...records: GatelineRecord[]): RunState => stateOf(records, { pipeline }).state;
const idle = stateAfter();

it('a step holds the gates whose needs are in earlier steps, in the order of the file', () => {
  const steps = stepsOf(pipeline.gates).map((step) => step.map(({ id }) => id));
  expect(steps).toEqual([['plan'], ['code', 'docs'], ['test'], ['merge']]);
});

it('a gate in a circle has no step', () => {
  expect(stepsOf([gate('a', 0), gate('b', 1, { needs: ['c'] }), gate('c', 2, { needs: ['b'] })])).toHaveLength(1);
});

it('before any run the critical path is the chain with the most gates', () => {
  expect(criticalPath(pipeline, idle)).toEqual({ gates: ['plan', 'code', 'test', 'merge'], milliseconds: undefined });
});

it('after a run it is the chain that took longest', () => {
  const slow = { at: '2026-01-02T03:01:30.000Z' };
  const records = ['plan', 'code', 'docs'].flatMap((key) => ran(key, { pipeline }, key === 'docs' ? slow : {}));
  const path = criticalPath(pipeline, stateAfter(...records));
  expect(path).toEqual({ gates: ['plan', 'docs', 'merge'], milliseconds: 102_500 });
  expect(graphTable(pipeline, stateAfter(...records), path)).toBe(
    [
      'step     gate   status   time    needs',
      '1     *  plan   passed   13s',
      '2        code   passed   13s     plan',
      '2     *  docs   passed   1m 30s  plan',
      '3        test   ready            code',
      '4     *  merge  pending          docs, test',
      '',
      'Critical path: plan, docs, merge (1m 43s).',
      '',
    ].join('\n'),
  );
});

it('is drawn by thick borders', () => {
  const text = mermaidGraph(pipeline, idle, ['plan', 'docs']);
  expect(text).toContain('style n0 stroke-width:4px');
  expect(text).toContain('style n4 stroke-width:4px');
  expect(text).not.toContain('style n2 stroke-width');
});

it('a picture has a box for each gate and an arrow for each need, and nothing that runs or is loaded', () => {
  const state = stateAfter(started('plan', { pipeline }));
  const svg = graphSvg(pipeline, state, criticalPath(pipeline, state));
  expect(svg.match(/<rect /g)).toHaveLength(5);
  expect(svg.match(/<path /g)).toHaveLength(5);
  expect(svg).toContain('<title>plan: running</title>');
  expect(svg).not.toMatch(/<script|href|url\(|\bon\w+=/);
});
