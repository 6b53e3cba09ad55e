import { accessSync, type BigIntStats, constants, lstatSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../errors.ts';

/** Characters that HFS+ ignores when it compares names, so that `.g<U+200C>it` is `.git` (CVE-2014-9390). */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const TEMPORARY = /(?:^|\/)\.gateline-[0-9a-f]{16}\.tmp$/;
const LONGEST = 4_096;

/**
 * Why a path cannot be part of a snapshot or be written; undefined: it can. Refused are paths that leave the folder or
 * lead into git's own folder, in any spelling that some file system takes for `.git`, and `.state`.
 */
export function findPathProblem(path: string): string | undefined {
  if (path === '' || path.length > LONGEST) return `it must have 1 to ${LONGEST} characters`;
  if (path.includes('\0')) return 'it contains a NUL character';
  if (path === '.state' || path.startsWith('.state/')) return 'it leads into .state';
  for (const name of path.split('/')) {
    if (name === '' || name === '.' || name === '..') return 'it is not a plain path below the folder';
    if (!/[.~]/.test(name)) continue;
    const folded = name
      .replace(INVISIBLE, '')
      .toLowerCase()
      .split(':', 1)[0]!
      .replace(/[. ]+$/, '');
    if (folded === '.git' || folded === 'git~1') return "it leads into git's own folder";
  }
  return undefined;
}

/** @throws GatelineError `platform`, for a path from a file or another job that {@link findPathProblem} refuses */
export function assertPath(path: string): void {
  const problem = findPathProblem(path);
  if (problem === undefined) return;
  const name = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
  throw new GatelineError('platform', `${name} cannot be a file of a gate: ${problem}.`, {
    hint: 'Gateline never records such a path: a stored file may have been replaced. Run the gate again.',
  });
}

/** The name of a temporary file of {@link isTemporary}; the digits are random. */
export function temporaryName(digits: string): string {
  return `.gateline-${digits}.tmp`;
}

/** True for what a write that was killed leaves behind. */
export function isTemporary(path: string): boolean {
  return path.endsWith('.tmp') && TEMPORARY.test(path);
}

/** The folders above a path, outermost first: `a/b/c` → `a`, `a/b`. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/** True if a link with this target, at this path, leads to a place in the folder, by its text alone. */
export function isInnerLink(path: string, target: string): boolean {
  if (posix.isAbsolute(target) || target.includes('\\')) return false;
  const place = posix.join(posix.dirname(path), target).replace(/\/$/, '');
  return place === '.' || findPathProblem(place) === undefined;
}

/** The file itself, never what a link leads to; undefined: there is none. */
export function statPath(place: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** True if a file or a link stands where the path needs a folder. */
export function isBehindFile(root: string, path: string): boolean {
  return foldersOf(path).some((folder) => statPath(join(root, folder))?.isDirectory() === false);
}

export function isReadable(place: string | Buffer): boolean {
  try {
    accessSync(place, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** The order of paths in git: by their bytes. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * The text of a plain file of the folder, without a byte order mark; undefined: there is none.
 *
 * @param limit most bytes; default 16 MiB
 * @throws GatelineError `usage`: outside the folder, also by a link; not a plain file; too large; not UTF-8
 */
export async function readTextFile(root: string, path: string, limit = 16 * 1_024 ** 2): Promise<string | undefined> {
  const refuse = (problem: string, cause?: unknown): GatelineError =>
    new GatelineError('usage', `${path} cannot be read: ${problem}.`, { place: { file: path }, cause });
  try {
    const place = await realpath(join(root, path));
    const way = relative(await realpath(root), place);
    if (way === '..' || way.startsWith(`..${sep}`)) throw refuse('it is outside the folder');
    // A pipe without a writer would block.
    const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw refuse('it is not a plain file');
      if (stat.size > limit) throw refuse(`it is larger than ${limit} bytes`);
      return new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof GatelineError) throw error;
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw refuse(error instanceof TypeError ? 'it is not UTF-8' : messageOf(error), error);
  }
}
