import type { UnitKey } from '../../pipeline/pipeline.ts';
import { askedAgain, rulingOn, VOIDING } from '../../run/records/decisions.ts';
import { dependsOn, plannedUnit, type PlannedUnit } from '../../run/plan/plan.ts';
import { findCheckpoint, rulingOf, waitsForPerson } from '../../run/plan/reuse.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import { notAsked, onlyIfAsked } from './may-start.ts';
import { queryFor } from './search-work.ts';

/**
 * The plan of a unit before its needs have run: it runs if a decision rules out every earlier output, whatever its
 * needs export.
 * @param waits needs whose results are not known yet
 * @param started ids of the gates that run before it
 */
export async function planAhead(
  call: Call,
  unit: Unit,
  waits: readonly UnitKey[],
  started: ReadonlySet<string>,
): Promise<PlannedUnit> {
  const forced = forcedBy(call, unit);
  if (forced !== undefined) {
    const choice = unit.gate.run === undefined ? 'wait' : 'run';
    return onlyIfAsked(call.assignment, plannedUnit(unit, choice, forced), started);
  }
  const planned = dependsOn(unit, waits, await whyUnusable(call, unit));
  const why = notAsked(call.assignment, planned, started);
  return why === undefined ? planned : { ...planned, choice: 'blocked', reason: `${why}; ${planned.reason}` };
}

/** Why the unit's last output is not used again for the same request; `undefined`: it may be, or there is none. */
async function whyUnusable(call: Call, unit: Unit): Promise<string | undefined> {
  const archive = call.journal.archive();
  const last = archive.ended.get(unit.key)?.at(-1);
  if (last === undefined || unit.gate.if !== undefined) return undefined;
  const contract = await call.contracts.load(unit.gate).catch(() => undefined);
  if (contract === undefined) return undefined;
  const query = queryFor(call, { fingerprint: last.fingerprint, contract });
  const found = findCheckpoint(unit, archive, query);
  const waits = waitsForPerson(unit, last, rulingOf(unit, last, archive, query.now));
  return found.choice === 'none' && !waits ? found.reason : undefined;
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
