import { folded, foldersOf } from '../files/contain.ts';
import type { TreeFile } from '../../run/files/tree.ts';
import type { Git } from './git.ts';
import type { Repository } from './repository.ts';

/**
 * A file in the checked out commit; `null`: not in the commit. `undefined`: there is no commit.
 * @param path from the top
 */
export async function committedFile(
  repository: Repository | undefined,
  path: string,
): Promise<TreeFile | null | undefined> {
  const listing = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', 'HEAD', '--', path];
  const answer = await repository?.git(listing, { answers: [0, 128] });
  if (answer === undefined || answer.code !== 0) return undefined;
  const [mode, , blob] = answer.out.toString('utf8').split('\t')[0]!.split(' ');
  return mode === undefined || blob === undefined ? null : { mode, blob };
}

/** Id of the last commit that changed a path; `undefined`: there is none. @param path from the top */
export async function lastCommit(repository: Repository | undefined, path: string): Promise<string | undefined> {
  const log = ['log', '-1', '--format=%H', 'HEAD', '--', `:(top,literal)${path}`];
  const answer = await repository?.git(log, { answers: [0, 128] });
  return answer?.code === 0 ? answer.out.toString('latin1').trim() || undefined : undefined;
}

/**
 * Whether the checked out commit or the index has a file at a path, or anything that is no folder in the place of one
 * above it, whatever the case of the letters. True if that is unknown.
 * @param git in the folder that the path is relative to
 * @param others ids of commits that are looked at, too, as far as the repository has them: one of them may have been
 *   checked out before
 */
export async function mayBeCommitted(git: Git, path: string, others: readonly string[] = []): Promise<boolean> {
  const top = await git(['rev-parse', '--show-prefix', '--verify', 'HEAD'], { answers: [0, 128] });
  if (top.code !== 0) return true;
  const [prefix = ''] = top.out.toString('utf8').split('\n');
  const whole = `${prefix}${path}`;
  const places = [whole, ...foldersOf(whole)];
  const asked = places.map((place) => `:(top,icase,literal)${place}`);
  const index = await git(['ls-files', '-z', '--full-name', '--cached', '--', ...asked], { answers: [0, 128] });
  const listed = [index];
  for (const commit of ['HEAD', ...others]) {
    const tree = await git(['ls-tree', '-z', '-r', '--full-tree', '--name-only', commit], { answers: [0, 128] });
    if (tree.code === 0 || commit === 'HEAD') listed.push(tree);
  }
  if (listed.some(({ code }) => code !== 0)) return true;
  const wanted = new Set(places.map(folded));
  const names = listed.flatMap(({ out }) => out.toString('utf8').split('\0'));
  return names.some((name) => wanted.has(folded(name)));
}
