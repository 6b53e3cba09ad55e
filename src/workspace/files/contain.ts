import { isEscapedName } from './path-bytes.ts';

/**
 * Reserved device names of Windows, with any extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)$/i;
/** Characters that HFS+ ignores when it compares names, so that `.g<U+200C>it` is `.git` (CVE-2014-9390). */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const TEMPORARY = /^\.gateline-[0-9a-f]{16}\.tmp$/;
const LONGEST = 4_096;

/**
 * Why a path must not be read or written for another gate, or `undefined` if it may. The same on every system: files
 * handed on from one system must be safe on all. `.git` at any depth and `.state` at the root are refused in any
 * spelling (`.GIT`, `git~1`, `.git.`, with invisible characters).
 */
export function whyNotContained(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (path.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  if (path.includes('\0')) return 'it contains a NUL character';
  if (path.includes('\\')) return 'it contains a backslash';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'it is absolute';
  if (!path.isWellFormed() || isEscapedName(path)) return 'its name is not UTF-8';
  for (const [index, name] of path.split('/').entries()) {
    const why = whyNotName(name, index === 0);
    if (why !== undefined) return why;
  }
  return undefined;
}

function whyNotName(name: string, first: boolean): string | undefined {
  if (name === '') return 'it contains an empty name';
  if (name === '.' || name === '..') return `it holds ${name}`;
  const seen = folded(name);
  const stem = seen.split(':', 1)[0]!.replace(/[. ]+$/, '');
  if (stem === '.git' || stem === 'git~1') return 'it leads into git\u2019s own folder';
  if (first && (stem === '.state' || stem === 'state~1')) return 'it leads into .state';
  if (/[. ]$/.test(seen))
    return `it contains a name that ends in a dot or a space (${JSON.stringify(name)}), which Windows drops`;
  const device = seen.split(/[.:]/, 1)[0]!.trimEnd();
  if (DEVICE.test(device)) return `it holds ${JSON.stringify(name)}, a device on Windows`;
  if (process.platform === 'win32' && (/[:<>"|?*]/.test(name) || [...name].some((character) => character < ' ')))
    return 'it contains a character that Windows does not allow in file names';
  return undefined;
}

/**
 * A name as the file systems compare it that look at neither case nor invisible characters: `.\u017ftate` is `.state`.
 */
export function folded(name: string): string {
  return name.replace(INVISIBLE, '').normalize('NFC').toUpperCase().toLowerCase();
}

/** Whether a path has the form of a relative path below the root, whatever its name. */
export function isRelative(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

/** Whether a path is always ignored: git's own files, `.state`, and leftovers of our interrupted writes. */
export function neverCounts(path: string): boolean {
  if (path === '.state' || path.startsWith('.state/')) return true;
  if (path.includes('.git') && path.split('/').includes('.git')) return true;
  return path.includes('.gateline-') && TEMPORARY.test(path.slice(path.lastIndexOf('/') + 1));
}

/** The folders above a path, outermost first: `a/b/c` → `a`, `a/b`. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}
