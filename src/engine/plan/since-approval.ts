import type { Digest } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import { mayWait } from '../../pipeline/pipeline.ts';
import { describeDifferences, differences } from '../../run/plan/difference.ts';
import type { Request } from '../../run/plan/request.ts';
import { approvedBefore } from '../../run/records/decisions.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import { storedRequest } from '../call/content.ts';

/** A request that a unit has now. */
interface PresentWork {
  readonly fingerprint: Digest;
  /** Default: as the claim of the last attempt with this fingerprint stored it. */
  readonly request?: Request;
}

/**
 * Finds out what changed in the request of a unit since a person approved its output, for its state. Unknown if a
 * request cannot be read.
 */
export async function noteChange(call: Call, unit: Unit, { fingerprint, request }: PresentWork): Promise<void> {
  if (!mayWait(unit.gate)) return;
  const { decisions, started } = call.journal.archive();
  const decided = decisions.get(unit.key)?.decided ?? [];
  const approval = approvedBefore(decided, fingerprint, call.ports.now().toISOString());
  if (approval === undefined) return;
  const requestOf = async (of: Digest | null): Promise<Request | undefined> => {
    const claim = started.get(unit.key)?.findLast((one) => one.fingerprint === of);
    return claim && storedRequest(call, claim.request);
  };
  const before = await requestOf(approval.fingerprint);
  const present =
    request === undefined
      ? await requestOf(fingerprint)
      : (call.redactor.redactJson(request as unknown as JsonValue).value as unknown as Request);
  const found = before && present ? differences(before, present) : [];
  if (found.length > 0) call.journal.setChange(unit.key, describeDifferences(found));
}

/** {@link noteChange} for all units that wait. */
export async function noteChanges(call: Call): Promise<void> {
  for (const { key, status, ended } of call.journal.state().units.values())
    if (status === 'paused' && ended !== undefined)
      await noteChange(call, call.graph.get(key)!, { fingerprint: ended.fingerprint });
}
