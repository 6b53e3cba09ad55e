import { stat } from 'node:fs/promises';
import type { Environment } from '../environment.ts';
import { GatelineError, isSystemError } from '../errors/gateline-error.ts';
import { isDayFile, newestLines } from '../history/branch.ts';
import { linesOfDocument } from '../history/document.ts';
import { isAboutGates } from '../history/read.ts';
import type { HistorySource } from '../history/query.ts';
import { linesFromEnd } from '../store/filesystem/history/line-file.ts';
import type { Git } from '../workspace/git/git.ts';
import { objectNamed, readObjects } from '../workspace/git/git-objects.ts';
import { findRepository } from '../workspace/git/repository.ts';

/**
 * A file with entries: a copy of `history.jsonl`, with one entry per line about runs, about their gates, or both; or
 * the document of a report.
 * @param path absolute
 * @throws GatelineError `INPUT_INVALID` if there is no such file
 */
export async function readHistoryFile(path: string): Promise<HistorySource> {
  try {
    await stat(path);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
    throw new GatelineError('INPUT_INVALID', `${path} does not exist`, {
      hint: '`local` is the history of this workspace, `branch` that of a branch; anything else is the name of a file.',
    });
  }
  return { entries: () => lines(path, false), gates: () => lines(path, true) };
}

function* lines(path: string, aboutGates: boolean): Generator<readonly string[]> {
  for (const some of linesFromEnd(path)) {
    const all = some.toReversed().flatMap((line) => linesOfDocument(line) ?? [line]);
    yield all.filter((line) => isAboutGates(line) === aboutGates);
  }
}

/** Where the branch is looked for. What was fetched last is newer than a branch that somebody checked out once. */
const PLACES = ['refs/remotes/origin/', 'refs/heads/'];

/**
 * The history that reports pushed to a branch, as it was fetched last. It is read into memory; nothing is downloaded.
 * @param root a folder of the clone, absolute
 * @throws GatelineError `INPUT_INVALID` if there is no such branch, `REPOSITORY_MISSING`, `GIT_FAILED`
 */
export async function readHistoryBranch(
  root: string,
  branch: string,
  environment: Environment,
): Promise<HistorySource> {
  const repository = await findRepository(root, { binary: 'git', environment });
  if (repository === undefined) throw new GatelineError('REPOSITORY_MISSING', `${root} is not in a git repository`);
  const { git } = repository;
  const commit = await commitOf(git, branch);
  const { out } = await git(['ls-tree', '--name-only', '--full-tree', commit]);
  const days = out.toString('utf8').split('\n').filter(isDayFile).toSorted().toReversed();
  const files = await readObjects(
    git,
    days.map((name) => `${commit}:${name}`),
  );
  const lines = function* (aboutGates: boolean): Generator<readonly string[]> {
    for (const { content } of files) yield newestLines(content, aboutGates);
  };
  return { entries: () => lines(false), gates: () => lines(true) };
}

async function commitOf(git: Git, branch: string): Promise<string> {
  for (const place of PLACES) {
    const commit = await objectNamed(git, `${place}${branch}^{commit}`);
    if (commit !== undefined) return commit;
  }
  throw new GatelineError('INPUT_INVALID', `this clone has no branch ${branch}`, {
    hint: `Run \`git fetch origin ${branch}:refs/remotes/origin/${branch}\`. Reports write it if \`history-branch\` names it.`,
  });
}
