import type { PutReason } from '../run/files/put-reason.ts';
import type { Environment } from '../environment.ts';
import type { Content, FileChange } from '../run/records/record.ts';
import type { Digest } from '../json/digest.ts';
import type { Read } from '../run/records/reading.ts';
import type { Tree, TreeDifference, TreeFile } from '../run/files/tree.ts';

/** Id of a tree object: a version of the workspace's files as a whole. */
export type TreeId = string;

/** The user's version of the workspace at one moment. */
export interface Snapshot {
  readonly tree: TreeId;
  /** For people: one sentence each about files that are unexpectedly missing. */
  readonly notices: readonly string[];
}

/** The request for a place in which an attempt works. */
export interface CheckoutRequest {
  /** The user's version, and the same with the files of earlier gates applied: the version to check out. */
  readonly base: TreeId;
  readonly tree: TreeId;
  /** The attempt's name; a {@link Workspace.reopen} with the same name finds its place again. */
  readonly attempt: string;
  /** `tree`: a work tree of its own. `in-place`: the user's folder, or a CI job's checkout. */
  readonly place: 'tree' | 'in-place';
  /** The globs of the gate's `files`: ignored files that they name are captured too. */
  readonly files: 'changed' | readonly string[];
  /** For an agent that runs by itself: how long the place is reserved for it. ISO 8601. */
  readonly until?: string | undefined;
  /** The gate and the subject of the attempt, for messages. */
  readonly of?: { readonly unit: string; readonly subject: string } | undefined;
  /** For the setup command of a new work tree. Default: its output is not shown, and nothing stops it. */
  readonly setup?: {
    readonly signal: AbortSignal;
    readonly onLine: (stream: 'stdout' | 'stderr', line: string) => void;
    readonly redact: (text: string) => string;
  };
}

/** A place where an attempt works. */
export interface Checkout {
  /** Absolute path of the workspace there. */
  readonly root: string;
  /** The version there before the agent starts. */
  readonly from: TreeId;
  /** The caller's environment for that place: paths and variables that lead to the user's folder lead here. */
  environment(inherited: Environment): Environment;
  /** The current files there, whatever the agent staged, committed or ignored. */
  capture(): Promise<CapturedWork>;
  /** For people: one sentence each about differences from the user's folder. */
  readonly notices: readonly string[];
  /**
   * Releases the place.
   * @param isReusable false if something may still write to it
   * @param left pids of processes that stay there
   */
  release(isReusable: boolean, left?: readonly number[]): Promise<void>;
}

/** The result of an attempt's work. */
export interface CapturedWork {
  readonly tree: TreeId;
  /** Unreadable entries; paths relative to the workspace. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/** A version without files that are not kept. */
export interface Screened {
  readonly tree: TreeId;
  readonly refused: readonly { readonly path: string; readonly blob: string }[];
  /** Size of all files that were read. */
  readonly bytes: number;
}

/** Files that an attempt changed. */
export interface Changes {
  /** Files that the gate hands on, with content stored through `keep`. Sorted by path. */
  readonly files: readonly FileChange[];
  /** Other files that changed. Sorted by path. */
  readonly touched: readonly FileChange[];
  /**
   * Paths of changed symbolic links and repositories that the gate does not hand on: a record has plain files only.
   * Sorted.
   */
  readonly links: readonly string[];
  /**
   * Things that cannot be handed on: symbolic links, submodules, files over the limit, paths that leave the workspace.
   */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** Source of content for {@link Workspace.build}; the store's `copyTo`. */
export type CopyContent = (digest: Digest, path: string, mode: number) => Promise<Read<Content>>;

/**
 * Stores content for {@link Workspace.changes}. It may refuse a file with a reason: that file is then listed as
 * refused.
 */
export type KeepContent = (
  chunks: AsyncIterable<Uint8Array>,
  path: string,
) => Promise<Content | { readonly refused: string }>;

/** A version of one path; `null`: no file. */
export interface LaidFile {
  readonly path: string;
  /** `content`: where it is stored if no object store has the blob. */
  readonly after: (TreeFile & { readonly content?: Content | undefined }) | null;
  /**
   * Absolute path of a file that is this version as it was on disk: its bytes and its mode are preferred to the blob's.
   */
  readonly copyFrom?: string;
}

/** A file to write into the user's folder. */
export interface WantedFile extends LaidFile {
  /** Versions at that path that may be replaced; `null`: nothing. */
  readonly over: readonly (TreeFile | null)[];
  /** List the path even if it is this version already: a rollback may restore another one there. */
  readonly listUnchanged?: boolean;
}

/** An earlier call that wrote files into the user's folder. */
export interface EarlierPut extends PutReason {
  /** `begun`: the call was interrupted; some of the changes may not have been made. */
  readonly state: 'begun' | 'done';
  /** `copyFrom` is the version before, as it was on disk. */
  readonly changes: readonly (TreeDifference & Pick<LaidFile, 'copyFrom'>)[];
}

/** Options for writing files into the user's folder. */
export interface PutOptions {
  /** Source of content that no object store has. */
  readonly copy: CopyContent;
  /**
   * Absolute path of a folder on the same disk: files that are replaced are first copied to `files/` in it, with the
   * list `applied.json`. If the folder already exists, another one is created next to it.
   */
  readonly saved: string;
  /** Only report what would be done. */
  readonly dryRun: boolean;
  /** Noted in the list, so that it can be undone. */
  readonly reason: PutReason;
  /**
   * Called when the list is written, even one of no files, and before any file is. If it throws, none is written; the
   * list stays only if `begun` was called: something may be half done then.
   */
  readonly before?: ((begun: () => void) => Promise<void>) | undefined;
}

/** The result for one path to write into the folder. */
export interface Put {
  readonly path: string;
  readonly action: 'written' | 'deleted' | 'unchanged' | 'conflict';
  /** For `conflict`: why the path was not changed. */
  readonly why?: string;
}

/** The results for all paths. */
export interface PutResult {
  readonly puts: readonly Put[];
  /** Absolute path of the folder with copies of replaced files; absent: nothing was replaced. */
  readonly saved?: string;
}

/**
 * The files that a pipeline works on: a git work tree, or a plain folder. Versions of them are tree objects in our own
 * object store. None contains `.git` or `.state`. Every path given or returned is relative to the workspace and
 * `/`-separated; one of the same repository outside of the workspace begins with `../`.
 */
export interface Workspace extends AsyncDisposable {
  /** Absolute, real path. */
  readonly root: string;

  /** The git in use: an absolute path, if it was found. */
  readonly git: string;

  /**
   * The user's current version: tracked files, untracked ones that git does not ignore (not for a CI job), and ignored
   * ones that a list of globs names.
   * @throws GatelineError `UNTRACKED_TOO_LARGE`, `SUBMODULE_DIRTY`, `GIT_FAILED`, `GIT_TIMEOUT`
   */
  snapshot(named: readonly (readonly string[])[]): Promise<Snapshot>;

  /** Files of a version. */
  files(tree: TreeId): Promise<Tree>;

  /** Files of a version of the user's folder, plus files at certain paths that git ignores there. */
  currentFiles(tree: TreeId, paths: readonly string[]): Promise<Tree>;

  /**
   * Whether a list of globs matches this path; `undefined` matches every path.
   * @param mode git's mode of the file: a submodule is also matched by a glob that names something in it
   */
  matches(globs: readonly string[] | undefined, path: string, mode?: string): boolean;

  /**
   * A version with changes applied.
   * @throws GatelineError `CONTENT_MISSING`
   */
  build(base: TreeId, changes: readonly LaidFile[], copy: CopyContent): Promise<TreeId>;

  /** Differences between two versions, sorted by path. */
  differences(from: TreeId, to: TreeId): Promise<readonly TreeDifference[]>;

  /**
   * A version without the changed files that are refused; there it is as `from`.
   * @param known paths of files that need not be read
   * @param isRefused must read a file to its end
   */
  screen(
    from: TreeId,
    tree: TreeId,
    known: ReadonlySet<string>,
    isRefused: (chunks: AsyncIterable<Uint8Array>) => Promise<boolean>,
  ): Promise<Screened>;

  /** Removes contents that are refused from our own object store, unless the user's version has them. */
  discard(blobs: Iterable<string>, users: TreeId): Promise<void>;

  /** Keeps the objects that two versions do not share, whatever happens to the user's repository. */
  keep(from: TreeId, to: TreeId): Promise<void>;

  /**
   * Removes everything from our own object store that no kept version has, if it still has one of the old versions.
   * @param kept asked only then; `undefined`: nothing can be removed now
   */
  prune(old: ReadonlySet<TreeId>, kept: () => Promise<ReadonlySet<TreeId> | undefined>): Promise<void>;

  /** The patch between two versions, as `git diff` prints it, limited to the given paths, if any. */
  patch(from: TreeId, to: TreeId, paths?: readonly string[]): Promise<string>;

  /** The same with all contents, and paths from the top of the repository, as `git apply` reads it. */
  wholePatch(from: TreeId, to: TreeId, paths: readonly string[]): Promise<Uint8Array>;

  /**
   * Checks out a version where an attempt can work.
   * @throws GatelineError `GATE_NOT_APPLIED` when the attempt works in the user's folder and the folder does not match
   *   the version
   */
  checkOut(request: CheckoutRequest): Promise<Checkout>;

  /** The place of an attempt that another process checked out. `undefined`: it is gone. */
  reopen(request: CheckoutRequest & { readonly from: TreeId }): Promise<Checkout | undefined>;

  /** Releases the place of an attempt that is never completed. The user's folder may be used again, a work tree not. */
  forget(attempt: string): Promise<void>;

  /** @throws GatelineError `CLAIM_IN_PLACE` while an agent that runs by itself works in the user's folder */
  requireFolder(): Promise<void>;

  /** Deletes the places of attempts whose engine is gone. `now`: ISO 8601. */
  sweep(now: string): Promise<void>;

  /**
   * Separates the differences between two versions into what a gate hands on, with its content stored, and the rest.
   */
  changes(
    from: TreeId,
    work: CapturedWork,
    files: 'changed' | readonly string[],
    keep: KeepContent,
    at: Checkout,
  ): Promise<Changes>;

  /**
   * Writes files into the user's folder at the paths that still match `over`; others are conflicts, and not changed.
   * Each file is written atomically. Ignored files are checked too.
   * @param tree the current folder
   * @throws GatelineError `CLAIM_IN_PLACE` while an agent that runs by itself works in the folder; `APPLY_FAILED`,
   *   `CONTENT_MISSING`
   */
  put(wanted: readonly WantedFile[], tree: TreeId, options: PutOptions): Promise<PutResult>;

  /** The files that calls of {@link Workspace.put} with `saved` in this folder wrote, oldest first. */
  earlierPuts(parent: string): Promise<EarlierPut[]>;

  /**
   * A file of the workspace as text, contained (symbolic links that leave it are refused). `undefined`: it does not
   * exist.
   */
  readText(path: string): Promise<string | undefined>;

  /** A file in the checked out commit; `null`: not in the commit. `undefined`: there is no commit. */
  committed(path: string): Promise<TreeFile | null | undefined>;

  /** Id of the last commit that changed a path; `undefined`: there is none. */
  lastCommit(path: string): Promise<string | undefined>;

  /** Name of the checked out branch, for the default subject; `undefined` without git or when detached. */
  branch(): Promise<string | undefined>;
}
