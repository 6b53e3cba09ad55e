import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatelineError } from '../../errors/gateline-error.ts';
import { takeLock, type EngineLock } from '../../store/filesystem/lock/engine-lock.ts';
import { isAlive, processIdentity } from '../../store/filesystem/lock/process-identity.ts';
import { STATE_FOLDER } from '../local-ports.ts';

/** How long a change of a document waits for others, each of which takes milliseconds. */
const PATIENCE_MS = 30_000;

/** Pause before the next try, at most. */
const PAUSE_MS = 40;

/**
 * The right to change the documents of a workspace: a document is read, changed and replaced, and two commands that did
 * so at once would lose what one of them added. Not the lock of the workspace, which a run has for hours.
 * @throws GatelineError `ENGINE_BUSY` if others have it for too long; `STORE_WRITE_FAILED`, `STORE_READ_FAILED`
 */
export async function lockDocuments(root: string): Promise<EngineLock> {
  const place = join(root, STATE_FOLDER, 'tmp', 'documents');
  const me = await processIdentity();
  for (const until = performance.now() + PATIENCE_MS; ;) {
    try {
      return await takeLock(place, me, isAlive);
    } catch (error) {
      const isBusy = error instanceof GatelineError && error.code === 'ENGINE_BUSY';
      if (!isBusy || performance.now() > until) throw error;
    }
    await sleep(Math.random() * PAUSE_MS);
  }
}
