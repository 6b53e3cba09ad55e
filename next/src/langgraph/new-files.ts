import { randomUUID } from 'node:crypto';
import { closeSync, fsync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isSystemError } from '../errors.ts';
import { syncFolder, unless, withSystemErrors } from '../store/files/state-folder.ts';

/** A folder that other processes delete while a file is written is made again so often. */
const ATTEMPTS = 3;
const flush = promisify(fsync);

/**
 * Creates files that are there as a whole or not at all, and survive a power cut. System calls that do not wait for the
 * disk take microseconds and are synchronous; flushes are not: several at once take the time of one.
 */
export class NewFiles {
  readonly #root: string;
  readonly #nextFlush = new Map<string, Promise<void>>();

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

  async #createOnce(folder: string, names: Iterable<string>, bytes: Uint8Array): Promise<boolean> {
    const temporary = `${folder}${sep}.${randomUUID()}.tmp`;
    try {
      await withFile(temporary, 'wx', (file) => {
        writeFileSync(file, bytes);
        return flush(file);
      });
      for (const name of names) {
        if (!link(temporary, `${folder}${sep}${name}`)) continue;
        rmSync(temporary);
        await this.#flushFolder(folder);
        return true;
      }
      return false;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Files that are created at the same time share a flush, which begins after that. */
  #flushFolder(folder: string): Promise<void> {
    const next =
      this.#nextFlush.get(folder) ??
      setImmediate().then(() => {
        this.#nextFlush.delete(folder);
        return process.platform === 'win32' ? undefined : withFile(folder, 'r', flush);
      });
    this.#nextFlush.set(folder, next);
    return next;
  }

  async #createFolder(path: string): Promise<void> {
    const first = await mkdir(path, { recursive: true });
    await writeFile(join(this.#root, '.gitignore'), '*\n', { flag: 'wx' }).catch(unless('EEXIST'));
    if (first === undefined) return;
    for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
  }
}

async function withFile(path: string, flags: string, work: (file: number) => Promise<void>): Promise<void> {
  const file = openSync(path, flags);
  try {
    await work(file);
  } finally {
    closeSync(file);
  }
}

/** @returns false: the name is taken */
function link(file: string, path: string): boolean {
  try {
    linkSync(file, path);
    return true;
  } catch (error) {
    unless('EEXIST')(error);
    return false;
  }
}
