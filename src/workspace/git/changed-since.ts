import { splitNames } from '../files/path-bytes.ts';
import { objectNamed } from './git-objects.ts';
import type { Repository } from './repository.ts';

/** Files that are ours, not the user's. */
const OURS = /^\.(?:gateline|state)\//;

/**
 * How many files below a path changed since a commit, new ones and those that git does not track yet included, and how
 * many the commit has there. `undefined`: the commit is not in the repository.
 *
 * @param repository with the folder that `path` is relative to as the place of its commands
 * @param commit its id
 * @throws GatelineError as git does
 */
export async function changedSince(
  { git }: Pick<Repository, 'git'>,
  commit: string,
  path: string,
): Promise<{ readonly changed: number; readonly total: number } | undefined> {
  if ((await objectNamed(git, `${commit}^{commit}`)) === undefined) return undefined;
  const ask = async (...args: readonly string[]): Promise<string[]> => {
    const { out } = await git(['--literal-pathspecs', ...args, '--', path]);
    return splitNames(out).filter((name) => !OURS.test(name));
  };
  const [tracked, changed, added] = await Promise.all([
    ask('ls-tree', '-r', '-z', '--name-only', commit),
    ask('diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--relative', commit),
    ask('ls-files', '--others', '--exclude-standard', '-z'),
  ]);
  return { changed: new Set([...changed, ...added]).size, total: tracked.length };
}
