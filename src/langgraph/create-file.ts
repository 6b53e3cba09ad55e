import { randomUUID } from 'node:crypto';
import { closeSync, fsync, linkSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isSystemError } from '../errors.ts';
import { syncFolder, ignoring, withSystemErrors } from '../store/files/state-folder.ts';

/** Tries of a file whose folder other processes delete meanwhile. */
const ATTEMPTS = 3;
const flush = promisify(fsync);
/** By folder, a flush that has not started yet. */
const nextFlushes = new Map<string, Promise<void>>();

/**
 * Creates a file durably and atomically, with the first of these names that is free. Creates its folder.
 * @param root gets a `.gitignore` for everything in it when a folder is created
 * @returns false if no name is free
 */
export function createFile(root: string, folder: string, names: Iterable<string>, bytes: Uint8Array): Promise<boolean> {
  return withSystemErrors(folder, async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await createOnce(folder, names, bytes);
      } catch (error) {
        if (attempt === ATTEMPTS || !isSystemError(error, 'ENOENT')) throw error;
        await createFolder(root, folder);
      }
    }
  });
}

/** Only flushes are asynchronous: the other calls take microseconds, and would take much longer. */
async function createOnce(folder: string, names: Iterable<string>, bytes: Uint8Array): Promise<boolean> {
  const temporary = `${folder}${sep}.${randomUUID()}.tmp`;
  const file = openSync(temporary, 'wx');
  let isCreated = false;
  try {
    writeFileSync(file, bytes);
    await flush(file);
    for (const name of names) {
      isCreated = linkIfFree(temporary, folder + sep + name);
      if (isCreated) break;
    }
  } finally {
    closeSync(file);
    unlinkSync(temporary);
  }
  if (isCreated) await (nextFlushes.get(folder) ?? flushFolder(folder));
  return isCreated;
}

function linkIfFree(file: string, path: string): boolean {
  try {
    linkSync(file, path);
    return true;
  } catch (error) {
    ignoring('EEXIST')(error);
    return false;
  }
}

/** Flushes a folder, once for all files that are created at the same time. */
function flushFolder(path: string): Promise<void> {
  const next = setImmediate().then(async () => {
    nextFlushes.delete(path);
    if (process.platform === 'win32') return;
    const folder = openSync(path, 'r');
    await flush(folder).finally(() => closeSync(folder));
  });
  nextFlushes.set(path, next);
  return next;
}

async function createFolder(root: string, path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  await writeFile(join(root, '.gitignore'), '*\n', { flag: 'wx' }).catch(ignoring('EEXIST'));
  if (first === undefined) return;
  for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
}
