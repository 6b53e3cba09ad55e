import { expect, it } from 'vitest';
import { UnitGraph, worksByItself } from '../../src/run/units.ts';
import { createGate, createLegs, createPipeline } from '../support/pipelines.ts';

const from = { gate: 'plan', pointer: '/legs', variable: 'leg' };
const matrix = { failFast: false, maxParallel: undefined };
const graph = new UnitGraph(
  createPipeline([
    { id: 'report', needs: ['test', 'pages'] },
    { id: 'plan' },
    { id: 'test', needs: ['plan'], matrix: { ...matrix, legs: createLegs('a', 'b') } },
    { id: 'pages', needs: ['plan'], matrix: { ...matrix, from } },
  ]),
);

it.each([
  ['tset', 'the pipeline has no gate tset', 'did you mean `test`?'],
  ['xyz', 'the pipeline has no gate xyz', 'It has report, plan, test, pages.'],
  ['test/c', 'gate test has no leg c', 'test/a, test/b'],
  ['plan/c', 'gate plan has no leg c', 'plan'],
  ['pages', 'pages has legs: name one of them', '`gateline status` shows them'],
])('a unit %s that does not exist is refused, with those that do', (key, message, hint) => {
  expect(() => graph.requireUnit(key)).toThrow(expect.objectContaining({ fault: 'usage', message, hint }) as Error);
});

it('a unit is found by its key, also a leg that is not known yet', () => {
  expect(graph.requireUnit('test/b')).toMatchObject({ key: 'test/b', leg: { id: 'b', matrix: { leg: 'b' } } });
  expect(graph.requireUnit('pages/x')).toMatchObject({ key: 'pages/x', leg: { id: 'x', matrix: {} } });
  expect(graph.unitsNamed('test').map(({ key }) => key)).toEqual(['test/a', 'test/b']);
  expect(graph.unitsNamed('plan').map(({ key }) => key)).toEqual(['plan']);
  expect(graph.unit('none')).toBeUndefined();
});

it('gates come after those that they need, and legs join their gate when they are known', () => {
  expect(graph.gatesByNeeds.map(({ id }) => id)).toEqual(['plan', 'test', 'pages', 'report']);
  expect([...graph.ancestors('report')].sort()).toEqual(['pages', 'plan', 'test']);
  const [report, plan] = [graph.requireUnit('report'), graph.requireUnit('plan')];
  expect([graph.needs(report, plan), graph.needs(plan, report), graph.needs(plan, plan)]).toEqual([true, false, false]);
  expect(graph.matricesFrom('plan').map(({ id }) => id)).toEqual(['pages']);
  expect(graph.matricesFrom('test')).toEqual([]);
  expect(graph.units.map(({ key }) => key)).toEqual(['report', 'plan', 'test/a', 'test/b']);
  graph.setLegs(graph.gate('pages')!, createLegs('x'));
  expect(graph.units.map(({ key }) => key).at(-1)).toBe('pages/x');
});

it('an agent works by itself if the gate has no command', () => {
  expect(worksByItself(createGate({ id: 'a' }))).toBe(false);
  expect(worksByItself(createGate({ id: 'a', run: undefined }))).toBe(true);
});
