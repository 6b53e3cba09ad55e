import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatelineError } from '../../../errors/gateline-error.ts';
import type { Writer } from '../../../run/records/record.ts';
import { takeLock, type EngineLock, type EngineLockOptions } from './engine-lock.ts';
import { isAlive } from './process-identity.ts';

/** Milliseconds between two tries. */
const PAUSE_MS = 20;
/** Whoever has this lock reads and writes a few files: in this time, in milliseconds, it is done. */
const LONGEST_MS = 60_000;

/**
 * The lock for reading the state of entities and writing a claim. It is not that of the workspace: a run has that one
 * until it ends, and the commands that its agents call need this one meanwhile.
 * @param folder absolute path of the folder for the lock
 */
export function entitiesLock(
  folder: string,
  me: Writer,
  options: EngineLockOptions,
): <T>(work: () => Promise<T>) => Promise<T> {
  return async (work) => {
    await using _lock = await takeSoon(() => takeLock(join(folder, 'lock'), me, isAlive, options));
    return await work();
  };
}

async function takeSoon(take: () => Promise<EngineLock>): Promise<EngineLock> {
  for (const end = performance.now() + LONGEST_MS; ;) {
    try {
      return await take();
    } catch (error) {
      const isBusy = error instanceof GatelineError && error.code === 'ENGINE_BUSY';
      if (!isBusy || performance.now() > end) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
