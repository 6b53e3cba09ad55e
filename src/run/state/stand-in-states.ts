import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { UnitGraph } from '../records/unit.ts';
import { resultOf, type RunState, type UnitState } from './run-state.ts';

/** Marks units that are not done, and whose place something from outside took for a unit that needs them. */
export function withStandIns(units: ReadonlyMap<UnitKey, UnitState>): ReadonlyMap<UnitKey, UnitState> {
  const marked = new Map<UnitKey, UnitState>();
  for (const unit of units.values()) {
    for (const [key, standIn] of Object.entries(resultOf(unit)?.standIns ?? {})) {
      const need = units.get(key);
      if (need?.done !== false) continue;
      const known = marked.get(key)?.standIns ?? [];
      marked.set(key, { ...need, standIns: new Set([...known, standIn].toSorted()) });
    }
  }
  return marked.size === 0 ? units : new Map([...units].map(([key, unit]) => [key, marked.get(key) ?? unit]));
}

/**
 * Units that are not done and that a report accepts all the same: those of the given gates whose place something took,
 * or which only such units need; and units that passed with what took the place of those.
 */
export function acceptedWithStandIns(
  { units }: Pick<RunState, 'units'>,
  graph: UnitGraph,
  gates: ReadonlySet<string>,
): ReadonlySet<UnitKey> {
  const accepted = new Set<UnitKey>();
  const all = [...graph.values()];
  // Downstream first: a unit that nobody received from is accepted if all that need it are.
  for (const { key, gate } of all.toReversed()) {
    const unit = units.get(key);
    const others = all.filter(({ needs }) => needs.includes(key));
    const isReplaced =
      unit?.standIns !== undefined || (others.length > 0 && others.every((one) => accepted.has(one.key)));
    if (unit?.done === false && unit.unread === undefined && gates.has(gate.id) && isReplaced) accepted.add(key);
  }
  for (const { key, needs } of all) {
    const unit = units.get(key);
    const isWell = unit?.done === false && unit.status === 'passed';
    if (isWell && needs.every((need) => accepted.has(need) || units.get(need)?.done === true)) accepted.add(key);
  }
  return accepted;
}
