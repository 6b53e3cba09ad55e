import { lstat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import { isFromSystem } from '../../errors/store-errors.ts';

/** Error codes for a file in the place of a folder, or the other way round. */
const CODES = new Set(['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'EPERM']);

/** Something of another kind in the place of one of our files or of a folder above it. */
export interface Obstacle {
  readonly what: string;
  /** Shell command (POSIX) that moves it away, to a place next to it. */
  readonly command: string;
}

/**
 * Looks for an obstacle to a file: a folder in its place, or a file in the place of a parent folder.
 * @param root folder at which the check of the path starts
 * @param show formats a path for messages
 */
export async function obstacleTo(
  root: string,
  path: string,
  show: (path: string) => string,
): Promise<Obstacle | undefined> {
  let at = root;
  for (const part of relative(root, path).split(sep)) {
    at = join(at, part);
    const kind = await kindOf(at);
    if (kind === undefined) return undefined;
    const command = `mv ${shellWord(at)} ${shellWord(`${at}.moved`)}`;
    if (at === path) return kind === 'folder' ? { what: 'a folder is in its place', command } : undefined;
    if (kind === 'file') return { what: `a file is in the place of the folder ${show(at)}`, command };
  }
  return undefined;
}

/**
 * Returns an error that says how to repair it; `undefined` if the system refused for another reason.
 * @param paths the file, then others that were written on the way
 */
export async function blocked(
  error: unknown,
  root: string,
  paths: readonly [string, ...string[]],
  show: (path: string) => string,
): Promise<GatelineError | undefined> {
  if (!isFromSystem(error) || !CODES.has(error.code)) return undefined;
  let obstacle: Obstacle | undefined;
  for (const path of paths) obstacle ??= await obstacleTo(root, path, show);
  if (obstacle === undefined) return undefined;
  const [path] = paths;
  const message = `Cannot write ${show(path)}: ${obstacle.what}`;
  return new GatelineError('STORE_WRITE_FAILED', message, {
    hint: `Move it away, then run the same command again: \`${obstacle.command}\``,
    place: { file: show(path) },
    cause: error,
  });
}

/** The target of a link is checked elsewhere: see `StateFolder.folder`. */
async function kindOf(path: string): Promise<'file' | 'folder' | 'link' | undefined> {
  try {
    const status = await lstat(path);
    return status.isDirectory() ? 'folder' : status.isSymbolicLink() ? 'link' : 'file';
  } catch (error) {
    if (isFromSystem(error)) return undefined;
    throw error;
  }
}
