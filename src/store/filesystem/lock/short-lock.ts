import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatelineError } from '../../../errors/gateline-error.ts';
import { takeLock, type EngineLock } from './engine-lock.ts';
import { isAlive, processIdentity } from './process-identity.ts';

/** How long a change waits for others, each of which takes milliseconds; of a long history, seconds. */
const PATIENCE_MS = 30_000;

/** Pause before the next try, at most. */
const PAUSE_MS = 40;

/**
 * The right to change one thing that is read, changed and replaced: two commands that did so at once would lose what
 * one of them added. Not the lock of the workspace, which a run has for hours, and which commands do not take that
 * people use meanwhile. Waits.
 * @param state absolute path of the state folder
 * @param name of the thing; a word
 * @throws GatelineError `ENGINE_BUSY` if others have it for too long; `STORE_WRITE_FAILED`, `STORE_READ_FAILED`
 */
export async function takeShortLock(state: string, name: string): Promise<EngineLock> {
  const place = join(state, 'locks', name);
  const me = await processIdentity();
  return takeSoon(() => takeLock(place, me, isAlive), PATIENCE_MS);
}

/**
 * Tries to take a lock until it is free.
 * @param patienceMs milliseconds after which the error of the last try is thrown
 * @throws GatelineError `ENGINE_BUSY`, and as `take` does
 */
export async function takeSoon(take: () => Promise<EngineLock>, patienceMs: number): Promise<EngineLock> {
  for (const until = performance.now() + patienceMs; ;) {
    try {
      return await take();
    } catch (error) {
      const isBusy = error instanceof GatelineError && error.code === 'ENGINE_BUSY';
      if (!isBusy || performance.now() > until) throw error;
    }
    await sleep(Math.random() * PAUSE_MS);
  }
}
