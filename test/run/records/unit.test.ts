import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ancestorsOf, unitsOf } from '../../../src/run/records/unit.ts';
import { pipelines } from '../../support/arbitrary-history.ts';
import { pipelineOf } from '../../support/pipelines.ts';

const LEGS = ['x', 'y'].map((id) => ({ id, matrix: { id } }));

describe('the units of a pipeline', () => {
  it('are its gates, each after those it needs, in the order of the file otherwise', () => {
    const graph = unitsOf(
      pipelineOf({ d: { needs: ['b', 'c'] }, c: { needs: ['a'] }, a: {}, b: { needs: ['a'] }, e: {} }),
    );
    expect([...graph.keys()]).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('are one a leg; who needs a matrix gate needs every leg', () => {
    const graph = unitsOf(pipelineOf({ a: {}, m: { needs: ['a'], legs: LEGS }, z: { needs: ['m'] } }));
    expect([...graph].map(([key, { needs }]) => [key, needs])).toEqual([
      ['a', []],
      ['m/x', ['a']],
      ['m/y', ['a']],
      ['z', ['m/x', 'm/y']],
    ]);
    expect(graph.get('m/y')!.leg.matrix).toEqual({ id: 'y' });
  });

  it('come out of very long chains', () => {
    const gates = Array.from(
      { length: 20_000 },
      (_, index) => [`g${index}`, { needs: index === 0 ? [] : [`g${index - 1}`] }] as const,
    );
    const graph = unitsOf(pipelineOf(Object.fromEntries(gates.toReversed())));
    expect([...graph.keys()].slice(0, 3)).toEqual(['g0', 'g1', 'g2']);
    expect(ancestorsOf(graph, 'g19999').length).toBe(19_999);
  });

  it('are all there, once, after what they need, with all that is upstream', () => {
    fc.assert(
      fc.property(pipelines(8), (pipeline) => {
        const graph = unitsOf(pipeline);
        const order = [...graph.keys()];
        expect(order.length).toBe(pipeline.gates.reduce((sum, gate) => sum + gate.legs.length, 0));
        for (const [key, unit] of graph) {
          for (const need of unit.needs) expect(order.indexOf(need)).toBeLessThan(order.indexOf(key));
          const upstream = new Set(unit.needs.flatMap((need) => [need, ...ancestorsOf(graph, need)]));
          expect(ancestorsOf(graph, key)).toEqual(order.filter((one) => upstream.has(one)));
        }
      }),
    );
  });
});

describe('what is upstream', () => {
  it('is in the order of the graph, and nothing for a unit that there is not', () => {
    const graph = unitsOf(pipelineOf({ a: {}, b: { needs: ['a'] }, c: { needs: ['a'] }, d: { needs: ['c', 'b'] } }));
    expect(ancestorsOf(graph, 'd')).toEqual(['a', 'b', 'c']);
    expect(ancestorsOf(graph, 'a')).toEqual([]);
    expect(ancestorsOf(graph, 'nothing')).toEqual([]);
  });
});
