import type { Environment } from '../environment.ts';
import { GatelineError, messageOf } from '../errors/gateline-error.ts';
import type { Git } from './git.ts';
import { blobOf } from './blob.ts';
import { findRepository, type Repository } from './repository.ts';

/** Files as one commit has them, whatever the work tree says. */
export interface CommitFiles {
  /** A file as text; see `Workspace.readText`. `undefined`: the commit does not have it. */
  readText(path: string): Promise<string | undefined>;
  /** The first of these paths that the commit has as a plain file. */
  firstOf(paths: readonly string[]): Promise<string | undefined>;
  /** Blob id of a file; `undefined`: the commit does not have it, or it is no plain file. */
  blobOf(path: string): Promise<string | undefined>;
}

/** What {@link openCommit} is told. */
export interface CommitOptions {
  readonly environment: Environment;
  /** Fetch the commit alone from `origin` when the clone, a shallow one as a rule, does not have it. Default true. */
  readonly fetch?: boolean;
  /** Name or path of git. Default `git`. */
  readonly git?: string;
}

const LARGEST = 16 * 1_024 ** 2;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const BRANCH = /^refs\/heads\/[^\s~^:?*[\\\0-\x1f]{1,255}$/;

/**
 * The files of a commit, read from git's objects: what an agent does to the work tree, to branches or to the index changes
 * nothing of them.
 *
 * @param root a folder in a git work tree; paths are relative to it
 * @param revision a whole commit id; or the full ref of a branch, as `origin` has it now
 * @throws GatelineError `REPOSITORY_MISSING`; `COMMIT_UNREADABLE` when the commit is neither there nor to be fetched
 */
export async function openCommit(root: string, revision: string, options: CommitOptions): Promise<CommitFiles> {
  if (!COMMIT.test(revision) && !BRANCH.test(revision)) throw unreadable(revision, 'that is no commit id');
  const repository = await findRepository(root, options.git ?? 'git', options.environment);
  if (repository === undefined) {
    throw new GatelineError('user', 'REPOSITORY_MISSING', `${root} is not in a git work tree`, {
      hint: 'Check out the repository before this step (actions/checkout).',
    });
  }
  const { git, top, prefix } = repository;
  const commit = await commitOf(git, revision, options.fetch ?? true);
  const blobs = async (paths: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    findBlobs(
      git,
      commit,
      top,
      paths.map((path) => `${prefix}${contained(path)}`),
    );
  const blobOf = async (path: string): Promise<string | undefined> => (await blobs([path])).get(`${prefix}${path}`);
  return {
    blobOf,
    firstOf: async (paths) => {
      const found = await blobs(paths);
      return paths.find((path) => found.has(`${prefix}${path}`));
    },
    readText: async (path) => {
      const blob = await blobOf(path);
      return blob === undefined ? undefined : readBlob(repository, blob, path);
    },
  };
}

async function has(git: Git, commit: string): Promise<boolean> {
  return (await git(['cat-file', '-e', `${commit}^{commit}`], { answers: [0, 1, 128] })).code === 0;
}

/** The id of a commit that is there from now on. What `origin` calls a branch is always asked of it: a local one may be anybody's. */
async function commitOf(git: Git, revision: string, mayFetch: boolean): Promise<string> {
  const isCommit = COMMIT.test(revision);
  if (isCommit && (await has(git, revision))) return revision;
  if (!mayFetch) throw unreadable(revision, 'the clone does not have it');
  try {
    await git(['fetch', '--quiet', '--no-tags', '--depth=1', 'origin', revision]);
  } catch (cause) {
    throw unreadable(revision, `the clone does not have it, and it could not be fetched: ${messageOf(cause)}`, cause);
  }
  return isCommit
    ? revision
    : (await git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'])).out.toString('utf8').trim();
}

/** @throws GatelineError `PATH_ESCAPES` */
function contained(path: string): string {
  if (!path.includes('\0') && !path.split('/').some((part) => part === '..' || part === '.' || part === ''))
    return path;
  throw new GatelineError('user', 'PATH_ESCAPES', `${JSON.stringify(path)} is not the path of a file in a commit.`, {
    hint: 'Name a file by its path below the workspace, with `/` and without `..`.',
  });
}

/** Blob ids of those paths that are plain files; links and folders are none. */
async function findBlobs(
  git: Git,
  commit: string,
  top: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const { out } = await git(['--literal-pathspecs', 'ls-tree', '-z', commit, '--', ...paths], { cwd: top });
  const found = new Map<string, string>();
  for (const line of out.toString('utf8').split('\0')) {
    const tab = line.indexOf('\t');
    const [mode = '', type = '', blob = ''] = line.slice(0, Math.max(tab, 0)).split(' ');
    if (type === 'blob' && mode.startsWith('100')) found.set(line.slice(tab + 1), blob);
  }
  return found;
}

async function readBlob({ git, format }: Repository, blob: string, path: string): Promise<string> {
  const size = Number((await git(['cat-file', '-s', blob])).out.toString('utf8'));
  if (size > LARGEST) {
    throw new GatelineError('user', 'FILE_TOO_LARGE', `${path} is larger than 16 MiB.`, {
      hint: 'Name a smaller file.',
    });
  }
  const { out } = await git(['cat-file', 'blob', blob]);
  // git believes what lies under an object's name; whoever can write to .git can put something else there.
  if (blobOf(out, format) !== blob) {
    throw new GatelineError('agent', 'OBJECT_ALTERED', `${path}: what .git keeps as ${blob} is something else`, {
      hint: 'A step before this one changed the repository itself. Check it out again, and keep agents out of .git.',
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(out);
  } catch (cause) {
    throw new GatelineError('user', 'FILE_NOT_UTF8', `${path} is not UTF-8.`, { hint: 'Save it as UTF-8.', cause });
  }
}

function unreadable(revision: string, why: string, cause?: unknown): GatelineError {
  return new GatelineError('user', 'COMMIT_UNREADABLE', `commit ${revision.slice(0, 80)} cannot be read: ${why}`, {
    hint: 'Check out the repository before this step (actions/checkout), with `fetch-depth: 0` where the commit is not the one that is checked out.',
    ...(cause !== undefined && { cause }),
  });
}
