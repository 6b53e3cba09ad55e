import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../errors/gateline-error.ts';
import { digestOf, hexOf } from '../run/digest.ts';

/**
 * Notes that a claim has its end on record, for the post step of the step that began it: state goes from main to post of
 * one step only. No more than a hint that saves requests: what is true is on record.
 */
export async function markCompleted(temp: string, token: string): Promise<void> {
  try {
    await mkdir(folderIn(temp), { recursive: true, mode: 0o700 });
    await writeFile(join(folderIn(temp), nameOf(token)), '');
  } catch (cause) {
    throw new GatelineError('platform', 'TEMP_UNWRITABLE', `${temp} cannot be written to: ${messageOf(cause)}`, {
      hint: 'Look whether the disk of the runner is full.',
      cause,
    });
  }
}

/** Whether {@link markCompleted} was called for this token in this job. */
export async function isCompleted(temp: string, token: string): Promise<boolean> {
  try {
    await stat(join(folderIn(temp), nameOf(token)));
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}

function folderIn(temp: string): string {
  return join(temp, 'gateline', 'completed');
}

function nameOf(token: string): string {
  return hexOf(digestOf(token.trim()));
}
