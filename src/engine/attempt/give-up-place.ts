import { comparePositions, unitOf, type StartedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';

/**
 * Releases the place of an attempt that will not be completed: the user's folder becomes free for others, a work tree
 * is discarded.
 */
export async function giveUpPlace({ ports }: Pick<Call, 'ports'>, started: StartedRecord): Promise<void> {
  if (started.holder === 'open') await ports.workspace.forget(ports.attempts.pathOf(started));
}

/** Does the same for every attempt of a unit that was begun and has not ended. */
export async function giveUpPlaces(call: Call, { key }: Unit): Promise<void> {
  const open = (call.journal.archive().started.get(key) ?? []).filter((started) => !hasEnded(call, started));
  for (const started of open) await giveUpPlace(call, started);
}

/** Releases the place of an attempt that ended with an error, unless it can still be completed. */
export async function giveUpEnded(call: Call, started: StartedRecord): Promise<void> {
  if (hasEnded(call, started)) await giveUpPlace(call, started);
}

function hasEnded({ journal }: Call, started: StartedRecord): boolean {
  const ended = journal.archive().ended.get(unitOf(started)) ?? [];
  return ended.some((one) => comparePositions(one, started) === 0);
}
