import type { Environment } from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import type { Git } from '../git/git.ts';
import { GitObjects } from '../git/git-objects.ts';
import { findRepository } from '../git/repository.ts';

/** Files of one commit, independent of the work tree. */
export interface CommitFiles {
  /** A file as text; see `Workspace.readText`. `undefined`: it is not in the commit. */
  readText(path: string): Promise<string | undefined>;
  /** The first of these paths that is a plain file in the commit. */
  firstOf(paths: readonly string[]): Promise<string | undefined>;
  /** Blob id of a file; `undefined`: it is not in the commit, or not a plain file. */
  blobOf(path: string): Promise<string | undefined>;
}

/** Options of {@link openCommit}. */
export interface CommitOptions {
  readonly environment: Environment;
  /** Fetch only this commit from `origin` if the clone (usually a shallow one) does not have it. Default true. */
  readonly fetch?: boolean;
  /** Name or path of git. Default `git`. */
  readonly git?: string;
  /** Milliseconds after which a git command is ended. */
  readonly gitTimeoutMs?: number;
  /** Paths that will probably be asked for: git is asked for their folders at once. */
  readonly paths?: readonly string[];
}

const LARGEST = 16 * 1_024 ** 2;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const BRANCH = /^refs\/heads\/[^\s~^:?*[\\\0-\x1f]{1,255}$/;

/**
 * The files of a commit, read from git's objects, each verified by its id. An agent that changes the work tree,
 * branches or the index cannot change them.
 *
 * @param root a folder in a git work tree; paths are relative to it
 * @param revision a full commit id; or the full ref of a branch, resolved on `origin`
 * @throws GatelineError `REPOSITORY_MISSING`; `COMMIT_UNREADABLE` when the commit is missing and cannot be fetched
 */
export async function openCommit(root: string, revision: string, options: CommitOptions): Promise<CommitFiles> {
  if (!COMMIT.test(revision) && !BRANCH.test(revision)) throw unreadable(revision, 'that is not a commit id');
  const repository = await findRepository(root, {
    binary: options.git ?? 'git',
    environment: options.environment,
    ...(options.gitTimeoutMs !== undefined && { timeoutMs: options.gitTimeoutMs }),
  });
  if (repository === undefined) {
    throw new GatelineError('REPOSITORY_MISSING', `${root} is not in a git work tree`);
  }
  const { git, prefix, format } = repository;
  const objects = new GitObjects(git, format);
  const isThere = (id: string): Promise<boolean> =>
    objects.load(
      id,
      (options.paths ?? []).map((path) => `${prefix}${path}`),
    );
  const commit = await commitOf(git, revision, { isThere, mayFetch: options.fetch ?? true });
  const tree = objects.treeOf(commit);
  // The caller that asks for a file gets the error.
  tree.catch(() => undefined);
  const blobOf = async (path: string): Promise<string | undefined> => {
    const entry = await objects.entryAt(await tree, `${prefix}${contained(path)}`);
    return entry?.mode.startsWith('100') ? entry.id : undefined;
  };
  return {
    blobOf,
    firstOf: async (paths) => {
      const blobs = await Promise.all(paths.map(blobOf));
      return paths.find((_, index) => blobs[index] !== undefined);
    },
    readText: async (path) => {
      const blob = await blobOf(path);
      return blob === undefined ? undefined : readBlob(git, objects, blob, path);
    },
  };
}

/**
 * The id of a commit that is then available locally. A branch is always resolved on `origin`: a local branch may have
 * been changed.
 */
async function commitOf(
  git: Git,
  revision: string,
  { isThere, mayFetch }: { readonly isThere: (id: string) => Promise<boolean>; readonly mayFetch: boolean },
): Promise<string> {
  const isCommit = COMMIT.test(revision);
  if (isCommit && (await isThere(revision))) return revision;
  if (!mayFetch) throw unreadable(revision, 'it is not in the clone');
  try {
    await git(['fetch', '--quiet', '--no-tags', '--depth=1', 'origin', revision]);
  } catch (cause) {
    throw unreadable(revision, `it is not in the clone, and could not be fetched: ${messageOf(cause)}`, cause);
  }
  return isCommit
    ? revision
    : (await git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'])).out.toString('utf8').trim();
}

/** @throws GatelineError `PATH_ESCAPES` */
function contained(path: string): string {
  if (!path.includes('\0') && !path.split('/').some((part) => part === '..' || part === '.' || part === ''))
    return path;
  throw new GatelineError('PATH_ESCAPES', `${JSON.stringify(path)} is not the path of a file in a commit.`, {
    hint: 'Name a file by its path below the workspace, with `/` and without `..`.',
  });
}

async function readBlob(git: Git, objects: GitObjects, blob: string, path: string): Promise<string> {
  const size = Number((await git(['cat-file', '-s', blob])).out.toString('utf8'));
  if (size > LARGEST) {
    throw new GatelineError('FILE_TOO_LARGE', `${path} is larger than 16 MiB.`);
  }
  const bytes = await objects.read('blob', blob);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new GatelineError('FILE_NOT_UTF8', `${path} is not UTF-8.`, { cause });
  }
}

function unreadable(revision: string, why: string, cause?: unknown): GatelineError {
  return new GatelineError('COMMIT_UNREADABLE', `commit ${revision.slice(0, 80)} cannot be read: ${why}`, {
    ...(cause !== undefined && { cause }),
  });
}
