import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import type { PreparedUnit } from './prepared-unit.ts';

/**
 * The plan of a unit that would run: it does if the budget allows that, and then its reservation is taken. `waits`: it
 * may still run when others have ended.
 */
export function onlyInBudget(
  call: Pick<Call, 'budget'>,
  unit: Unit,
  prepared: PreparedUnit,
): PreparedUnit & { readonly waits?: boolean } {
  const { planned } = prepared;
  if (planned.choice !== 'run') return prepared;
  const { choice, reason, notice } = call.budget.take(unit);
  if (choice === 'start') {
    if (notice === undefined) return prepared;
    return { ...prepared, planned: { ...planned, notices: [...planned.notices, notice] } };
  }
  const why = `${reason}; it would run: ${planned.reason}`;
  return { planned: { ...planned, choice: 'blocked', reason: why, blockedBy: 'budget' }, waits: choice === 'wait' };
}
