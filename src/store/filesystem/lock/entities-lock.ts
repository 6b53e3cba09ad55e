import { join } from 'node:path';
import type { Writer } from '../../../run/records/record.ts';
import { takeLock, type EngineLockOptions } from './engine-lock.ts';
import { isAlive } from './process-identity.ts';
import { takeSoon } from './short-lock.ts';

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
    await using _lock = await takeSoon(() => takeLock(join(folder, 'lock'), me, isAlive, options), LONGEST_MS);
    return await work();
  };
}
