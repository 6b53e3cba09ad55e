import type { Content, FileChange } from '../run/record.ts';
import type { Digest } from '../run/digest.ts';
import type { Read } from '../run/reading.ts';
import type { Tree, TreeFile } from '../run/tree.ts';

/** What stood in the workspace before an attempt began; see {@link Workspace.changesSince}. */
export interface Baseline {
  /** All tracked files, and untracked ones that git does not ignore. */
  readonly tree: Tree;
  /** Files that match the gate's `files` globs, ignored ones too. */
  readonly named: Tree;
  /** For each of those, what is another after it was written again, with the same content too. */
  readonly stamps: ReadonlyMap<string, string>;
}

/** What a gate did before an attempt, for {@link Workspace.changesSince}. */
export interface EarlierWork {
  /** What stood before attempts that came to nothing: what they changed goes on as well. */
  readonly since?: Tree;
  /** Files that it left and handed on before. */
  readonly made?: readonly FileChange[];
}

/** The files that count for a gate. */
export interface InputTree {
  readonly files: Tree;
  /** Globs that matched no file. */
  readonly unmatched: readonly string[];
}

/** Files that an attempt changed. */
export interface Changes {
  /** Those that the gate hands on, content kept by the given `keep`. Sorted by path. */
  readonly files: readonly FileChange[];
  /** Other tracked files that changed. Sorted by path. */
  readonly touched: readonly FileChange[];
  /** Things that cannot be handed on: symbolic links, submodules, files over the limit, paths that leave the workspace. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** What {@link Workspace.materialise} did with one file. */
export interface Materialised {
  readonly path: string;
  readonly action: 'unchanged' | 'written' | 'deleted';
  /** Where a version that was neither the gate's `before` nor its `after` was put aside, so that nothing is lost. */
  readonly displaced?: string;
}

/** Where {@link Workspace.materialise} takes content from; the store's `copyTo`. */
export type CopyContent = (digest: Digest, path: string, mode: number) => Promise<Read<Content>>;

/** Where {@link Workspace.changesSince} keeps content. It may refuse a file, saying why: that file is then listed as refused. */
export type KeepContent = (
  chunks: AsyncIterable<Uint8Array>,
  path: string,
) => Promise<Content | { readonly refused: string }>;

/**
 * The files that a pipeline works on: a git work tree, or a plain folder where there is no git.
 * `.git` and `.state` never count. Every path given or returned is relative, `/`-separated, and inside.
 */
export interface Workspace {
  /** Absolute, real path. */
  readonly root: string;

  /** Files that count. `undefined`: every tracked file. Symbolic links count by their target text, submodules by commit. */
  inputs(globs: readonly string[] | undefined): Promise<InputTree>;

  /** What `inputs(globs)` would say of this path: whether it would count if the file existed. */
  counts(globs: readonly string[] | undefined, path: string): boolean;

  /** Take note of what stands before an attempt. */
  baseline(files: 'changed' | readonly string[]): Promise<Baseline>;

  /**
   * What changed since: `files` as the gate says them (globs, or `changed` for all that git sees as changed),
   * and what else was touched. Plain files, deletions and modes; never anything outside the workspace. Of those
   * that the checked out commit does not have so, what the gate handed on before goes on again when it still stands, and
   * what globs name when the attempt wrote it again just as it was.
   */
  changesSince(
    baseline: Baseline,
    files: 'changed' | readonly string[],
    keep: KeepContent,
    earlier?: EarlierWork,
  ): Promise<Changes>;

  /**
   * Make files stand as a gate left them: in order, atomically each, links on the way refused
   * (`PATH_ESCAPES`). A version of the file that is neither what the gate found nor what it left is put aside first.
   * @throws GatelineError `CONTENT_MISSING` when content is absent or altered; nothing of that file is changed then.
   */
  materialise(changes: readonly FileChange[], copy: CopyContent): Promise<Materialised[]>;

  /** Whether every file stands as these changes say, without changing anything. */
  stands(changes: readonly FileChange[]): Promise<boolean>;

  /** A file of the workspace as text, contained (symbolic links that leave it are refused). `undefined`: it is not there. */
  readText(path: string): Promise<string | undefined>;

  /** How the checked out commit has these paths; `null`: not at all. Nothing is said without git, or before the first commit. */
  committed(paths: readonly string[]): Promise<ReadonlyMap<string, TreeFile | null>>;

  /** Name of the checked out branch, for the default subject; `undefined` without git or when detached. */
  branch(): Promise<string | undefined>;
}
