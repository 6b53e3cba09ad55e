import { GatelineError } from '../../errors/gateline-error.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { PlannedUnit } from '../../run/plan/plan.ts';
import { isAmong, type Unit } from '../../run/records/unit.ts';
import type { Assignment, Call } from '../call/call.ts';
import type { PreparedUnit } from './prepared-unit.ts';

const NOT_REQUESTED = 'not requested';

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
  return only === undefined || isAmong(only, unit) ? undefined : NOT_REQUESTED;
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

/**
 * What is prepared for a unit, within the limits of the call. An error that keeps a gate from running is none of the
 * call if the gate was not requested.
 */
export function preparedIfAsked(
  assignment: Pick<Assignment, 'only' | 'maxGates'>,
  prepared: PreparedUnit,
  started: ReadonlySet<string>,
): PreparedUnit {
  const { planned, error } = prepared;
  if (error !== undefined && assignment.only !== undefined && !isAmong(assignment.only, planned))
    return { planned: { ...planned, reason: `${NOT_REQUESTED}; it could not run: ${planned.reason}` } };
  const asked = onlyIfAsked(assignment, planned, started);
  return asked === planned ? prepared : { planned: asked };
}

/**
 * The plan of a unit that would run: it does if the budget lets it start.
 * @param how `take`: then its reservation is taken, until it is released. `ask`: nothing is
 */
export async function onlyInBudget(
  { budget }: Pick<Call, 'budget'>,
  unit: Unit,
  prepared: PreparedUnit,
  how: 'take' | 'ask',
): Promise<PreparedUnit> {
  const { planned } = prepared;
  if (planned.choice !== 'run' && planned.choice !== 'wait') return prepared;
  try {
    await budget.prices();
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    return { planned: { ...planned, choice: 'blocked', reason: `${error.code}: ${error.message}` }, error };
  }
  const asked = await budget[how](unit);
  if (asked === undefined) return prepared;
  const { choice, reserves, reason, notices } = asked;
  const about = { ...planned, budget: { choice, reserves } };
  if (choice === 'start') return { ...prepared, planned: { ...about, notices: [...planned.notices, ...notices] } };
  return { planned: { ...about, choice: 'blocked', reason: `${reason}; it would run: ${planned.reason}` } };
}
