import { readdirSync } from 'node:fs';
import { sameFile, type Tree, type TreeFile } from '../../run/files/tree.ts';
import { foldersOf, whyNotContained } from '../files/contain.ts';
import { kindOf, lookAt, lookBelow } from '../files/look.ts';
import { onDisk, quotedForGit } from '../files/path-bytes.ts';
import { snapshotIndexOf, type ObjectStore } from '../objects/object-store.ts';
import type { PutReason } from '../../run/files/put-reason.ts';
import type { Put, PutOptions, WantedFile, CopyContent } from '../workspace.ts';
import { type TreeObjects } from '../trees/tree-objects.ts';

/** A wanted file, and any result known in advance. Without `settled`, it will be written. */
export interface ComparedFile {
  readonly wanted: WantedFile;
  /** The file there. */
  readonly now: TreeFile | null;
  readonly settled?: Put;
}

type ComparedFolder = Pick<PutFiles, 'store' | 'trees' | 'root' | 'prefix' | 'tree'>;

/** Compares the user's folder with the wanted files. Nothing is written. */
export async function compareWanted(folder: ComparedFolder, wanted: readonly WantedFile[]): Promise<ComparedFile[]> {
  const { root } = folder;
  const now = await currentFiles(
    folder,
    wanted.map(({ path }) => path),
  );
  const first = wanted.map((one): ComparedFile => {
    const file = now.get(one.path) ?? null;
    const settled = settledAlready(root, one, file);
    return { wanted: one, now: file, ...(settled && { settled }) };
  });
  const open = first.filter(({ settled }) => settled === undefined);
  const removed = new Set(open.filter((one) => one.wanted.after === null).map((one) => one.wanted.path));
  return first.map((one) => {
    const why =
      one.settled === undefined && one.wanted.after !== null ? inItsPlace(root, one.wanted, removed) : undefined;
    return why === undefined ? one : { ...one, settled: conflict(one.wanted, why) };
  });
}

/**
 * Files of the tree, plus files at certain paths that git ignores. Such a file is in the tree only if a glob names it.
 */
export async function currentFiles(
  { store, trees, root, prefix, tree }: ComparedFolder,
  paths: readonly string[],
): Promise<Tree> {
  const now = await trees.files(tree);
  const look = lookBelow(root);
  const unseen = paths.flatMap((path) => {
    if (now.has(path) || whyNotContained(path) !== undefined) return [];
    const stats = look(path);
    return stats?.isFile() === true ? [{ path, mode: (stats.mode & 0o100) === 0 ? '100644' : '100755' }] : [];
  });
  if (unseen.length === 0) return now;
  const blobs = await blobsOf(
    store,
    unseen.map(({ path }) => prefix + path),
  );
  return new Map([
    ...now,
    ...unseen.map(({ path, mode }, at): [string, TreeFile] => [path, { mode, blob: blobs[at]! }]),
  ]);
}

/** The ids that git gives to the files there, after its filters. Paths are from the top. */
async function blobsOf(store: ObjectStore, paths: readonly string[]): Promise<string[]> {
  const input = Buffer.concat(paths.flatMap((path) => [quotedForGit(path), Buffer.from('\n')]));
  const { out } = await store.git(['hash-object', '--stdin-paths'], { index: snapshotIndexOf(store) }, { input });
  return out.toString('latin1').trim().split('\n');
}

function settledAlready(root: string, wanted: WantedFile, file: TreeFile | null): Put | undefined {
  const { path, after, over } = wanted;
  const why = whyNotContained(path);
  if (why !== undefined) return conflict(wanted, why);
  if (foldersOf(path).some((folder) => lookAt(root, folder)?.isSymbolicLink() === true))
    return conflict(wanted, 'a folder above it is a symbolic link');
  if (sameFile(file, after)) return { path, action: 'unchanged' };
  if (over.some((state) => sameFile(state, file))) return undefined;
  if (file === null) return conflict(wanted, inItsPlace(root, wanted, new Set()) ?? 'it was removed since then');
  return conflict(
    wanted,
    over.every((state) => state === null || sameFile(state, after))
      ? 'there is now a file of that name'
      : 'it was changed since then',
  );
}

/** Why a file cannot be written although its version would allow it. A folder that will be empty is no obstacle. */
function inItsPlace(root: string, { path }: WantedFile, removed: ReadonlySet<string>): string | undefined {
  for (const folder of foldersOf(path)) {
    const stats = lookAt(root, folder);
    if (stats === undefined) return undefined;
    if (!stats.isDirectory()) return removed.has(folder) ? undefined : `${kindOf(stats)} is in the place of ${folder}/`;
  }
  const stats = lookAt(root, path);
  if (stats === undefined || stats.isFile() || stats.isSymbolicLink()) return undefined;
  if (stats.isDirectory() && isEmptied(root, path, removed)) return undefined;
  return `${kindOf(stats)} is in its place`;
}

function isEmptied(root: string, folder: string, removed: ReadonlySet<string>): boolean {
  return readdirSync(onDisk(root, folder), { withFileTypes: true }).every((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? isEmptied(root, path, removed) : removed.has(path);
  });
}

function conflict({ path }: WantedFile, why: string): Put {
  return { path, action: 'conflict', why };
}

/** Options for writing files into the user's folder. */
export interface PutFiles {
  readonly store: ObjectStore;
  readonly trees: TreeObjects;
  /** Absolute path of the workspace, and its path below the top. */
  readonly root: string;
  readonly prefix: string;
  /** The current folder. */
  readonly tree: string;
  readonly wanted: readonly WantedFile[];
  readonly copy: CopyContent;
  readonly saved: string;
  readonly dryRun: boolean;
  readonly reason: PutReason;
  /** See `PutOptions`. */
  readonly before?: PutOptions['before'];
  /** Called after each change to the folder and to the list of changes. */
  readonly onDurable: (what: string) => void;
}
