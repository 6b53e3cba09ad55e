import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
import { resultOf, type UnitState } from '../../run/state/run-state.ts';
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
  return longestChain(graph, (key) => (willRun.has(key) ? medians.get(key) : 0));
}

/**
 * How much longer a run that works will take, in milliseconds, if each gate takes the median of its earlier times and
 * none fails. What cannot start any more, since what it needs has failed or waits for somebody, takes no time.
 * `undefined`: the time of a gate is not known.
 * @param now milliseconds since 1970
 */
export function timeLeft(
  graph: UnitGraph,
  units: ReadonlyMap<UnitKey, UnitState>,
  medians: ReadonlyMap<string, number>,
  now: number,
): number | undefined {
  const stopped = new Set<UnitKey>();
  return longestChain(graph, (key, needs) => {
    const unit = units.get(key);
    if (unit === undefined || unit.done) return 0;
    const median = medians.get(key);
    if (unit.status === 'running') {
      const since = unit.started === undefined ? now : Date.parse(unit.started.at);
      return median && Math.max(0, median - (now - since));
    }
    const isStopped = resultOf(unit) !== undefined || needs.some((need) => stopped.has(need));
    if (isStopped) stopped.add(key);
    return isStopped ? 0 : median;
  });
}

/** @param own time of one unit, called in the order of the graph: units come after what they need */
function longestChain(
  graph: UnitGraph,
  own: (key: UnitKey, needs: readonly UnitKey[]) => number | undefined,
): number | undefined {
  const ends = new Map<UnitKey, number>();
  for (const { key, needs } of graph.values()) {
    const time = own(key, needs);
    if (time === undefined) return undefined;
    ends.set(key, time + Math.max(0, ...needs.map((need) => ends.get(need) ?? 0)));
  }
  return Math.max(0, ...ends.values());
}
