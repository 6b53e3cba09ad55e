import { posix } from 'node:path';
import picomatch from 'picomatch/posix.js';
import { messageOf } from '../errors.ts';

/** What is wrong with a path or a glob, and what to write instead. */
export interface PathProblem {
  readonly message: string;
  readonly hint?: string;
}

const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;
const ABSOLUTE = /^(?:\/|[A-Za-z]:|~\/|~$)/;
const MAX_GLOB = 1_000;
const CLIMBS = /(?:^|[/{,(|])\.\.(?=$|[/},)|])/;
const INSIDE = 'write it relative to the workspace';
const SLASH = 'use `/`, on every system';

/** A path inside the workspace, `/`-separated, without `.` and `..` where they change nothing. */
export function normalizePath(path: string): string {
  return posix.normalize(path).replace(/(?<=.)\/$/, '');
}

/** Why a path is not inside the workspace. Links are checked by the code that opens it. */
export function pathProblem(path: string): PathProblem | undefined {
  if (ADDRESS.test(path)) return { message: 'is an address, not a path', hint: 'put the file into the repository' };
  if (ABSOLUTE.test(path)) return { message: 'is an absolute path', hint: INSIDE };
  if (path.includes('\\')) return { message: 'has a backslash', hint: SLASH };
  return /^\.\.(?:\/|$)/.test(posix.normalize(path)) ? { message: 'leaves the workspace', hint: INSIDE } : undefined;
}

/** A glob as it is matched: without `./` at its start. A leading `!` excludes, and stays. */
export function normalizeGlob(glob: string): string {
  return glob.replace(/^(!?)(?:\.\/)+(?=.)/, '$1');
}

/** Why a glob cannot match files of the workspace. A leading `!` excludes, as in GitHub's path filters. */
export function globProblem(glob: string): PathProblem | undefined {
  const body = glob.replace(/^!/, '');
  // The pattern that is made of a longer one may be too large to run.
  if (body.length > MAX_GLOB) return { message: `is longer than ${MAX_GLOB} characters` };
  if (ABSOLUTE.test(body)) return { message: 'is an absolute path', hint: INSIDE };
  if (CLIMBS.test(body)) return { message: 'leaves the workspace', hint: INSIDE };
  if (/\\(?![\\*?[\]{}()!+@|,^$])/.test(body)) return { message: 'has a backslash', hint: SLASH };
  try {
    picomatch.makeRe(body, { strictBrackets: true, debug: true, dot: true, nonegate: true });
    return undefined;
  } catch (error) {
    const message = `is not a valid glob: ${messageOf(error).slice(0, 200)}`;
    return { message, hint: 'put `\\` before a literal bracket' };
  }
}

const WILD = /[*?[{(]/;

/** Whether other globs select all that a glob selects, as far as their texts show: for a glob with wildcards, by its folder. */
export function isCovered(glob: string, others: readonly string[]): boolean {
  const last = others.findLast((other) =>
    other.startsWith('!') ? mayShare(other.slice(1), glob) : covers(other, glob),
  );
  return last !== undefined && !last.startsWith('!');
}

function mayShare(other: string, glob: string): boolean {
  const start = glob.slice(0, glob.search(WILD));
  return covers(other, glob) || (WILD.test(glob) && (WILD.test(other) || other.startsWith(start)));
}

/** A glob that names a folder stands for everything below. */
function covers(other: string, glob: string): boolean {
  const folder = other.replace(/\/(?:\*\*)?$/, '');
  if (WILD.test(glob)) return glob === other || (!WILD.test(folder) && glob.startsWith(`${folder}/`));
  return picomatch([folder, `${folder}/**`], { dot: true, nonegate: true })(glob.replace(/\/$/, ''));
}
