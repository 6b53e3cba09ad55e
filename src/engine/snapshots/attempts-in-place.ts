import { comparePositions, unitOf, type EndedRecord, type StartedRecord } from '../../run/records/record.ts';
import type { Call } from '../call/call.ts';

/**
 * An attempt in the user's folder itself. Changes of other attempts get there only by a user's decision.
 */
export interface AttemptInPlace {
  readonly claim: StartedRecord;
  /** Absent if it was interrupted. What it changed is known only if this has a snapshot. */
  readonly ended: EndedRecord | undefined;
}

/** The attempts in the user's folder, of any run, whose agents may have started. */
export function attemptsInPlace({ journal }: Pick<Call, 'journal'>): AttemptInPlace[] {
  const { ended, started } = journal.archive();
  const claims = [...started.values()].flat().filter(({ place }) => place === 'in-place');
  const attempts = claims.map((claim): AttemptInPlace => {
    return { claim, ended: ended.get(unitOf(claim))?.find((one) => comparePositions(claim, one) === 0) };
  });
  return attempts.filter((attempt) => !hasNotBegun(attempt));
}

/** Whether it is certain that no agent ran. */
function hasNotBegun({ ended }: AttemptInPlace): boolean {
  if (ended === undefined || ended.exitCode !== undefined || ended.signal !== undefined) return false;
  return ended.verdict.kind === 'not-started' || ended.verdict.kind === 'no-secret';
}
