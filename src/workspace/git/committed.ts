import type { TreeFile } from '../../run/files/tree.ts';
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
