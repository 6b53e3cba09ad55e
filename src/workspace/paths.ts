import { accessSync, type BigIntStats, constants, lstatSync } from 'node:fs';
import { join, posix } from 'node:path';
import { GatelineError, isSystemError } from '../errors.ts';

/** Characters that HFS+ ignores when it compares names, so that `.g<U+200C>it` is `.git` (CVE-2014-9390). */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** A temporary file of ours, which stays in the folder if its write is killed. */
export const TEMPORARY = /(?:^|\/)\.gateline-[0-9a-f]{16}\.tmp$/;

/**
 * Why a path cannot be part of a snapshot or be written; undefined: it can. Not allowed are paths out of the folder, into
 * `.state` and into git's own folder, in any spelling that some file system takes for `.git`.
 */
export function findPathProblem(path: string): string | undefined {
  if (path === '' || path.length > 4_096) return 'it must have 1 to 4096 characters';
  if (path.includes('\0')) return 'it contains a NUL character';
  if (path.includes('\ufffd')) return 'its name is not UTF-8';
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

/** Checks a path that comes from a file or another job. @throws GatelineError `platform` as {@link findPathProblem} */
export function assertPath(path: string): void {
  const problem = findPathProblem(path);
  if (problem === undefined) return;
  throw new GatelineError('platform', `${JSON.stringify(path.slice(0, 200))} cannot be a file of a gate: ${problem}.`, {
    hint: 'Gateline never records such a path: a stored file may have been replaced. Run the gate again.',
  });
}

/** The folders above a path, outermost first: `a/b/c` → `a`, `a/b`. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/**
 * Whether a link at this path leads to a place in the folder, by the text of its target alone. False for `..` after a
 * name: the name may be another link, and `..` lead anywhere.
 */
export function isInnerLink(path: string, target: string): boolean {
  if (posix.isAbsolute(target) || target.includes('\\')) return false;
  const names = target.split('/').filter((name) => name !== '' && name !== '.');
  const first = names.findIndex((name) => name !== '..');
  if (first >= 0 && names.includes('..', first)) return false;
  const resolved = posix.join(posix.dirname(path), target).replace(/\/$/, '');
  return resolved === '.' || findPathProblem(resolved) === undefined;
}

/** The order of paths in git: by their bytes. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Stat of a file or of a link itself; undefined: there is none. @param path absolute */
export function statPath(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    // ENOTDIR, ELOOP: a file, or a link to itself, is in the place of a folder.
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].some((code) => isSystemError(error, code))) return undefined;
    throw error;
  }
}

/**
 * The first file or link that is where the path needs a folder.
 *
 * @param cache answers by folder, as long as none changes
 */
export function findBlocker(root: string, path: string, cache = new Map<string, boolean>()): string | undefined {
  return foldersOf(path).find((folder) => {
    const isFile = cache.get(folder) ?? statPath(join(root, folder))?.isDirectory() === false;
    cache.set(folder, isFile);
    return isFile;
  });
}

/** Whether a file or a link is in the place of a folder of the path: as {@link findBlocker}. */
export function isBehindFile(root: string, path: string, cache?: Map<string, boolean>): boolean {
  return findBlocker(root, path, cache) !== undefined;
}

/** As {@link statPath}; undefined also if {@link isBehindFile}. */
export function statBelow(root: string, path: string, cache?: Map<string, boolean>): BigIntStats | undefined {
  return isBehindFile(root, path, cache) ? undefined : statPath(join(root, path));
}

export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
