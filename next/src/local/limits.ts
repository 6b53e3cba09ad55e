import type { Order } from '../engine/ports.ts';
import type { Pipeline, UnitKey } from '../pipeline/pipeline.ts';
import { UnitGraph } from '../run/units.ts';

/** What a call works on, and how much at a time. */
export interface Limits {
  /** These gates and what they need. */
  readonly until?: readonly string[];
  /** Only these gates; what they need must be done, or have a stand-in. */
  readonly only?: readonly string[];
  readonly maxParallel?: number;
  readonly maxIterations?: number;
}

/** @throws GatelineError `usage` naming a gate that the pipeline does not have */
export function limitOrder(order: Order, { until, only, maxParallel, maxIterations }: Limits): Order {
  const { pipeline } = order;
  const graph = new UnitGraph(pipeline);
  for (const id of [...(until ?? []), ...(only ?? [])]) graph.requireGate(id);
  const gates = only ?? until?.flatMap((id) => [id, ...graph.ancestors(id)]);
  return { ...order, ...(gates && { only: new Set(gates) }), maxParallel, maxIterations };
}

/** @throws GatelineError `usage` naming the unit that was meant */
export function assertUnit(pipeline: Pipeline, key: UnitKey): void {
  new UnitGraph(pipeline).requireUnit(key);
}
