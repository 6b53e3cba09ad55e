import type { TreeId } from './workspace.ts';

/** A commit and its files. */
export interface CommitFound {
  readonly commit: string;
  readonly tree: TreeId;
}

/** A commit to be made. */
export interface CommitWanted {
  /** Made by {@link Workspace.build}. */
  readonly tree: TreeId;
  readonly message: string;
  /** Its date, ISO 8601: the same files, message and date on the same parent are the same commit. */
  readonly at: string;
}

/** Branches of the user's repository. Only `commit` changes HEAD and the index, and nothing the work tree. */
export interface Branches {
  /** Path of the workspace in its repository: '' or ending in `/`; '' without a repository. */
  prefix(): Promise<string>;
  /** The commit that is checked out; `undefined`: there is none yet. @throws GatelineError `REPOSITORY_MISSING` */
  head(): Promise<CommitFound | undefined>;
  /** @throws GatelineError `DELIVERY_REFUSED` if git does not know whose commits they are */
  requireAuthor(): Promise<void>;
  /** The commit of a branch; `undefined`: there is no such branch. @param name below `refs/heads/` */
  find(name: string): Promise<CommitFound | undefined>;
  /**
   * Makes commits, one after another, and a branch that ends with the last one.
   * @param name below `refs/heads/`; safe in a command
   * @param on the commit that the first one has as its parent
   * @throws GatelineError `DELIVERY_BRANCH_TAKEN` if there is such a branch, or one whose name is the beginning of its
   *   name; `GIT_FAILED`
   */
  create(name: string, on: CommitFound, commits: readonly CommitWanted[]): Promise<CommitFound>;
  /** @throws GatelineError `STAGED_CHANGES` if a commit would contain changes that a person has staged */
  refuseStaged(): Promise<void>;
  /**
   * Commits the present content of some paths on the checked out branch, with the user's name and hooks, and nothing
   * else. Ignored files are left out.
   * @param paths relative to the workspace
   * @returns the commit; `undefined`: they are all committed already
   * @throws GatelineError `STAGED_CHANGES`, `COMMIT_REFUSED`, `GIT_FAILED`
   */
  commit(paths: readonly string[], message: string): Promise<string | undefined>;
}
