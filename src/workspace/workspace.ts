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
  /** For people: what is not in it although somebody might expect it. One sentence each. */
  readonly notices: readonly string[];
}

/** What an attempt is given to work in. */
export interface CheckoutRequest {
  /** The user's version, and the same with the files of earlier gates laid over it: the version to stand there. */
  readonly base: TreeId;
  readonly tree: TreeId;
  /** Names the attempt; a {@link Workspace.reopen} with the same name finds its place again. */
  readonly attempt: string;
  /** `tree`: a work tree of its own. `in-place`: the user's folder, or a CI job's checkout. */
  readonly place: 'tree' | 'in-place';
  /** What the gate hands on: ignored files that these globs name are looked at too. */
  readonly files: 'changed' | readonly string[];
  /** For an agent that runs by itself: how long the place is kept for it. ISO 8601. */
  readonly until?: string | undefined;
  /** For the setup command of a new work tree. Default: nobody follows it, and nothing stops it. */
  readonly setup?: {
    readonly signal: AbortSignal;
    readonly onLine: (stream: 'stdout' | 'stderr', line: string) => void;
    readonly redact: (text: string) => string;
  };
}

/** A place where an attempt works. */
export interface Checkout {
  /** Absolute path of the workspace in it. */
  readonly root: string;
  /** What stands there before the agent begins. */
  readonly from: TreeId;
  /** The caller's environment as it is to be there: paths and variables that lead to the user's folder lead here. */
  environment(inherited: Environment): Environment;
  /** What stands there now, whatever the agent staged, committed or ignored. */
  capture(): Promise<CapturedWork>;
  /** For people: what is not there as in the user's folder. One sentence each. */
  readonly notices: readonly string[];
  /**
   * Gives the place back.
   * @param isReusable false when something may still write to it
   */
  release(isReusable: boolean): Promise<void>;
}

/** What an attempt left. */
export interface CapturedWork {
  readonly tree: TreeId;
  /** What could not be looked at; paths relative to the workspace. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/** Files that an attempt changed. */
export interface Changes {
  /** Those that the gate hands on, content kept by the given `keep`. Sorted by path. */
  readonly files: readonly FileChange[];
  /** Other files that changed. Sorted by path. */
  readonly touched: readonly FileChange[];
  /** Paths of changed symbolic links and repositories that the gate does not hand on: a record has plain files only. Sorted. */
  readonly links: readonly string[];
  /** Things that cannot be handed on: symbolic links, submodules, files over the limit, paths that leave the workspace. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** Where {@link Workspace.build} takes content from; the store's `copyTo`. */
export type CopyContent = (digest: Digest, path: string, mode: number) => Promise<Read<Content>>;

/** Where {@link Workspace.changes} keeps content. It may refuse a file, saying why: that file is then listed as refused. */
export type KeepContent = (
  chunks: AsyncIterable<Uint8Array>,
  path: string,
) => Promise<Content | { readonly refused: string }>;

/** A file that is to be put into the user's folder. */
export interface WantedFile extends Pick<FileChange, 'path' | 'after'> {
  /** What may stand there and be replaced; `null`: nothing. */
  readonly over: readonly (TreeFile | null)[];
}

/** How files are put into the user's folder. */
export interface PutOptions {
  /** Where content is taken from that no object store has. */
  readonly copy: CopyContent;
  /**
   * Absolute path of a folder on the same disk: what is replaced is copied to `files/` in it first, with `applied.json` as
   * the list. Where it exists already, one beside it is made.
   */
  readonly saved: string;
  /** Only say what would be done. */
  readonly dryRun: boolean;
}

/** The result for one path to write into the folder. */
export interface Put {
  readonly path: string;
  readonly action: 'written' | 'deleted' | 'unchanged' | 'conflict';
  /** For `conflict`: why the path was left alone. */
  readonly why?: string;
}

/** The results for all paths. */
export interface PutResult {
  readonly puts: readonly Put[];
  /** Absolute path of the folder to which what was replaced was copied; absent: nothing was replaced. */
  readonly saved?: string;
}

/**
 * The files that a pipeline works on: a git work tree, or a plain folder. Versions of them are tree objects in an object
 * store of our own. `.git` and `.state` are in none. Every path given or returned is relative to the workspace and
 * `/`-separated; one of the same repository outside of the workspace begins with `../`.
 */
export interface Workspace extends AsyncDisposable {
  /** Absolute, real path. */
  readonly root: string;

  /** The git that is run: an absolute path, where it could be found. */
  readonly git: string;

  /**
   * The user's version as it is now: tracked files, untracked ones that git does not ignore (not for a CI job), and ignored
   * ones that a list of globs names.
   * @throws GatelineError `UNTRACKED_TOO_LARGE`, `SUBMODULE_DIRTY`, `GIT_FAILED`, `GIT_TIMEOUT`
   */
  snapshot(named: readonly (readonly string[])[]): Promise<Snapshot>;

  /** Files of a version. */
  files(tree: TreeId): Promise<Tree>;

  /** Files of a version of the user's folder, and those at some paths that git ignores there. */
  currentFiles(tree: TreeId, paths: readonly string[]): Promise<Tree>;

  /**
   * Whether a list of globs takes this path; `undefined` takes every path.
   * @param mode of the file there, as git has it: a submodule is also taken by a glob that names something in it
   */
  matches(globs: readonly string[] | undefined, path: string, mode?: string): boolean;

  /**
   * A version with changes laid over it.
   * @throws GatelineError `CONTENT_MISSING`
   */
  build(base: TreeId, changes: readonly FileChange[], copy: CopyContent): Promise<TreeId>;

  /** What differs between two versions, sorted by path. */
  differences(from: TreeId, to: TreeId): Promise<TreeDifference[]>;

  /** Keeps what two versions do not have in common, whatever happens to the user's repository. */
  keep(from: TreeId, to: TreeId): Promise<void>;

  /** Two versions as a patch, as `git diff` prints it, limited to some paths when they are given. */
  patch(from: TreeId, to: TreeId, paths?: readonly string[]): Promise<string>;

  /**
   * Makes a version stand where an attempt can work.
   * @throws GatelineError `GATE_NOT_APPLIED` when the user's folder is to be worked in and does not stand so
   */
  checkOut(request: CheckoutRequest): Promise<Checkout>;

  /** The place of an attempt that another process checked out. `undefined`: it is gone. */
  reopen(request: CheckoutRequest & { readonly from: TreeId }): Promise<Checkout | undefined>;

  /** Frees the place of an attempt that nobody completes: the user's folder for others, a work tree for nobody. */
  forget(attempt: string): Promise<void>;

  /** @throws GatelineError `CLAIM_IN_PLACE` while an agent that runs by itself works in the user's folder */
  requireFolder(): Promise<void>;

  /** Deletes places of attempts whose engine is gone. `now`: ISO 8601. */
  sweep(now: string): Promise<void>;

  /** Parts what differs between two versions into what a gate hands on, with its content kept, and the rest. */
  changes(
    from: TreeId,
    work: CapturedWork,
    files: 'changed' | readonly string[],
    keep: KeepContent,
    at: Checkout,
  ): Promise<Changes>;

  /**
   * Puts files into the user's folder: those paths that still are as `over` says; others are conflicts, and left alone.
   * Each file whole or not at all. Ignored files are looked at too.
   * @param tree the folder as it is now
   * @throws GatelineError `CLAIM_IN_PLACE` while an agent that runs by itself works in the folder; `APPLY_FAILED`,
   *   `CONTENT_MISSING`
   */
  put(wanted: readonly WantedFile[], tree: TreeId, options: PutOptions): Promise<PutResult>;

  /** A file of the workspace as text, contained (symbolic links that leave it are refused). `undefined`: it is not there. */
  readText(path: string): Promise<string | undefined>;

  /** A file as the checked out commit has it; `null`: not at all. `undefined`: there is no commit. */
  committed(path: string): Promise<TreeFile | null | undefined>;

  /** Name of the checked out branch, for the default subject; `undefined` without git or when detached. */
  branch(): Promise<string | undefined>;
}
