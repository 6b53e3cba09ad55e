import { statSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { kindOf } from '../files/look.ts';

/** Files of a git folder that git always opens. */
const ALWAYS_OPENED = ['HEAD', 'config'];

/**
 * git opens these files without checking their type, and would wait for the other end of a pipe until its time limit.
 * @param gitDir absolute path
 * @throws GatelineError `WORKSPACE_UNREADABLE`
 */
export function refusePipes(gitDir: string, names: readonly string[] = ALWAYS_OPENED): void {
  for (const name of names) {
    const path = join(gitDir, name);
    const stats = lookThrough(path);
    if (stats === undefined || stats.isFile() || stats.isDirectory()) continue;
    throw new GatelineError('WORKSPACE_UNREADABLE', `${path} is not a plain file but ${kindOf(stats)}.`, {
      hint: 'Something replaced a file of git. Remove it; for the index, `git reset` makes a new one.',
    });
  }
}

/** The same for the repository that git would find from a folder, before git is called. */
export function refusePipesAbove(folder: string): void {
  const gitDir = join(folder, '.git');
  const stats = lookThrough(gitDir);
  if (stats?.isDirectory() === true) refusePipes(gitDir);
  else if (stats !== undefined) refusePipes(folder, ['.git']);
  else if (dirname(folder) !== folder) refusePipesAbove(dirname(folder));
}

function lookThrough(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A loop of links, or an unreadable folder: git reports that immediately.
    return undefined;
  }
}
