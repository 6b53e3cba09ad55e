import type { UnitKey } from '../pipeline/pipeline.ts';
import type { Unit } from '../run/records/unit.ts';
import type { Call } from './call/call.ts';

/** Whether there is room for another attempt beside those that run. One in the user's folder runs alone. */
export function hasRoom(
  { assignment, graph }: Pick<Call, 'assignment' | 'graph'>,
  { gate }: Unit,
  running: ReadonlyMap<UnitKey, unknown>,
): boolean {
  if (running.size >= assignment.pipeline.maxParallel) return false;
  if (running.size > 0 && gate.workspace === 'in-place') return false;
  let siblings = 0;
  for (const key of running.keys()) {
    const other = graph.get(key)!.gate;
    if (other.workspace === 'in-place') return false;
    if (other.id === gate.id) siblings += 1;
  }
  return siblings < (gate.legsMaxParallel ?? Infinity);
}
