import { posix } from 'node:path';
import picomatch from 'picomatch/posix.js';

/** What is wrong with a path or a glob, and what to write instead. */
export interface PathProblem {
  readonly message: string;
  readonly hint?: string;
}

const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;
const ABSOLUTE = /^(?:\/|[A-Za-z]:|~\/|~$)/;
const CLIMBS = /(?:^|[/{,(|])\.\.(?=$|[/},)|])/;
const INSIDE = 'write it relative to the workspace';

/** A path inside the workspace, `/`-separated, without `.` and `..` if they change nothing. */
export function normalPath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** Why a path is not inside the workspace; links are checked by the code that opens it. */
export function pathProblem(path: string): PathProblem | undefined {
  if (ADDRESS.test(path)) {
    return { message: 'is an address, not a path', hint: 'put the file into the repository' };
  }
  if (ABSOLUTE.test(path)) return { message: 'is an absolute path', hint: INSIDE };
  if (path.includes('\\')) return { message: 'has a backslash', hint: 'use `/`, on every system' };
  const normal = posix.normalize(path);
  return normal === '..' || normal.startsWith('../') ? { message: 'leaves the workspace', hint: INSIDE } : undefined;
}

/** Why a path is not valid for a work tree folder, which must be outside the workspace. */
export function treesProblem(path: string): PathProblem | undefined {
  if (ADDRESS.test(path)) return { message: 'is an address, not a path' };
  if (/^~[^/\\]/.test(path)) return { message: "is another user's home folder", hint: 'write the whole path' };
  if (ABSOLUTE.test(path) || path.startsWith('\\\\')) return undefined;
  const problem = pathProblem(path);
  if (problem === undefined) {
    const hint = 'write a path outside, such as `../trees`: git and other tools treat everything inside as part of it';
    return { message: 'is inside the workspace', hint };
  }
  return path.includes('\\') ? problem : undefined;
}

/** A glob as it is matched: without a leading `./`. A leading `!` excludes and stays. */
export function normalGlob(glob: string): string {
  return glob.replace(/^(!?)(?:\.\/)+(?=.)/, '$1');
}

/** Why a glob cannot match files of the workspace. A leading `!` excludes, as in GitHub's path filters. */
export function globProblem(glob: string): PathProblem | undefined {
  const body = glob.replace(/^!/, '');
  if (body === '') return { message: 'is empty' };
  if (ABSOLUTE.test(body)) return { message: 'is an absolute path', hint: INSIDE };
  if (CLIMBS.test(body)) return { message: 'leaves the workspace with `..`', hint: INSIDE };
  if (/\\(?![\\*?[\]{}()!+@|,^$])/.test(body)) return { message: 'has a backslash', hint: 'use `/`, on every system' };
  try {
    picomatch.makeRe(body, { strictBrackets: true, debug: true, dot: true, nonegate: true });
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      message: `is not a valid glob: ${why.slice(0, 200)}`,
      hint: 'put `\\` before a literal bracket',
    };
  }
}
