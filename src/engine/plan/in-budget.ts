import { GatelineError } from '../../errors/gateline-error.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import type { PreparedUnit } from './prepared-unit.ts';

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
