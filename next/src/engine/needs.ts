import type { UnitKey } from '../pipeline/pipeline.ts';
import type { Unit } from '../run/units.ts';
import type { Call, Outcome } from './call.ts';
import type { Needs } from './request.ts';

/** Whether all units of a gate are done in this call. */
export function isDone({ graph, outcomes }: Call, gate: string): boolean {
  return graph.unitsOf(gate)?.every(({ key }) => outcomes.get(key)?.result === 'done') ?? false;
}

/** What the needs of a unit have for it; undefined: one of them is not done in this call. */
export function needsOf(call: Call, { gate }: Unit): Needs | undefined {
  const needs = new Map<UnitKey, Outcome>();
  for (const id of gate.needs) {
    if (!isDone(call, id)) return undefined;
    for (const { key } of call.graph.unitsOf(id)!) needs.set(key, call.outcomes.get(key)!);
  }
  return needs;
}
