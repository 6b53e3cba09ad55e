import type { Gate } from '../pipeline.ts';

/** The part of a gate that the search for cycles needs. */
type GateNode = Pick<Gate, 'id' | 'needs'>;

/** A cycle of needs: each gate of `path` needs the next one, and the last needs the first. */
export interface Cycle {
  /** Starts with the gate that comes first in the file. */
  readonly path: readonly string[];
  /** Size of the strongly connected component: at least `path.length`. */
  readonly size: number;
}

/**
 * Maximum number of needs followed in search of a component's shortest cycle; the best cycle found by then is shown.
 */
const SEARCH_BUDGET = 1_000_000;

/**
 * Every group of gates that need each other (a strongly connected component), each with its shortest cycle. Unknown
 * needs, and a gate's need of itself, are left out: they are reported separately.
 */
export function cyclesOf(gates: readonly GateNode[]): Cycle[] {
  const ids = new Set(gates.map((gate) => gate.id));
  const needs = new Map(gates.map((gate) => [gate.id, gate.needs.filter((need) => need !== gate.id && ids.has(need))]));
  const place = new Map([...ids].map((id, index) => [id, index]));
  return stronglyConnected(needs)
    .filter((knot) => knot.length > 1)
    .map((knot) => {
      const path = shortestCircle(
        knot.sort((a, b) => place.get(a)! - place.get(b)!),
        needs,
      );
      const first = path.indexOf(path.reduce((a, b) => (place.get(a)! <= place.get(b)! ? a : b)));
      return { path: [...path.slice(first), ...path.slice(0, first)], size: knot.length };
    })
    .sort((a, b) => place.get(a.path[0]!)! - place.get(b.path[0]!)!);
}

/** Tarjan's algorithm without recursion, for chains of any length. */
function stronglyConnected(needs: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const waiting: string[] = [];
  const isWaiting = new Set<string>();
  const components: string[][] = [];
  const enter = (id: string): { id: string; next: number } => {
    index.set(id, index.size);
    low.set(id, index.get(id)!);
    waiting.push(id);
    isWaiting.add(id);
    return { id, next: 0 };
  };
  const lower = (id: string, to: number): void => void low.set(id, Math.min(low.get(id)!, to));
  const leave = (id: string): void => {
    if (low.get(id) !== index.get(id)) return;
    const component = waiting.splice(waiting.lastIndexOf(id));
    for (const member of component) isWaiting.delete(member);
    components.push(component);
  };
  for (const root of needs.keys()) {
    const stack = index.has(root) ? [] : [enter(root)];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const need = needs.get(top.id)![top.next++];
      if (need === undefined) {
        stack.pop();
        leave(top.id);
        const parent = stack.at(-1);
        if (parent !== undefined) lower(parent.id, low.get(top.id)!);
      } else if (!index.has(need)) {
        stack.push(enter(need));
      } else if (isWaiting.has(need)) {
        lower(top.id, index.get(need)!);
      }
    }
  }
  return components;
}

function shortestCircle(knot: readonly string[], needs: ReadonlyMap<string, readonly string[]>): string[] {
  const inside = new Set(knot);
  let best: string[] = [];
  let budget = SEARCH_BUDGET;
  for (const start of knot) {
    const cameFrom = new Map<string, string>();
    const queue = [start];
    search: for (const id of queue) {
      for (const need of needs.get(id)!) {
        budget -= 1;
        if (need === start) {
          const path = pathTo(id, cameFrom);
          if (best.length === 0 || path.length < best.length) best = path;
          break search;
        }
        if (!inside.has(need) || cameFrom.has(need)) continue;
        cameFrom.set(need, id);
        queue.push(need);
      }
    }
    if (best.length === 2 || budget <= 0) break;
  }
  return best;
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [end];
  for (let id = cameFrom.get(end); id !== undefined; id = cameFrom.get(id)) path.push(id);
  return path.reverse();
}
