import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir, readlink, rename, symlink, unlink } from 'node:fs/promises';
import { GatelineError, isSystemError } from '../errors/gateline-error.ts';
import { foldersOf } from './contain.ts';
import { kindOf, lookAt } from './standing.ts';

const SHELF = '.state/displaced';

/** Where versions of files that somebody made are put aside: `.state/displaced/<n>/<path>`, a new `n` for each use. */
export class Displaced {
  readonly #root: string;
  #folder: Promise<string> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Keep what stands at `path`, which then may be overwritten or deleted: a plain file stays in its place too.
   * @returns where it is now, relative to the root
   */
  async keep(path: string): Promise<string> {
    this.#folder ??= nextFolder(this.#root);
    const kept = `${await this.#folder}/${path}`;
    await makeFolders(this.#root, kept);
    const from = `${this.#root}/${path}`;
    const to = `${this.#root}/${kept}`;
    if ((await lstat(from)).isFile()) await linkOrCopy(from, to);
    else await move(from, to);
    return kept;
  }
}

async function nextFolder(root: string): Promise<string> {
  await makeFolders(root, `${SHELF}/1`);
  const taken = (await readdir(`${root}/${SHELF}`)).map(Number).filter(Number.isSafeInteger);
  for (let n = Math.max(0, ...taken) + 1; ; n++) {
    try {
      await mkdir(`${root}/${SHELF}/${n}`);
      return `${SHELF}/${n}`;
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error;
    }
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (isSystemError(error, 'EEXIST') || isSystemError(error, 'ENOENT')) throw error;
    // Not every file system has hard links, nor do they reach across two.
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isSystemError(error, 'EXDEV')) throw error;
    await symlink(await readlink(from), to);
    await unlink(from);
  }
}

/**
 * Make the folders above a path, one by one, never through a link.
 * @throws GatelineError as {@link blockedBy} says.
 */
export async function makeFolders(root: string, path: string): Promise<void> {
  for (const folder of foldersOf(path)) {
    const stats = lookAt(root, folder);
    if (stats?.isDirectory() === true) continue;
    if (stats !== undefined) throw blockedBy(path, folder, stats);
    try {
      await mkdir(`${root}/${folder}`);
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error;
    }
  }
}

/** `PATH_ESCAPES` for a link on the way to a path, `PATH_BLOCKED` for anything else that is in the way. */
export function blockedBy(path: string, obstacle: string, stats: Parameters<typeof kindOf>[0]): GatelineError {
  if (stats.isSymbolicLink()) {
    return new GatelineError(
      'user',
      'PATH_ESCAPES',
      `${path} cannot be written: ${obstacle} is a symbolic link, and may lead out of the workspace.`,
      {
        hint: `Replace ${obstacle} by a folder, or leave the file out of \`files\`.`,
      },
    );
  }
  return new GatelineError('user', 'PATH_BLOCKED', `${path} cannot be written: ${obstacle} is ${kindOf(stats)}.`, {
    hint: `Move ${obstacle} out of the way.`,
  });
}
