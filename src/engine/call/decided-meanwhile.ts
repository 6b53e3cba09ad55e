import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { PlannedUnit } from '../../run/plan/plan.ts';
import {
  isEntityRecord,
  recordName,
  RUN_GATE,
  type DecidedRecord,
  type GatelineRecord,
} from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from './call.ts';

/**
 * Takes over what other processes decided about the run since this call began: a pause, a reject, an approval. A
 * decision of a newer version may be any of them: it holds the run.
 * @returns whether there was anything new
 */
export async function learnMeanwhile({ ports, journal, assignment }: Call): Promise<boolean> {
  const { runNumber } = journal.call;
  const listing = await ports.decisionsIn?.(assignment.pipeline.id, assignment.subject, runNumber);
  const later = listing?.problems.find(({ code }) => code === 'UNKNOWN_VERSION');
  if (later !== undefined) {
    const names = { gate: RUN_GATE, leg: '', runNumber, runAttempt: journal.call.runAttempt, n: 0, kind: 'decided' };
    journal.learn([], { ...later, names });
    return true;
  }
  if (listing === undefined || listing.records.length === 0) return false;
  const known = new Set(journal.records().filter(isDecision).map(recordName));
  const decided = listing.records.filter(isRunDecision).filter((record) => !known.has(recordName(record)));
  if (decided.length > 0) journal.learn(decided);
  return decided.length > 0;
}

function isDecision(record: GatelineRecord): record is DecidedRecord {
  return record.kind === 'decided';
}

/** Not about an entity: that is looked at whenever something uses entities. */
function isRunDecision(record: GatelineRecord): record is DecidedRecord {
  return isDecision(record) && !isEntityRecord(record);
}

/** How many decisions about the run the call knows. */
export function decisionsIn({ journal }: Pick<Call, 'journal'>): number {
  return journal.records().filter(isDecision).length;
}

/** Whether there are more decisions than these: what was planned before may no longer be right. */
export async function hasChanged(call: Call, known: number): Promise<boolean> {
  await learnMeanwhile(call);
  return decisionsIn(call) !== known;
}

/** Whether the run is paused or closed: nothing starts. */
export function isHeld({ journal }: Pick<Call, 'journal'>): boolean {
  const { paused, unread, closed } = journal.state().decided;
  return paused !== undefined || unread !== undefined || closed !== undefined;
}

/** Opens what was blocked in this call again: a decision may have freed it. */
export function reopenBlocked(
  { graph }: Pick<Call, 'graph'>,
  open: Map<UnitKey, Unit>,
  planned: readonly PlannedUnit[],
): void {
  for (const { key, choice } of planned) if (choice === 'blocked') open.set(key, graph.get(key)!);
}
