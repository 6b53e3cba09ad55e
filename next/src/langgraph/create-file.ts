import { randomUUID } from 'node:crypto';
import { closeSync, fsync, linkSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isSystemError } from '../errors.ts';
import { syncFolder, unless, withSystemErrors } from '../store/files/state-folder.ts';

/** A folder that other processes delete while a file is written is made again so often. */
const ATTEMPTS = 3;
const flush = promisify(fsync);

/** Creates files that are there as a whole or not at all, and survive a power cut. */
export class NewFiles {
  readonly #root: string;
  readonly #flushes = new Map<string, Promise<void>>();

  /** @param root gets a `.gitignore` for everything in it when a folder in it is created */
  constructor(root: string) {
    this.#root = root;
  }

  /** Gives a new file the first of these names that is free. Creates its folder. @returns false: none is free */
  create(folder: string, names: Iterable<string>, bytes: Uint8Array): Promise<boolean> {
    return withSystemErrors(folder, async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#createOnce(folder, names, bytes);
        } catch (error) {
          if (attempt === ATTEMPTS || !isSystemError(error, 'ENOENT')) throw error;
          await this.#createFolder(folder);
        }
      }
    });
  }

  /** Only flushes wait for the disk. The other calls take microseconds, and much longer if they are asynchronous. */
  async #createOnce(folder: string, names: Iterable<string>, bytes: Uint8Array): Promise<boolean> {
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
    if (isCreated) await this.#flushFolder(folder);
    return isCreated;
  }

  /** Files that are created at the same time share a flush, which begins after that. */
  #flushFolder(path: string): Promise<void> {
    const begin = async (): Promise<void> => {
      await setImmediate();
      this.#flushes.delete(path);
      if (process.platform === 'win32') return;
      const folder = openSync(path, 'r');
      await flush(folder).finally(() => closeSync(folder));
    };
    const next = this.#flushes.get(path) ?? begin();
    this.#flushes.set(path, next);
    return next;
  }

  async #createFolder(path: string): Promise<void> {
    const first = await mkdir(path, { recursive: true });
    await writeFile(join(this.#root, '.gitignore'), '*\n', { flag: 'wx' }).catch(unless('EEXIST'));
    if (first === undefined) return;
    for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
  }
}

function linkIfFree(file: string, path: string): boolean {
  try {
    linkSync(file, path);
    return true;
  } catch (error) {
    unless('EEXIST')(error);
    return false;
  }
}
