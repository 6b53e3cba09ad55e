import { GatelineError } from '../../errors/gateline-error.ts';
import { splitNames } from '../files/path-bytes.ts';
import type { Repository } from '../git/repository.ts';

/** Pathspecs are paths, whatever characters they contain. */
const LITERALLY = { GIT_LITERAL_PATHSPECS: '1' };
const FROM_INPUT = ['--pathspec-from-file=-', '--pathspec-file-nul'];

/** @throws GatelineError `STAGED_CHANGES` */
export async function refuseStaged({ git }: Repository): Promise<void> {
  const answer = await git(['diff', '--cached', '--quiet'], { answers: [0, 1] });
  if (answer.code === 0) return;
  throw new GatelineError('STAGED_CHANGES', 'there are staged changes, which a commit would mix with those of a task');
}

/**
 * Commits the present content of some paths on the checked out branch, with the user's name and hooks. Nothing else of
 * the index or the folder changes; ignored files are left out.
 * @param paths from the top of the repository
 * @returns the commit; `undefined`: they are all committed already
 * @throws GatelineError `STAGED_CHANGES`, `COMMIT_REFUSED`, `GIT_FAILED`
 */
export async function commitPaths(
  repository: Repository,
  paths: readonly string[],
  message: string,
): Promise<string | undefined> {
  const { git, top } = repository;
  await refuseStaged(repository);
  if (paths.length === 0) return undefined;
  // Ignored files are not in it.
  const status = ['-C', top, 'status', '--porcelain', '-z', '--untracked-files=all', '--no-renames', '--', ...paths];
  const { out } = await git(status, { env: LITERALLY });
  const changed = splitNames(out).map((entry) => ({ code: entry.slice(0, 2), path: entry.slice(3) }));
  if (changed.length === 0) return undefined;
  const list = (some: readonly string[]): Buffer => Buffer.from(some.map((path) => `${path}\0`).join(''));
  // A new file must be known to git for a commit of certain paths. This stages no content that a kill would leave.
  const added = changed.filter(({ code }) => code === '??').map(({ path }) => path);
  if (added.length > 0)
    await git(['-C', top, 'add', '--intent-to-add', ...FROM_INPUT], { input: list(added), env: LITERALLY });
  const commit = ['-C', top, 'commit', '--quiet', '--only', '--message', message, ...FROM_INPUT];
  const input = list(changed.map(({ path }) => path));
  const answer = await git(commit, { input, env: LITERALLY, answers: [0, 1, 128] });
  if (answer.code !== 0) {
    const said = answer.err.trim().slice(0, 500);
    throw new GatelineError('COMMIT_REFUSED', `git did not commit${said === '' ? '' : `: ${said}`}`);
  }
  return (await git(['rev-parse', 'HEAD'])).out.toString('latin1').trim();
}
