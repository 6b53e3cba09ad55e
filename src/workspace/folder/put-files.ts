import type { Stats } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import { writing } from '../../errors/store-errors.ts';
import { sameFile } from '../../run/files/tree.ts';
import { foldersOf } from '../files/contain.ts';
import { holdFolder, type HeldFolder } from './held-folder.ts';
import { lookAt, lookBelow } from '../files/look.ts';
import { onDisk } from '../files/path-bytes.ts';
import { compareWanted, type ComparedFile, type PutFiles } from './current-files.ts';
import { copiesIn, freshBeside, isFresh, timeOfPut, writePutList } from './put-lists.ts';
import { listOfNames } from '../trees/index-file.ts';
import type { Put, PutResult, WantedFile } from '../workspace.ts';

/** Error codes if a path changed after it was compared: the folder is in use. */
const MEANWHILE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'ELOOP']);

/**
 * Writes files into the user's folder, each atomically. Removals come first, so that a file may replace a folder.
 * Repeating an interrupted call completes it: correct files are not touched.
 * @throws GatelineError `APPLY_FAILED`, `CONTENT_MISSING`, and git's errors
 */
export async function putFiles(input: PutFiles): Promise<PutResult> {
  const done = new Map<string, Put>();
  const open: ComparedFile[] = [];
  const same: ComparedFile[] = [];
  const looked = lookedAt(input);
  for (const judged of await compareWanted(input, input.wanted)) {
    const { wanted, settled } = judged;
    if (settled === undefined) open.push(judged);
    else done.set(wanted.path, settled);
    if (settled?.action === 'unchanged' && wanted.listUnchanged === true) same.push(judged);
  }
  let saved: string | undefined;
  if (!input.dryRun) await removeLeft(dirname(input.saved));
  if (input.dryRun)
    for (const { path, after } of open.map(({ wanted }) => wanted))
      done.set(path, { path, action: after === null ? 'deleted' : 'written' });
  else if (open.length + same.length > 0 || input.before !== undefined)
    saved = await putOpen(input, { open, same }, done, looked);
  return { puts: input.wanted.map(({ path }) => done.get(path)!), ...(saved !== undefined && { saved }) };
}

/** @returns the folder to which replaced files were copied; `undefined`: nothing was replaced */
async function putOpen(
  input: PutFiles,
  judged: { readonly open: readonly ComparedFile[]; readonly same: readonly ComparedFile[] },
  done: Map<string, Put>,
  looked: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const saved = await writing(input.saved, () => savedFolder(input.saved));
  const open = judged.open.map(({ wanted }) => wanted);
  const changes = [...judged.open, ...judged.same].map(({ wanted: { path, after }, now }) => {
    return { path, before: now, after };
  });
  const reason = { ...input.reason, at: await timeOfPut(dirname(saved), input.reason.at) };
  await writing(saved, () => writePutList(saved, reason, 'begun', changes));
  input.onDurable(`begin to put ${saved}`);
  const found = (await isMadeBefore(input, saved)) ? lookedAt(input) : looked;
  const fresh = freshBeside(saved);
  let isReplacing = false;
  try {
    await writeFresh(input, open, fresh);
    for (const wanted of open.toSorted((a, b) => Number(a.after !== null) - Number(b.after !== null))) {
      const from = join(fresh, 'files', input.prefix, wanted.path);
      const { put, replaced } = await putOne(
        { root: input.root, saved, from, looked: found.get(wanted.path)! },
        wanted,
      );
      done.set(wanted.path, put);
      input.onDurable(`put ${wanted.path}`);
      isReplacing ||= replaced;
    }
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  const made = changes.filter(
    ({ path, before, after }) => sameFile(before, after) || ['written', 'deleted'].includes(done.get(path)!.action),
  );
  await writing(saved, () => writePutList(saved, reason, 'done', made));
  input.onDurable(`put all ${saved}`);
  return isReplacing ? saved : undefined;
}

/** The state of each path, to see changes by others. */
function lookedAt({ root, wanted }: PutFiles): Map<string, string> {
  const look = lookBelow(root);
  return new Map(wanted.map(({ path }) => [path, stateOf(look(path))]));
}

/** Makes the change that belongs to the files, which may be one to a file. @returns whether there is one */
async function isMadeBefore({ before }: PutFiles, saved: string): Promise<boolean> {
  if (before === undefined) return false;
  let isBegun = false;
  try {
    await before(() => (isBegun = true));
  } catch (error) {
    if (!isBegun) await rm(saved, { recursive: true, force: true });
    throw error;
  }
  return true;
}

/** Removes new versions left by a killed call. The caller has exclusive use of the workspace. */
async function removeLeft(parent: string): Promise<void> {
  const names = await readdir(parent).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  });
  for (const name of names) if (isFresh(name)) await rm(join(parent, name), { recursive: true, force: true });
}

/** Creates a folder that no other call used. */
async function savedFolder(wanted: string): Promise<string> {
  const parent = dirname(wanted);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? wanted : join(parent, `${basename(wanted)}-${number}`);
    try {
      await mkdir(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error;
    }
  }
}

/**
 * Writes the new versions next to the folder: copies of files as they were on disk, others with line endings and
 * filters as in a checkout.
 */
async function writeFresh(
  { store, trees, prefix, tree, copy }: PutFiles,
  open: readonly WantedFile[],
  to: string,
): Promise<void> {
  await writing(to, () => mkdir(to, { recursive: true, mode: 0o700 }));
  const copied = new Set<string>();
  for (const wanted of open) if (await isCopied(wanted, join(to, 'files', prefix))) copied.add(wanted.path);
  const written = open.filter(({ path, after }) => after !== null && !copied.has(path));
  if (written.length === 0) return;
  // If an object store was emptied, contents come from the records.
  const next = await trees.build(
    tree,
    written.map(({ path, after }) => ({ path, after })),
    copy,
  );
  const index = join(to, 'index');
  await store.git(['read-tree', next], { index });
  await store.git(
    ['checkout-index', '-z', '--stdin', `--prefix=${join(to, 'files')}/`],
    { index },
    {
      input: listOfNames(written.map(({ path }) => prefix + path)),
    },
  );
}

/** Copies the version of a file as it was on disk. False: there is none, so it comes from its blob. */
async function isCopied({ path, after, copyFrom }: WantedFile, to: string): Promise<boolean> {
  const stats = copyFrom === undefined || after === null ? undefined : lookBelow(copyFrom)(path);
  if (stats?.isFile() !== true && stats?.isSymbolicLink() !== true) return false;
  const fresh = onDisk(to, path);
  await mkdir(dirname(String(fresh)), { recursive: true, mode: 0o700 });
  await writing(to, () => keepCopy(onDisk(copyFrom!, path), stats, fresh));
  return true;
}

interface Placement {
  readonly root: string;
  readonly saved: string;
  /** Path of the new version. */
  readonly from: string;
  /** State of the path when it was compared, see {@link stateOf}. */
  readonly looked: string;
}

interface Done {
  readonly put: Put;
  /** Something at the path was saved. */
  readonly replaced: boolean;
}

async function putOne(place: Placement, { path, after, copyFrom }: WantedFile): Promise<Done> {
  const conflict = (why: string): Done => ({ put: { path, action: 'conflict', why }, replaced: false });
  if (foldersOf(path).some((folder) => lookAt(place.root, folder)?.isSymbolicLink() === true))
    return conflict('a folder above it is a symbolic link');
  if (stateOf(lookBelow(place.root)(path)) !== place.looked) return conflict('it was changed at this moment');
  try {
    return after === null ? await remove(place, path) : await write(place, path, copyFrom !== undefined);
  } catch (error) {
    if ([...MEANWHILE].some((code) => isSystemError(error, code))) return conflict('it is changing right now');
    const what = after === null ? 'removed' : 'written';
    throw new GatelineError('APPLY_FAILED', `${path} cannot be ${what}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Identifies a file's state, so that a change is visible. Folders are treated as nothing, since the files to write
 * empty them.
 */
function stateOf(stats: Stats | undefined): string {
  return stats === undefined || stats.isDirectory() ? '' : `${stats.ino}.${stats.size}.${stats.ctimeMs}`;
}

async function remove({ root, saved }: Placement, path: string): Promise<Done> {
  if (lookBelow(root)(path) === undefined) return { put: { path, action: 'unchanged' }, replaced: false };
  {
    await using folder = await folderOf(root, path);
    await rename(folder.at(nameOf(path)), await keptAs(saved, path));
  }
  for (const folder of foldersOf(path).toReversed()) {
    try {
      await rmdir(onDisk(root, folder));
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => isSystemError(error, code))) break;
      throw error;
    }
  }
  return { put: { path, action: 'deleted' }, replaced: true };
}

async function write({ root, saved, from }: Placement, path: string, isCopy: boolean): Promise<Done> {
  const stats = lookBelow(root)(path);
  await using folder = await folderOf(root, path);
  const target = folder.at(nameOf(path));
  if (stats?.isDirectory() === true) await removeEmpty(target);
  else if (stats !== undefined) await keepCopy(target, stats, await keptAs(saved, path));
  if (stats?.isFile() === true && !isCopy)
    await chmod(from, modeLike(stats.mode, lookAt(dirname(from), basename(from))!.mode));
  await rename(from, target);
  return { put: { path, action: 'written' }, replaced: stats !== undefined && !stats.isDirectory() };
}

function folderOf(root: string, path: string): Promise<HeldFolder> {
  return holdFolder(root, path.split('/').slice(0, -1));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Removes a folder without files. If a file was added meanwhile, the folder stays. */
async function removeEmpty(folder: string | Buffer): Promise<void> {
  for (const name of await readdir(folder, { encoding: 'buffer' }))
    await removeEmpty(Buffer.concat([Buffer.from(folder), Buffer.from('/'), name]));
  await rmdir(folder);
}

async function keptAs(saved: string, path: string): Promise<string | Buffer> {
  const kept = onDisk(copiesIn(saved), path);
  await mkdir(dirname(String(kept)), { recursive: true, mode: 0o700 });
  return kept;
}

async function keepCopy(target: string | Buffer, stats: Stats, kept: string | Buffer): Promise<void> {
  if (stats.isSymbolicLink()) await symlink(await readlink(target), kept);
  else await copyFile(target, kept);
}

/** Read and write permissions stay unchanged; the executable bit is the new version's. */
function modeLike(old: number, fresh: number): number {
  const open = old & 0o666;
  return (fresh & 0o100) === 0 ? open : open | ((open & 0o444) >> 2);
}
