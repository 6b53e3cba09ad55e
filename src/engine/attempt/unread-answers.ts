import { comparePositions, unitOf, type StartedRecord } from '../../run/records/record.ts';
import { ATTEMPT_FILES } from './agent-environment.ts';
import type { Call } from '../call/call.ts';

/** What an agent writes and we take away once it is read and redacted. */
const ANSWERS = [ATTEMPT_FILES.output, ATTEMPT_FILES.metrics, ATTEMPT_FILES.learnings];

/**
 * Removes what agents wrote whose engine was killed before it read it: it never counts, and since nobody redacted it, it
 * may hold secrets. Attempts of agents that run by themselves are left alone, and so are those of an engine that may live.
 */
export async function removeUnread(call: Pick<Call, 'journal' | 'ports'>): Promise<void> {
  const { started, ended } = call.journal.archive();
  for (const claim of [...started.values()].flat()) {
    if (claim.holder !== 'process') continue;
    if (ended.get(unitOf(claim))?.some((one) => comparePositions(one, claim) === 0)) continue;
    if (await call.ports.isGone(claim.by)) await removeAnswers(call, claim);
  }
}

async function removeAnswers({ ports }: Pick<Call, 'ports'>, claim: StartedRecord): Promise<void> {
  const directory = await ports.attempts.open(claim);
  for (const name of ANSWERS) await directory?.remove(name);
}
