import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { PlannedUnit } from '../../run/plan/plan.ts';
import { isAmong } from '../../run/records/unit.ts';
import type { Assignment } from '../call/call.ts';

/**
 * Why a call leaves a gate alone that it could run: it was not requested, or as many as requested have started.
 * `undefined`: it may run.
 * @param started ids of the gates that this call has started
 */
export function notAsked(
  { only, maxGates = Infinity }: Pick<Assignment, 'only' | 'maxGates'>,
  unit: { readonly key: UnitKey; readonly gate: string },
  started: ReadonlySet<string>,
): string | undefined {
  if (!started.has(unit.gate) && started.size >= maxGates)
    return `${maxGates} ${maxGates === 1 ? 'gate has' : 'gates have'} run, as requested`;
  return only === undefined || isAmong(only, unit) ? undefined : 'not requested';
}

/** The plan of a gate that would run if the call were not limited: it runs, or is blocked by the limit. */
export function onlyIfAsked(
  assignment: Pick<Assignment, 'only' | 'maxGates'>,
  planned: PlannedUnit,
  started: ReadonlySet<string>,
): PlannedUnit {
  if (planned.choice !== 'run' && planned.choice !== 'wait') return planned;
  const why = notAsked(assignment, planned, started);
  if (why === undefined) return planned;
  return { ...planned, choice: 'blocked', reason: `${why}; it would run: ${planned.reason}` };
}
