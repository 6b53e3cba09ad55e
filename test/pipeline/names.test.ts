import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ancestorsOf, orderByNeeds } from '../../src/pipeline/graph.ts';
import { ID_PATTERN } from '../../src/pipeline/pipeline.ts';
import { gateIdFrom } from '../../src/pipeline/slug.ts';

describe('the gate id for a job id', () => {
  it.each([
    ['design', 'design'],
    ['runTests', 'run-tests'],
    ['Run E2E tests!', 'run-e2-e-tests'],
    ['2nd', '_2nd'],
    ['HTTPServer', 'httpserver'],
  ])('%s is %s', (name, id) => {
    expect(gateIdFrom(name)).toBe(id);
  });

  it('is valid for any name, and different for different long names', () => {
    fc.assert(fc.property(fc.string(), (name) => ID_PATTERN.test(gateIdFrom(name))));
    const long = 'build-and-test-the-web-application-in-all-browsers';
    expect(gateIdFrom(`${long}-1`)).not.toBe(gateIdFrom(`${long}-2`));
  });
});

describe('a graph', () => {
  const node = (id: string, ...needs: string[]) => ({ id, needs });

  it('is sorted by needs, otherwise in its own order', () => {
    const nodes = [node('d', 'b', 'gone'), node('a'), node('b', 'c'), node('c')];
    const result = orderByNeeds(nodes);
    expect('order' in result && result.order.map(({ id }) => id)).toEqual(['c', 'b', 'd', 'a']);
    expect([...ancestorsOf(nodes, 'd')]).toEqual(['b', 'c']);
  });

  it('has every node after its needs, or reports a real circle', () => {
    const graph = fc
      .array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 1, maxLength: 10 })
      .map((lists) => lists.map((needs, index) => node(`${index}`, ...needs.map(String))));
    fc.assert(
      fc.property(graph, (nodes) => {
        const result = orderByNeeds(nodes);
        const needs = new Map(nodes.map((each) => [each.id, each.needs]));
        if ('cycle' in result) {
          const next = (index: number) => result.cycle[(index + 1) % result.cycle.length]!;
          expect(result.cycle.length).toBeGreaterThan(1);
          result.cycle.forEach((id, index) => expect(needs.get(id)).toContain(next(index)));
        } else {
          const position = new Map(result.order.map(({ id }, index) => [id, index]));
          expect(position.size).toBe(nodes.length);
          for (const { id } of nodes)
            for (const ancestor of ancestorsOf(nodes, id)) {
              if (ancestor !== id) expect(position.get(ancestor)).toBeLessThan(position.get(id)!);
            }
        }
      }),
    );
  });
});
