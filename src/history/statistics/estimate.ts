import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
import type { GatesEntry } from '../entry.ts';
import { gateKey } from '../query.ts';
import { medianOf } from './quantiles.ts';

/** Runs that an estimate is made from: the newest ones. */
export const ESTIMATE_RUNS = 50;

/** The median time of each gate, or leg, in its newest runs, in milliseconds. Reused outputs took no time. */
export function medianTimes(entries: Iterable<GatesEntry>): ReadonlyMap<string, number> {
  const times = new Map<string, number[]>();
  let runs = 0;
  for (const { gates } of entries) {
    for (const outcome of gates) {
      const { attempts, ms, reused } = outcome;
      if (reused || attempts === 0 || ms === undefined) continue;
      const key = gateKey(outcome);
      const own = times.get(key) ?? [];
      times.set(key, own);
      own.push(ms);
    }
    runs += 1;
    if (runs === ESTIMATE_RUNS) break;
  }
  return new Map([...times].map(([key, own]) => [key, medianOf(own)!]));
}

/**
 * How long some gates will take together, in milliseconds: the longest chain of gates that need each other.
 * `undefined`: the time of one of them is not known.
 */
export function estimatedTime(
  graph: UnitGraph,
  willRun: ReadonlySet<UnitKey>,
  medians: ReadonlyMap<string, number>,
): number | undefined {
  const ends = new Map<UnitKey, number>();
  for (const { key, needs } of graph.values()) {
    const own = willRun.has(key) ? medians.get(key) : 0;
    if (own === undefined) return undefined;
    ends.set(key, own + Math.max(0, ...needs.map((need) => ends.get(need) ?? 0)));
  }
  return willRun.size === 0 ? 0 : Math.max(0, ...ends.values());
}
