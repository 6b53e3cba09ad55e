import { GatelineError } from '../errors/gateline-error.ts';
import type { Gate } from './pipeline.ts';

/** What a graph needs to know of a gate. */
export type Node = Pick<Gate, 'id' | 'needs'>;

/** The gates of a pipeline and what depends on what. Every answer takes time linear in gates and needs. */
export interface GateGraph {
  /** All gate ids, each after those it needs; otherwise in file order. */
  readonly order: readonly string[];
  /** Gates that must be satisfied before this one, directly or not, in {@link GateGraph.order}. */
  ancestors(gate: string): readonly string[];
  /** Gates that this one comes before, directly or not, in {@link GateGraph.order}. */
  descendants(gate: string): readonly string[];
  /** Gates that name this one in their `needs`, in {@link GateGraph.order}. */
  neededBy(gate: string): readonly string[];
}

/**
 * The graph of a checked pipeline's gates.
 * @throws GatelineError `GRAPH_UNSOUND` when needs name no gate or go round in a circle, which `parsePipeline`
 * never lets through; `GATE_UNKNOWN` when asked about a gate that is not there.
 */
export function graphOf(gates: readonly Node[]): GateGraph {
  const needs = new Map(gates.map((gate) => [gate.id, gate.needs]));
  const order = topologicalOrder(gates, needs);
  const dependents = new Map<string, string[]>(order.map((id) => [id, []]));
  for (const id of order) for (const need of needs.get(id)!) dependents.get(need)!.push(id);

  const reach = (from: string, next: ReadonlyMap<string, readonly string[]>): string[] => {
    if (!needs.has(from)) throw new GatelineError('user', 'GATE_UNKNOWN', `no such gate: \`${from}\``);
    const found = new Set<string>();
    const open = [from];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const other of next.get(id)!) {
        if (found.has(other)) continue;
        found.add(other);
        open.push(other);
      }
    }
    return order.filter((id) => found.has(id));
  };
  return {
    order,
    ancestors: (gate) => reach(gate, needs),
    descendants: (gate) => reach(gate, dependents),
    neededBy: (gate) => dependents.get(gate) ?? [],
  };
}

function topologicalOrder(gates: readonly Node[], needs: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const open = new Set<string>();
  for (const gate of gates) {
    const stack = [{ id: gate.id, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      open.add(top.id);
      const wanted = needs.get(top.id);
      if (wanted === undefined) throw unsound(`\`${top.id}\` is needed and is no gate`);
      const need = wanted[top.next++];
      if (need === undefined) {
        open.delete(top.id);
        done.add(top.id);
        stack.pop();
      } else if (open.has(need)) {
        throw unsound(`\`${top.id}\` needs \`${need}\`, which comes after it`);
      } else if (!done.has(need)) {
        stack.push({ id: need, next: 0 });
      }
    }
  }
  return [...done];
}

function unsound(message: string): GatelineError {
  return new GatelineError('gateline', 'GRAPH_UNSOUND', message, {
    hint: 'make pipelines with parsePipeline, which refuses such a graph',
  });
}
