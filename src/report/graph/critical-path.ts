import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { durationOf } from '../wording.ts';
import { stepsOf } from './steps.ts';

/** The chain of gates that a run cannot be faster than. */
export interface CriticalPath {
  /** Ids, the first gate first. */
  readonly gates: readonly string[];
  /** How long they take one after the other. `undefined`: the time of none of them is known. */
  readonly milliseconds: number | undefined;
}

/**
 * The chain with the longest time: of a gate the time of its slowest leg, for a reused output the time of the attempt
 * that made it. A gate whose time is not known takes none. Where no time is known, the chain with the most gates; of
 * equal chains the one that comes first in the file.
 */
export function criticalPath({ gates }: Pick<Pipeline, 'gates'>, state: RunState): CriticalPath {
  const times = timesOf(state);
  const isTimed = gates.some(({ id }) => times.has(id));
  const best = new Map<string, { readonly length: number; readonly gates: readonly string[] }>();
  for (const { id, needs } of stepsOf(gates).flat()) {
    const own = isTimed ? (times.get(id) ?? 0) : 1;
    const before = needs.map((need) => best.get(need)!).reduce(longer, { length: 0, gates: [] });
    best.set(id, { length: before.length + own, gates: [...before.gates, id] });
  }
  const { length, gates: path } = gates
    .flatMap(({ id }) => best.get(id) ?? [])
    .reduce(longer, { length: 0, gates: [] });
  return { gates: path, milliseconds: isTimed ? length : undefined };
}

function longer<T extends { readonly length: number; readonly gates: readonly string[] }>(a: T, b: T): T {
  return b.length > a.length || (b.length === a.length && b.gates.length > a.gates.length) ? b : a;
}

/** Milliseconds by gate. */
function timesOf({ units }: RunState): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const unit of units.values()) {
    const own = unit.ended?.savedMs ?? durationOf(unit);
    if (own !== undefined) times.set(unit.gate, Math.max(times.get(unit.gate) ?? 0, own));
  }
  return times;
}
