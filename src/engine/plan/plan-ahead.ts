import type { UnitKey } from '../../pipeline/pipeline.ts';
import { askedAgain, rulingOn, VOIDING } from '../../run/records/decisions.ts';
import { dependsOn, plannedUnit, type PlannedUnit } from '../../run/plan/plan.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import { notAsked, onlyIfAsked } from './as-asked.ts';

/**
 * The plan of a unit before its needs have run: it runs if a decision rules out every earlier output, whatever its
 * needs export.
 * @param waits needs whose results are not known yet
 * @param started ids of the gates that run before it
 */
export function planAhead(
  call: Pick<Call, 'journal' | 'assignment' | 'ports'>,
  unit: Unit,
  waits: readonly UnitKey[],
  started: ReadonlySet<string>,
): PlannedUnit {
  const forced = forcedBy(call, unit);
  if (forced !== undefined) {
    const choice = unit.gate.run === undefined ? 'wait' : 'run';
    return onlyIfAsked(call.assignment, plannedUnit(unit, choice, forced), started);
  }
  const planned = dependsOn(unit, waits);
  const why = notAsked(call.assignment, planned, started);
  return why === undefined ? planned : { ...planned, choice: 'blocked', reason: `${why}; ${planned.reason}` };
}

/** Which decision makes the unit run again, and why. `undefined`: none, or its `if` may still skip it. */
function forcedBy({ journal, assignment, ports }: Pick<Call, 'journal' | 'assignment' | 'ports'>, unit: Unit) {
  const { status } = journal.state().units.get(unit.key)!;
  if (unit.gate.if !== undefined || status === 'skipped' || status === 'running') return undefined;
  if (assignment.keep?.gates.has(unit.gate.id)) return undefined;
  const { ended, decisions } = journal.archive();
  const by = decisions
    .get(unit.key)
    ?.decided.findLast(
      ({ decision, rework, fingerprint }) => VOIDING.has(decision) && rework === undefined && fingerprint === null,
    );
  if (by === undefined) return undefined;
  const now = ports.now().toISOString();
  const only = { decided: [by], unknownAt: undefined };
  const isVoid = (ended.get(unit.key) ?? []).every((one) => rulingOn(one, only, now).ruling === 'voided');
  return isVoid ? askedAgain({ ruling: 'voided', by }) : undefined;
}
