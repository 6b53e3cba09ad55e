import { GatelineError } from '../../errors/gateline-error.ts';
import type { Digest } from '../../json/digest.ts';
import { mayWait } from '../../pipeline/pipeline.ts';
import type { ReadProblem } from '../../run/records/reading.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';

/**
 * Looks for decisions about a unit whose output needs or may need an approval: on the commit of this run, and of
 * the runs that recorded the given outputs. Each place is looked at once.
 * @returns whether there are new ones
 * @throws GatelineError `DECISIONS_UNREADABLE` for those of this run: without knowing them, the unit must not pass
 */
export async function learnDecisions(
  call: Call,
  unit: Unit,
  outputs: readonly (EndedRecord | undefined)[],
): Promise<boolean> {
  if (call.ports.decisions === undefined || !mayWait(unit.gate)) return false;
  let isNew = await learnFrom(call, unit, undefined, false);
  for (const ended of outputs)
    for (const run of new Set([ended?.by.runId, ended?.source?.runId]))
      if (run !== undefined && run !== call.ports.me.runId)
        isNew = (await learnFrom(call, unit, run, isOfOther(call, ended!))) || isNew;
  return isNew;
}

/** @param isOther an output of another subject, whose approvals are not ours */
async function learnFrom(call: Call, unit: Unit, run: string | undefined, isOther: boolean): Promise<boolean> {
  const { journal, ports, assignment, looked } = call;
  const place = `${unit.key} ${run ?? ''}`;
  if (looked.has(place)) return false;
  looked.add(place);
  const about = { pipeline: assignment.pipeline.id, subject: assignment.subject };
  const { decided, unread } = await ports.decisions!.find(unit, about, run);
  const ours = isOther ? decided.filter(({ decision }) => decision === 'reject') : decided;
  journal.learn(ours, unread === undefined ? undefined : unreadAt(call, unit, unread, run));
  // An output of another run is not used then, and the unit runs again.
  if (unread !== undefined && run === undefined)
    throw new GatelineError('DECISIONS_UNREADABLE', `gate ${unit.key}: decisions about its output: ${unread}`);
  return ours.length > 0;
}

function isOfOther({ assignment }: Call, { subject, source }: EndedRecord): boolean {
  return subject !== assignment.subject || source?.subject !== undefined;
}

/** The newest output of the call's subject with this fingerprint. */
export function latestOutput({ journal }: Call, { key }: Unit, fingerprint: Digest): EndedRecord | undefined {
  return journal
    .archive()
    .ended.get(key)
    ?.findLast((ended) => ended.fingerprint === fingerprint);
}

/** A decision of unknown kind: after everything that this run recorded, or after what other runs did. */
function unreadAt({ journal }: Call, unit: Unit, why: string, run: string | undefined): ReadProblem {
  const { runNumber, runAttempt } = journal.call;
  const names = {
    gate: unit.gate.id,
    leg: unit.leg.id,
    runNumber,
    runAttempt,
    n: run === undefined ? 1e9 : 0,
    kind: 'decided',
  };
  return { code: 'UNREADABLE', where: 'decisions', message: why, names };
}
