import { rm } from 'node:fs/promises';
import { GatelineError, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import { allEnded } from '../../in-parallel.ts';
import { neverCounts } from '../files/contain.ts';
import { splitNames } from '../files/path-bytes.ts';
import { openUp } from '../files/open-up.ts';
import { differingFiles, type Differing } from './differing-files.ts';
import { listOfNames } from './index-file.ts';
import { NOT_NAMED, type LeftOut, type Taking } from './left-out.ts';
import { ignoredFiles, type IgnoredFiles } from './named-files.ts';
import type { IndexedFolder, ObjectStore } from '../objects/object-store.ts';
import { forgetSettled, unsettledFiles } from './unsettled-entries.ts';
import { isTakenUntracked, megabytes, tooLarge, untrackedFiles, untrackedTooLarge } from './untracked-files.ts';

/** A folder as a tree object. */
export interface CapturedTree {
  readonly tree: string;
  /** Untracked paths in the index now; from the top. */
  readonly extras: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** Whether anything differed from the index. */
  readonly changed: boolean;
}

/** The state of the index after the last capture. */
export interface KnownIndex {
  /** Its untracked paths. */
  readonly extras: readonly string[];
  /** Its tree, if nothing has changed since the tree was written. */
  readonly tree?: string | undefined;
  /** Whether files may have changed since with the same size and time; see {@link unsettledFiles}. */
  readonly isUnsettled?: boolean;
}

/**
 * Captures a folder as a tree object: updates the index with the differences that git reports, and writes its tree. Git
 * looks at every file once and reads only those that changed.
 * @throws GatelineError `UNTRACKED_TOO_LARGE`, `SUBMODULE_DIRTY`, `WORKSPACE_UNREADABLE`, and git's errors
 */
export async function captureTree(
  store: ObjectStore,
  where: IndexedFolder,
  taking: Taking,
  known: KnownIndex,
): Promise<CapturedTree> {
  // The caller has exclusive use of the workspace: a lock was left by a process that is gone.
  await rm(`${where.index}.lock`, { force: true });
  try {
    return await capture(store, where, taking, known);
  } catch (error) {
    if (!isDenied(error)) throw error;
    if (!taking.isOurs) throw unreadable(where.folder, error);
    await openUp(where.folder);
    return capture(store, where, taking, known);
  }
}

async function capture(
  store: ObjectStore,
  where: IndexedFolder,
  taking: Taking,
  known: KnownIndex,
): Promise<CapturedTree> {
  const leftOut: LeftOut[] = [];
  const listed = listUntracked(store, where, taking);
  const others = listed.then(({ names }) => names);
  // It is awaited below; its receiver may not need it.
  others.catch(() => undefined);
  // A git command that still ran would be taken for a process that the agent left behind.
  const [differing, untracked, ignored] = await allEnded([
    comparedFiles(store, where, known),
    listed,
    ignoredFiles(store, where, taking, known.extras, others),
  ]);
  leftOut.push(...differing.leftOut, ...untracked.leftOut);
  refuseDirty(differing, taking, leftOut);
  const { added, removed, extras } = sortOut(
    { differing, untracked: untracked.names, ignored },
    taking,
    known,
    leftOut,
  );
  const skipped = new Set(refuseLarge(where.folder, taking, extras, leftOut));
  const taken = added.filter((path) => !skipped.has(path));
  const changed = taken.length + removed.length > 0;
  for (const path of changed ? await update(store, where, taken, removed) : []) {
    skipped.add(path);
    leftOut.push({ path, why: 'git does not accept such a file name' });
  }
  return {
    tree: !changed && known.tree !== undefined ? known.tree : await writeTree(store, where),
    extras: [...extras].filter((path) => !skipped.has(path)).toSorted(),
    leftOut,
    changed,
  };
}

/** Differences from the index, including files that git would treat as unchanged. */
async function comparedFiles(
  store: ObjectStore,
  where: IndexedFolder,
  { isUnsettled }: KnownIndex,
): Promise<Differing> {
  const [differing, unsettled] = await allEnded([
    differingFiles(store, where),
    isUnsettled === true ? unsettledFiles(where, store.format) : Promise.resolve([]),
  ]);
  const unseen = unsettled.filter(({ path }) => !differing.modified.has(path) && !differing.deleted.has(path));
  if (unseen.length === 0) return differing;
  await forgetSettled(store, where, unseen);
  return { ...differing, modified: new Set([...differing.modified, ...unseen.map(({ path }) => path)]) };
}

/** git's report about a folder. */
interface Said {
  readonly differing: Differing;
  readonly untracked: readonly string[];
  readonly ignored: IgnoredFiles;
}

/** Determines the paths to add to the index, the paths to remove from it, and its untracked paths afterwards. */
function sortOut(
  { differing, untracked, ignored }: Said,
  taking: Taking,
  { extras: known }: KnownIndex,
  leftOut: LeftOut[],
): { readonly added: string[]; readonly removed: string[]; readonly extras: ReadonlySet<string> } {
  const isTaken = (path: string): boolean => !isNever(taking, path);
  const candidates = untracked.filter((path) => isTaken(path.replace(/\/$/, '')));
  const fresh = [...untrackedFiles(candidates, taking, leftOut), ...ignored.taken];
  const gone = new Set([...differing.deleted, ...ignored.gone]);
  const unnamed = known.filter((path) => !isTakenUntracked(path, taking) && !gone.has(path));
  leftOut.push(...unnamed.map((path) => ({ path, why: NOT_NAMED })));
  for (const path of unnamed) gone.add(path);
  const isKept = (path: string): boolean => isTaken(path) && !gone.has(path);
  return {
    added: [...differing.modified, ...fresh].filter(isKept),
    removed: [...gone].filter(isTaken),
    extras: new Set([...known, ...fresh].filter(isKept)),
  };
}

/** @throws GatelineError `GIT_FAILED` */
export async function writeTree(store: ObjectStore, where: IndexedFolder): Promise<string> {
  const { out } = await store.git(['write-tree'], where);
  return out.toString('latin1').trim();
}

/** `.state` is ours only inside the workspace. */
function isNever({ prefix, without }: Taking, path: string): boolean {
  const inside = path.startsWith(prefix) ? path.slice(prefix.length) : `../${path}`;
  return neverCounts(inside) || (without?.(path) ?? false);
}

/** Files that git neither tracks nor ignores. A folder that it cannot read is reported. */
async function listUntracked(
  store: ObjectStore,
  where: IndexedFolder,
  { isOurs }: Taking,
): Promise<{ readonly names: readonly string[]; readonly leftOut: readonly LeftOut[] }> {
  const { out, err } = await store.git(['ls-files', '--others', '--exclude-standard', '-z'], where);
  const denied = [...err.matchAll(/could not open directory '(.*?)\/?': Permission denied/g)];
  if (denied.length > 0 && isOurs) throw new GatelineError('WORKSPACE_UNREADABLE', err);
  return {
    names: splitNames(out),
    leftOut: denied.map(([, path]) => ({ path: path!, why: 'it cannot be read' })),
  };
}

function refuseDirty({ dirty }: Differing, { dirtySubmodules }: Taking, leftOut: LeftOut[]): void {
  if (dirty.length === 0) return;
  if (dirtySubmodules === 'error') {
    throw new GatelineError(
      'SUBMODULE_DIRTY',
      `submodules with changes that are not committed in them: ${dirty.join(', ')}`,
    );
  }
  const why = 'it is a submodule with changes that are not committed in it';
  leftOut.push(...dirty.map((path) => ({ path, why })));
}

/** @returns the paths that are left out */
function refuseLarge(
  folder: string,
  { maxUntracked, oversize }: Taking,
  extras: Iterable<string>,
  leftOut: LeftOut[],
): string[] {
  const found = tooLarge(folder, extras, maxUntracked);
  if (found.length === 0) return [];
  if (oversize === 'error') throw untrackedTooLarge(found, maxUntracked);
  for (const { path, size } of found) {
    const why =
      size > maxUntracked
        ? `it is untracked and larger than ${megabytes(maxUntracked)}`
        : `it is one of the largest untracked files, of more than ${megabytes(10 * maxUntracked)} in total`;
    leftOut.push({ path, why });
  }
  return found.map(({ path }) => path);
}

/**
 * Removals first: a folder may have replaced a file.
 * @returns paths that git refuses: names that some system treats as `.git`
 */
async function update(
  store: ObjectStore,
  where: IndexedFolder,
  added: readonly string[],
  removed: readonly string[],
): Promise<string[]> {
  if (removed.length > 0) {
    await store.git(['update-index', '-z', '--force-remove', '--stdin'], where, { input: listOfNames(removed) });
  }
  if (added.length === 0) return [];
  const { err } = await store.git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], where, {
    input: listOfNames(added),
  });
  return err === '' ? [] : added.filter((path) => err.split('\n').includes(`Ignoring path ${path}`));
}

function isDenied(error: unknown): boolean {
  if (isSystemError(error, 'EACCES')) return true;
  if (!(error instanceof GatelineError) || !['GIT_FAILED', 'WORKSPACE_UNREADABLE'].includes(error.code)) return false;
  return /Permission denied/.test(error.message);
}

function unreadable(folder: string, error: unknown): GatelineError {
  if (error instanceof GatelineError && error.code === 'WORKSPACE_UNREADABLE') return error;
  return new GatelineError('WORKSPACE_UNREADABLE', `files in ${folder} cannot be read: ${messageOf(error)}`, {
    hint: 'Check who owns them, and that you can read them.',
    cause: error,
  });
}
