import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { GatelineError, isSystemError } from '../../errors/gateline-error.ts';
import { neverCounts } from '../contain.ts';
import type { Globs } from '../globs.ts';
import { onDisk, splitNames } from '../path-bytes.ts';
import { namedIgnored } from './named-files.ts';
import { listOfNames } from './index-file.ts';
import type { IndexedFolder, ObjectStore } from './object-store.ts';

/** What of a folder goes into its tree. */
export interface Taking {
  /** Path of the workspace below the top of the folder, '' or ending in `/`. */
  readonly prefix: string;
  /** Files that git does not track: all that it does not ignore, or only those that `named` takes. */
  readonly untracked: 'all' | 'named';
  /** Lists of globs, relative to the workspace, that take ignored files too where they name their place. */
  readonly named: readonly Globs[];
  /** Largest untracked file, in bytes; ten times that in total. */
  readonly maxUntracked: number;
  /** Whether larger ones are an error, or are left out and named. */
  readonly oversize: 'error' | 'leave-out';
  /** Never taken, whatever git says: folders with links to dependencies, for one. Paths from the top. */
  readonly without?: (path: string) => boolean;
}

/** One thing that is not in a tree, and why not. The path is from the top of the folder. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** A folder as a tree object. */
export interface CapturedTree {
  readonly tree: string;
  /** Untracked paths that the index holds now; from the top. */
  readonly extras: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** Whether anything differed from the index. */
  readonly changed: boolean;
}

/** What is known of the index from the last time. */
export interface KnownIndex {
  /** Its untracked paths. */
  readonly extras: readonly string[];
  /** Its tree, where nothing changed since that was written. */
  readonly tree?: string | undefined;
}

/**
 * Makes a folder a tree object: brings the index up to what lies there, by what git says differs, and writes its tree. Git
 * looks at every file once and reads those only that changed.
 * @throws GatelineError `UNTRACKED_TOO_LARGE`, `SUBMODULE_DIRTY`, `WORKSPACE_UNREADABLE`, and as git fails
 */
export async function captureTree(
  store: ObjectStore,
  where: IndexedFolder,
  taking: Taking,
  known: KnownIndex,
): Promise<CapturedTree> {
  const [differing, others, ignored] = await Promise.all([
    store.git(['diff-files', '-z', '--ignore-submodules=none'], where),
    taking.untracked === 'all' || taking.named.length > 0
      ? store.git(['ls-files', '--others', '--exclude-standard', '-z'], where)
      : undefined,
    namedIgnored(store, where, taking),
  ]);
  const leftOut: LeftOut[] = [];
  const { modified, deleted } = await differencesIn(where, splitNames(differing.out), leftOut);
  const untracked = untrackedIn(others === undefined ? [] : splitNames(others.out), taking, leftOut);
  const isTaken = (path: string): boolean => !isNever(taking, path);
  const extras = new Set([...untracked, ...ignored].filter(isTaken));
  const gone = await nowIgnored(store, where, taking, known.extras, new Set(ignored));
  await refuseLarge(
    where.folder,
    taking,
    [...extras, ...known.extras.filter((path) => modified.has(path))],
    extras,
    leftOut,
  );
  const added = [...modified, ...extras].filter((path) => isTaken(path) && !leftOut.some((one) => one.path === path));
  const removed = [...deleted, ...gone].filter(isTaken);
  const changed = added.length + removed.length > 0;
  if (changed) await update(store, where, added, removed);
  const dropped = new Set(removed);
  return {
    tree: !changed && known.tree !== undefined ? known.tree : await writeTree(store, where),
    extras: [...new Set([...known.extras, ...extras])].filter((path) => !dropped.has(path)).toSorted(),
    leftOut,
    changed,
  };
}

/** @throws GatelineError `GIT_FAILED` */
export async function writeTree(store: ObjectStore, where: IndexedFolder): Promise<string> {
  const { out } = await store.git(['write-tree'], where);
  return out.toString('latin1').trim();
}

function isNever({ prefix, without }: Taking, path: string): boolean {
  const inside = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  return neverCounts(inside) || (without?.(path) ?? false);
}

/** What `git diff-files` lists: `:<mode> <mode> <id> <id> <status>`, then the path. */
async function differencesIn(
  { folder }: IndexedFolder,
  fields: readonly string[],
  leftOut: LeftOut[],
): Promise<{ modified: Set<string>; deleted: Set<string> }> {
  const modified = new Set<string>();
  const deleted = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1]!;
    const stats = await lookAt(folder, path);
    if (stats === undefined) deleted.add(path);
    else if (stats.isFile() || stats.isSymbolicLink()) modified.add(path);
    else if (!stats.isDirectory()) {
      deleted.add(path);
      leftOut.push({ path, why: 'it is neither a file, a link nor a folder' });
    } else if (fields[at]!.startsWith(':160000')) modified.add(path);
    else deleted.add(path);
  }
  return { modified, deleted };
}

async function lookAt(folder: string, path: string): Promise<Stats | undefined> {
  try {
    return await lstat(onDisk(folder, path));
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Names that end in a slash are repositories of their own: what is in them is theirs. */
function untrackedIn(names: readonly string[], taking: Taking, leftOut: LeftOut[]): string[] {
  const { prefix, named } = taking;
  const isNamed = (path: string): boolean =>
    path.startsWith(prefix) && named.some((globs) => globs.matches(path.slice(prefix.length)));
  const taken: string[] = [];
  for (const name of names) {
    if (isNever(taking, name.replace(/\/$/, ''))) continue;
    if (name.endsWith('/')) leftOut.push({ path: name.slice(0, -1), why: 'it is a git repository of its own' });
    else if (taking.untracked === 'all' || isNamed(name)) taken.push(name);
    else leftOut.push({ path: name, why: 'git does not track it, and no glob names it' });
  }
  return taken;
}

/** Untracked files of the index that git ignores by now and that no glob names. */
async function nowIgnored(
  store: ObjectStore,
  where: IndexedFolder,
  { prefix, named }: Taking,
  extras: readonly string[],
  ignoredButNamed: ReadonlySet<string>,
): Promise<string[]> {
  const asked = extras.filter((path) => !ignoredButNamed.has(path));
  if (asked.length === 0) return [];
  const { out } = await store.git(['check-ignore', '-z', '--stdin', '--no-index'], where, {
    input: listOfNames(asked.map((path) => `./${path}`)),
    answers: [0, 1],
  });
  const found = splitNames(out).map((path) => path.slice(2));
  return found.filter(
    (path) => !path.startsWith(prefix) || !named.some((globs) => globs.matches(path.slice(prefix.length))),
  );
}

/** Files that are tracked are taken whatever their size: somebody chose to keep them. */
async function refuseLarge(
  folder: string,
  { maxUntracked, oversize }: Taking,
  paths: readonly string[],
  extras: Set<string>,
  leftOut: LeftOut[],
): Promise<void> {
  const large: { path: string; size: number }[] = [];
  const all: { path: string; size: number }[] = [];
  let total = 0;
  for (const path of paths) {
    const size = (await lookAt(folder, path))?.size ?? 0;
    total += Number(size);
    all.push({ path, size: Number(size) });
    if (size > maxUntracked) large.push({ path, size: Number(size) });
  }
  if (large.length === 0 && total <= 10 * maxUntracked) return;
  const named = large.length > 0 ? large : all.toSorted((a, b) => b.size - a.size).slice(0, 10);
  if (oversize === 'leave-out') {
    for (const { path } of named) {
      extras.delete(path);
      leftOut.push({ path, why: `it is untracked and larger than ${mebibytes(maxUntracked)}` });
    }
    return;
  }
  const list = named.map(({ path, size }) => `${path} (${mebibytes(size)})`).join(', ');
  const what =
    large.length > 0
      ? `untracked files larger than ${mebibytes(maxUntracked)}: ${list}`
      : `untracked files of ${mebibytes(total)} in total, more than ${mebibytes(10 * maxUntracked)}; the largest: ${list}`;
  throw new GatelineError('user', 'UNTRACKED_TOO_LARGE', what, {
    hint: `Add to .gitignore: ${named.map(({ path }) => `/${path}`).join(' ')}. Or raise \`workspace: {max-untracked}\` in gateline.yml.`,
  });
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

/** Removals first: a folder may have taken the place of a file. */
async function update(
  store: ObjectStore,
  where: IndexedFolder,
  added: readonly string[],
  removed: readonly string[],
): Promise<void> {
  if (removed.length > 0) {
    await store.git(['update-index', '-z', '--force-remove', '--stdin'], where, { input: listOfNames(removed) });
  }
  if (added.length === 0) return;
  await store.git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], where, {
    input: listOfNames(added),
  });
}
