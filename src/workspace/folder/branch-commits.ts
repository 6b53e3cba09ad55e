import { join, posix } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Branches, CommitFound, CommitWanted } from '../branches.ts';
import type { GitOptions } from '../git/git.ts';
import { objectNamed } from '../git/git-objects.ts';
import { findRepository, type Repository } from '../git/repository.ts';
import { commitPaths, refuseStaged } from './commit-paths.ts';
import { idLines } from '../objects/own-objects.ts';
import { objectsBelow } from '../objects/object-store.ts';

const BRANCHES = 'refs/heads/';

/**
 * Branches of the repository around a folder.
 * @param store absolute path of our own object store, where new trees are
 */
export function openBranches(root: string, store: string, options: GitOptions): Branches {
  let found: Promise<Repository | undefined> | undefined;
  const find = (): Promise<Repository | undefined> => (found ??= findRepository(root, options));
  const repository = async (): Promise<Repository> => {
    const one = await find();
    if (one !== undefined) return one;
    throw new GatelineError('REPOSITORY_MISSING', `${root} is not in a git work tree`, {
      hint: 'Branches need a repository: `git init`, and a first commit.',
    });
  };
  return {
    prefix: async () => (await find())?.prefix ?? '',
    head: async () => commitAt(await repository(), 'HEAD'),
    requireAuthor: async () => requireAuthor(await repository()),
    find: async (name) => commitAt(await repository(), BRANCHES + name),
    create: async (name, on, commits) => create(await repository(), store, { name, on, commits }),
    refuseStaged: async () => refuseStaged(await repository()),
    commit: async (paths, message) => {
      const one = await repository();
      return commitPaths(
        one,
        paths.map((path) => posix.normalize(one.prefix + path)),
        message,
      );
    },
  };
}

async function commitAt({ git }: Repository, revision: string): Promise<CommitFound | undefined> {
  const [commit, tree] = await Promise.all(['commit', 'tree'].map((type) => objectNamed(git, `${revision}^{${type}}`)));
  return commit === undefined || tree === undefined ? undefined : { commit, tree };
}

async function requireAuthor({ git }: Repository): Promise<void> {
  const answer = await git(['var', 'GIT_COMMITTER_IDENT'], { answers: [0, 128] });
  if (answer.code === 0) return;
  throw new GatelineError('DELIVERY_REFUSED', 'git has no name and no email address for commits', {
    hint: 'Set them: `git config user.name NAME`, `git config user.email ADDRESS`; or use `--deliver patch`.',
  });
}

interface BranchWanted {
  readonly name: string;
  readonly on: CommitFound;
  readonly commits: readonly CommitWanted[];
}

async function create(
  repository: Repository,
  store: string,
  { name, on, commits }: BranchWanted,
): Promise<CommitFound> {
  let last = on;
  for (const { tree, message, at } of commits) {
    await copyTree(repository, store, last.tree, tree);
    const dates = { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
    const made = await repository.git(
      ['-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', tree, '-p', last.commit, '-F', '-'],
      { input: Buffer.from(message), env: dates },
    );
    last = { commit: made.out.toString('latin1').trim(), tree };
  }
  // No hook of the user runs, and a branch that was made meanwhile stays as it is.
  const nothing = '0'.repeat(last.commit.length);
  const update = ['update-ref', '-m', 'gateline run --deliver branch', BRANCHES + name, last.commit, nothing];
  const answer = await repository.git(['-c', `core.hooksPath=${join(store, 'no-hooks')}`, ...update], {
    answers: [0, 1, 128],
  });
  if (answer.code === 0) return last;
  throw new GatelineError(
    'DELIVERY_BRANCH_TAKEN',
    `the branch ${name} cannot be made: ${answer.err.trim().slice(0, 500)}`,
  );
}

/** Copies the objects of a tree that the repository lacks from our own store. */
async function copyTree({ git, format }: Repository, store: string, from: string, tree: string): Promise<void> {
  if (from === tree) return;
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: objectsBelow(store, format) };
  const { out } = await git(['rev-list', '--objects', '--no-object-names', tree, `^${from}`], { env });
  const ids = out
    .toString('latin1')
    .split('\n')
    .filter((id) => id !== '');
  const pack = await git(['pack-objects', '-q', '--stdout'], { env, input: idLines(ids) });
  await git(['unpack-objects', '-q'], { input: pack.out });
}
