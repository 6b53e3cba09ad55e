import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSystemError } from '../errors/gateline-error.ts';
import type { FileChange } from '../run/record.ts';
import { sameFile, type Tree } from '../run/tree.ts';
import { foldersOf, whyNotContained } from './contain.ts';
import { lookAt, lookBelow } from './look.ts';
import { onDisk } from './path-bytes.ts';
import { listOfNames } from './trees/index-file.ts';
import type { ObjectStore } from './trees/object-store.ts';
import type { TreeObjects } from './trees/tree-objects.ts';
import type { Put } from './workspace.ts';

/** Files that are to be put into the user's folder. */
export interface PutFiles {
  readonly store: ObjectStore;
  readonly trees: TreeObjects;
  /** Absolute path of the workspace, and its path below the top. */
  readonly root: string;
  readonly prefix: string;
  /** The folder as it is now. */
  readonly tree: string;
  readonly changes: readonly FileChange[];
  readonly saved: string;
  readonly dryRun: boolean;
}

/**
 * Puts files into the user's folder, each whole or not at all. Removals come first, so that a file may take the place of a
 * folder. Doing it again after it was cut short completes it: what stands already is left alone.
 */
export async function putFiles(input: PutFiles): Promise<Put[]> {
  const now = await input.trees.files(input.tree);
  const done = new Map<string, Put>();
  const open: FileChange[] = [];
  for (const change of input.changes) {
    const settled = settledAlready(change, now);
    if (settled === undefined) open.push(change);
    else done.set(change.path, settled);
  }
  if (input.dryRun)
    for (const { path, after } of open) done.set(path, { path, action: after === null ? 'deleted' : 'written' });
  else if (open.length > 0) await putOpen(input, open, done);
  return input.changes.map(({ path }) => done.get(path)!);
}

async function putOpen(input: PutFiles, open: readonly FileChange[], done: Map<string, Put>): Promise<void> {
  await writeList(input.saved, open, 'begun');
  const fresh = `${input.saved}.new.${randomBytes(4).toString('hex')}`;
  try {
    await writeFresh(input, open, fresh);
    const look = (path: string): boolean =>
      foldersOf(path).every((folder) => lookAt(input.root, folder)?.isSymbolicLink() !== true);
    for (const change of open.toSorted((a, b) => Number(a.after !== null) - Number(b.after !== null))) {
      const { path } = change;
      if (!look(path)) done.set(path, { path, action: 'conflict', why: 'a folder above it is a symbolic link' });
      else if (change.after === null) done.set(path, await remove(input, path));
      else done.set(path, await write(input, path, join(fresh, input.prefix, path)));
    }
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  await writeList(input.saved, open, 'done');
}

/** Says what is about to be replaced, before anything is: after a kill it tells which copies are there, and why. */
async function writeList(saved: string, changes: readonly FileChange[], state: 'begun' | 'done'): Promise<void> {
  await mkdir(saved, { recursive: true, mode: 0o700 });
  const list = { format: 'gateline-applied/1', state, changes };
  const file = join(saved, 'applied.json');
  await writeFile(`${file}.tmp`, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.tmp`, file);
}

function settledAlready({ path, before, after }: FileChange, now: Tree): Put | undefined {
  const file = now.get(path) ?? null;
  const why = whyNotContained(path);
  if (why !== undefined) return { path, action: 'conflict', why };
  if (sameFile(file, after)) return { path, action: 'unchanged' };
  if (sameFile(file, before)) return undefined;
  if (file === null) return { path, action: 'conflict', why: 'it was removed since' };
  return {
    path,
    action: 'conflict',
    why: before === null ? 'there is a file of that name by now' : 'it was changed since',
  };
}

/** Writes the new versions beside the folder, with line endings and filters as in a checkout. */
async function writeFresh(
  { store, trees, prefix, tree }: PutFiles,
  open: readonly FileChange[],
  to: string,
): Promise<void> {
  const written = open.filter(({ after }) => after !== null);
  if (written.length === 0) return;
  const next = await trees.lay(tree, written);
  const index = `${to}.index`;
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await store.git(['read-tree', next], { index });
    await store.git(
      ['checkout-index', '-z', '--stdin', `--prefix=${to}/`],
      { index },
      {
        input: listOfNames(written.map(({ path }) => prefix + path)),
      },
    );
  } finally {
    await rm(index, { force: true });
  }
}

async function remove({ root, saved }: PutFiles, path: string): Promise<Put> {
  const kept = onDisk(join(saved, 'files'), path);
  await mkdir(dirname(String(kept)), { recursive: true, mode: 0o700 });
  await rename(onDisk(root, path), kept);
  for (const folder of foldersOf(path).toReversed()) {
    try {
      await rmdir(onDisk(root, folder));
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => isSystemError(error, code))) break;
      throw error;
    }
  }
  return { path, action: 'deleted' };
}

async function write({ root, saved }: PutFiles, path: string, from: string): Promise<Put> {
  const target = onDisk(root, path);
  const stats = lookBelow(root)(path);
  if (stats?.isDirectory() === true) return { path, action: 'conflict', why: 'there is a folder in its place' };
  if (stats !== undefined) {
    const kept = onDisk(join(saved, 'files'), path);
    await mkdir(dirname(String(kept)), { recursive: true, mode: 0o700 });
    await copyFile(target, kept);
    // Who may read it stays as it is; whether it may be executed is the new version's.
    const executable = lookAt(dirname(from), from.slice(dirname(from).length + 1))!.mode & 0o111;
    await chmod(from, (stats.mode & 0o666) | executable);
  } else {
    await mkdir(dirname(String(target)), { recursive: true });
  }
  await rename(from, target);
  return { path, action: 'written' };
}
