import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { RunState, UnitStatus } from '../state/run-state.ts';
import { unitsNamed } from '../records/named-units.ts';
import { descendantsOf, type Unit, type UnitGraph } from '../records/unit.ts';

/**
 * How a run that stopped is resumed (seed 004):
 * - `retry-current`: failed gates run again
 * - `retry-previous`: the direct needs of failed gates run again, then the failed gates. One that needs nothing runs
 *   again itself. Loops continue where they are
 * - `skip-current`: failed gates are skipped
 * - `from-checkpoint`: a gate and everything downstream run again
 */
export const STRATEGIES = ['retry-current', 'retry-previous', 'skip-current', 'from-checkpoint'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** A decision that a strategy makes about a unit. */
export interface StrategyStep {
  readonly unit: Unit;
  readonly decision: 'force' | 'skip';
  /** A loop that sends work back to the unit continues, instead of beginning anew. */
  readonly keepsIterations?: true;
}

const STOPPED: ReadonlySet<UnitStatus> = new Set(['failed', 'lost', 'partial', 'paused']);

/** Units that stopped the run: their last attempt ended, and later gates cannot use it. */
export function stoppedUnits({ units }: Pick<RunState, 'units'>): UnitKey[] {
  return [...units.values()].filter(({ done, status }) => !done && STOPPED.has(status)).map(({ key }) => key);
}

/**
 * The decisions by which a strategy resumes a run. Empty for `retry-current`, and if nothing failed.
 * @param from names of gates or legs, for `from-checkpoint`
 */
export function strategySteps(
  strategy: Strategy,
  graph: UnitGraph,
  state: Pick<RunState, 'units'>,
  from: readonly string[] = [],
): StrategyStep[] {
  const steps = (keys: Iterable<UnitKey>, decision: StrategyStep['decision']): StrategyStep[] => {
    const chosen = new Set(keys);
    return [...graph.values()].filter(({ key }) => chosen.has(key)).map((unit) => ({ unit, decision }));
  };
  const stopped = stoppedUnits(state);
  switch (strategy) {
    case 'retry-current':
      return [];
    case 'skip-current':
      return steps(stopped, 'skip');
    case 'retry-previous':
      return steps(
        stopped.flatMap((key) => {
          const { needs } = graph.get(key)!;
          return needs.length === 0 ? [key] : needs.filter((need) => state.units.get(need)!.done);
        }),
        'force',
      ).map((step) => ({ ...step, keepsIterations: true }));
    case 'from-checkpoint': {
      const first = unitsNamed(graph, from).map(({ key }) => key);
      return steps(
        first.flatMap((key) => [key, ...descendantsOf(graph, key)]),
        'force',
      );
    }
  }
}
