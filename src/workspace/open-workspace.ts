import { realpath, stat } from 'node:fs/promises';
import type { Environment } from '../environment.ts';
import { GatelineError, isSystemError, messageOf } from '../errors/gateline-error.ts';
import type { Tree, TreeFile } from '../run/tree.ts';
import { changesSince, type CaptureLimits } from './capture.ts';
import { isRelative, neverCounts } from './contain.ts';
import { openGitView } from './git-tree.ts';
import { compileGlobs, type Globs } from './globs.ts';
import { materialise, stands } from './materialise.ts';
import { openPlainView } from './plain-tree.ts';
import { readText } from './read-text.ts';
import { findRepository } from './repository.ts';
import { namedPaths, treeOf, visiblePaths } from './select.ts';
import { SPECIAL_MODE, type FileView, type Snapshot } from './snapshot.ts';
import { stampsOf } from './standing.ts';
import type { Baseline, InputTree, Workspace } from './workspace.ts';

/** What {@link openWorkspace} is told. */
export interface WorkspaceOptions {
  /** The caller's environment: git runs with it, without what would point it elsewhere. */
  readonly environment: Environment;
  /** Name or path of git. Default `git`. */
  readonly git?: string;
  /** Bytes of the largest file that is handed on. Default 104,857,600 (100 MiB). */
  readonly maxFileBytes?: number;
  /** How many files a gate may hand on. Default and upper limit 10,000, what a record holds. */
  readonly maxFiles?: number;
}

const MOST_FILES = 10_000;
const MOST_BYTES = 100 * 1_024 ** 2;

/**
 * The files below `root`: as git sees them when `root` lies in a git work tree (it need not be its top), else a
 * plain folder. What git is asked is asked anew by each call; nothing is remembered between them.
 *
 * @param root an existing folder
 * @throws GatelineError `WORKSPACE_MISSING` when it is no folder; `GIT_NOT_FOUND`, `GIT_UNSAFE_DIRECTORY` or `GIT_FAILED`
 *   when there is a repository that git cannot read.
 */
export async function openWorkspace(root: string, options: WorkspaceOptions): Promise<Workspace> {
  const place = await realFolder(root);
  const binary = options.git ?? 'git';
  const { environment } = options;
  const repository = await findRepository(place, binary, environment);
  const view =
    repository === undefined ? openPlainView(place) : openGitView(place, repository, { binary, environment });
  const limits = {
    bytes: options.maxFileBytes ?? MOST_BYTES,
    files: Math.min(options.maxFiles ?? MOST_FILES, MOST_FILES),
  };
  return workspaceOn(place, view, limits);
}

async function realFolder(root: string): Promise<string> {
  try {
    const place = await realpath(root);
    if ((await stat(place)).isDirectory()) return place;
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) {
      throw new GatelineError(
        'platform',
        'WORKSPACE_UNREADABLE',
        `The folder ${root} cannot be opened: ${messageOf(error)}`,
        {
          hint: 'Check the permissions of the folder and of those above it.',
          cause: error,
        },
      );
    }
  }
  throw new GatelineError('user', 'WORKSPACE_MISSING', `There is no folder ${root}.`, {
    hint: 'Name the folder that your pipeline works on.',
  });
}

function workspaceOn(root: string, view: FileView, limits: CaptureLimits): Workspace {
  const globsOf = rememberGlobs();
  return {
    root,
    inputs: async (globs) => inputs(view, globs === undefined ? undefined : globsOf(globs)),
    counts(globs, path) {
      if (!isRelative(path) || neverCounts(path)) return false;
      return globs === undefined || globsOf(globs).matches(path);
    },
    baseline: async (files) => standing(root, await view.snapshot(), files === 'changed' ? undefined : globsOf(files)),
    async changesSince(before, files, keep, earlier = {}) {
      const globs = files === 'changed' ? undefined : globsOf(files);
      const snapshot = await view.snapshot();
      const asksForCommit = globs !== undefined || (earlier.made ?? []).length > 0;
      const commit = asksForCommit ? view.committed() : undefined;
      const now = await standing(root, snapshot, globs);
      const looks = { snapshot, lookAgain: () => view.snapshot(), before, earlier, now, committed: await commit };
      return changesSince({ root, ...looks, globs, keep, limits });
    },
    materialise: (changes, copy) => materialise({ root, view }, changes, copy),
    stands: (changes) => stands({ root, view }, changes),
    readText: (path) => readText(root, path),
    committed: (paths) => committed(view, paths),
    branch: () => view.branch(),
  };
}

/** Lists of globs are few and asked for often: each is compiled once. */
function rememberGlobs(): (globs: readonly string[]) => Globs {
  const known = new Map<string, Globs>();
  return (globs) => {
    const key = JSON.stringify(globs);
    const found = known.get(key) ?? compileGlobs(globs);
    known.set(key, found);
    return found;
  };
}

async function inputs(view: FileView, globs: Globs | undefined): Promise<InputTree> {
  const snapshot = await view.snapshot();
  if (globs === undefined) {
    const tracked = snapshot.tracked.filter((path) => !neverCounts(path));
    return { files: withoutSpecial(treeOf(await snapshot.resolve(tracked), tracked)), unmatched: [] };
  }
  const { taken, all } = await namedPaths(snapshot, globs);
  // A glob may take files of which none stands (deleted ones): it then matched nothing.
  const present = await snapshot.resolve(taken);
  const files = withoutSpecial(treeOf(present, taken));
  const gone = new Set(taken.filter((path) => !files.has(path)));
  return {
    files,
    unmatched: globs.unmatched(
      all.filter((path) => !gone.has(path)),
      snapshot.repositories,
    ),
  };
}

async function committed(view: FileView, paths: readonly string[]): Promise<ReadonlyMap<string, TreeFile | null>> {
  const commit = await view.committed();
  return new Map(commit === undefined ? [] : paths.map((path) => [path, commit.get(path) ?? null]));
}

function withoutSpecial(tree: Tree): Tree {
  return new Map([...tree].filter(([, { mode }]) => mode !== SPECIAL_MODE));
}

async function standing(root: string, snapshot: Snapshot, globs: Globs | undefined): Promise<Baseline> {
  const visible = visiblePaths(snapshot);
  const named = globs === undefined ? [] : (await namedPaths(snapshot, globs)).taken;
  const all = await snapshot.resolve(new Set([...visible, ...named]));
  return { tree: treeOf(all, visible), named: treeOf(all, named), stamps: stampsOf(root, named) };
}
