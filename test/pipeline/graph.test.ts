import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cyclesOf } from '../../src/pipeline/cycles.ts';
import { graphOf, type Node } from '../../src/pipeline/graph.ts';

const node = (id: string, ...needs: string[]): Node => ({ id, needs });
const name = (index: number): string => `g${index}`;

/** Any graph of up to 12 gates; `isAcyclic`: needs only point back. */
function graphs(isAcyclic: boolean): fc.Arbitrary<Node[]> {
  const edges = fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 30 });
  return fc.tuple(fc.integer({ min: 1, max: 12 }), edges, fc.boolean()).map(([size, pairs, isReversed]) => {
    const needs = Array.from({ length: size }, () => new Set<string>());
    for (const [a, b] of pairs) {
      if (a < size && b < size && (isAcyclic ? b < a : a !== b)) needs[a]!.add(name(b));
    }
    const nodes = needs.map((set, index) => node(name(index), ...set));
    return isReversed ? nodes.reverse() : nodes;
  });
}

function reachable(nodes: readonly Node[], from: string): Set<string> {
  const needs = new Map(nodes.map((each) => [each.id, each.needs]));
  const found = new Set<string>();
  const walk = (id: string): void => {
    for (const need of needs.get(id)!) {
      if (found.has(need)) continue;
      found.add(need);
      walk(need);
    }
  };
  walk(from);
  return found;
}

describe('graphOf', () => {
  it('orders gates after their needs, otherwise as in the file', () => {
    const graph = graphOf([node('a'), node('b', 'd'), node('c'), node('d', 'a')]);
    expect(graph.order).toEqual(['a', 'd', 'b', 'c']);
    expect(graph.ancestors('b')).toEqual(['a', 'd']);
    expect(graph.descendants('a')).toEqual(['d', 'b']);
    expect(graph.neededBy('a')).toEqual(['d']);
    expect(graph.descendants('b')).toEqual([]);
  });

  it('for any acyclic graph: every need comes first, ancestors are all that is reachable, descendants the reverse', () => {
    fc.assert(
      fc.property(graphs(true), (nodes) => {
        const graph = graphOf(nodes);
        const place = new Map(graph.order.map((id, index) => [id, index]));
        expect(graph.order.toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
        for (const { id, needs } of nodes) {
          for (const need of needs) expect(place.get(need)).toBeLessThan(place.get(id)!);
          expect(new Set(graph.ancestors(id))).toEqual(reachable(nodes, id));
          for (const ancestor of graph.ancestors(id)) expect(graph.descendants(ancestor)).toContain(id);
          for (const descendant of graph.descendants(id)) expect(graph.ancestors(descendant)).toContain(id);
          expect(graph.ancestors(id)).toEqual(graph.order.filter((other) => graph.ancestors(id).includes(other)));
        }
      }),
    );
  });

  it('holds a chain that no recursion would', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => node(name(i), ...(i === 0 ? [] : [name(i - 1)]))).reverse();
    const graph = graphOf(chain);
    expect(graph.order.at(-1)).toBe(name(19_999));
    expect(graph.ancestors(name(19_999))).toHaveLength(19_999);
    expect(cyclesOf(chain)).toEqual([]);
  });

  it.each([
    ['a circle', [node('a', 'b'), node('b', 'a')], 'GRAPH_UNSOUND'],
    ['itself', [node('a', 'a')], 'GRAPH_UNSOUND'],
    ['a need that is no gate', [node('a', 'b')], 'GRAPH_UNSOUND'],
  ])('refuses %s', (_what, nodes, code) => {
    expect(() => graphOf(nodes)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses a question about a gate that is not there', () => {
    expect(() => graphOf([node('a')]).ancestors('b')).toThrow(expect.objectContaining({ code: 'GATE_UNKNOWN' }));
  });
});

describe('cyclesOf', () => {
  it('names each knot once, by its shortest circle, first gate of the file first', () => {
    const nodes = [
      node('a', 'b'),
      node('b', 'c', 'a'),
      node('c', 'a'),
      node('x', 'x', 'gone'),
      node('z', 'y'),
      node('y', 'z'),
    ];
    expect(cyclesOf(nodes)).toEqual([
      { path: ['a', 'b'], size: 3 },
      { path: ['z', 'y'], size: 2 },
    ]);
  });

  it('for any graph: each is a circle of needs, knots do not overlap, and every gate that waits for itself is in one', () => {
    fc.assert(
      fc.property(graphs(false), (nodes) => {
        const needs = new Map(nodes.map((each) => [each.id, each.needs]));
        const cycles = cyclesOf(nodes);
        for (const { path } of cycles) {
          path.forEach((id, index) => expect(needs.get(id)).toContain(path[(index + 1) % path.length]));
          expect(new Set(path).size).toBe(path.length);
        }
        const knot = (id: string): string =>
          nodes
            .flatMap((other) =>
              reachable(nodes, id).has(other.id) && reachable(nodes, other.id).has(id) ? [other.id] : [],
            )
            .join();
        const knots = new Set(nodes.map(({ id }) => knot(id)).filter((text) => text !== ''));
        expect(new Set(cycles.map(({ path }) => knot(path[0]!)))).toEqual(knots);
        expect(cycles).toHaveLength(knots.size);
        expect(cycles.map(({ size }) => size).toSorted((a, b) => a - b)).toEqual(
          [...knots].map((text) => text.split(',').length).toSorted((a, b) => a - b),
        );
        if (knots.size === 0) expect(graphOf(nodes).order).toHaveLength(nodes.length);
      }),
    );
  });

  it('answers for a knot of 1,000 gates that all need each other', () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => name(i));
    expect(cyclesOf(ids.map((id) => node(id, ...ids)))).toEqual([{ path: [name(0), name(1)], size: 1_000 }]);
  });
});
