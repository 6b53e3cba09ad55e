import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Screened, TreeId } from '../workspace.ts';
import { BlobReader } from '../objects/blob-reader.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { TreeObjects } from './tree-objects.ts';

/** Which files of a tree are read, and what they must pass. */
export interface Screening {
  readonly from: TreeId;
  readonly tree: TreeId;
  /** Paths that were read before. */
  readonly known: ReadonlySet<string>;
  /** Reads a file to its end. */
  readonly isRefused: (chunks: AsyncIterable<Uint8Array>) => Promise<boolean>;
}

/** A tree without the changed files that are refused: at their paths it is as the other tree. */
export async function screenTree(
  store: ObjectStore,
  trees: TreeObjects,
  { from, tree, known, isRefused }: Screening,
): Promise<Screened> {
  const changed = (await trees.differences(from, tree)).filter(
    ({ path, after }) => after?.mode.startsWith('100') === true && !known.has(path),
  );
  const refused: typeof changed = [];
  let bytes = 0;
  await using reader = new BlobReader(store);
  for (const one of changed) {
    const counted = async function* () {
      for await (const chunk of reader.read(one.after!.blob)) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    if (await isRefused(counted())) refused.push(one);
  }
  const paths = refused.map(({ path, after }) => ({ path, blob: after!.blob }));
  if (refused.length === 0) return { tree, refused: paths, bytes };
  const without = refused.map(({ path, before }) => ({ path, after: before }));
  return { tree: await trees.lay(tree, without), refused: paths, bytes };
}

/**
 * Removes contents from our own store, unless the user's version has them. git has just written each as a file of its
 * own.
 */
export async function discardBlobs(
  store: ObjectStore,
  trees: TreeObjects,
  blobs: Iterable<string>,
  users: TreeId,
): Promise<void> {
  const theirs = new Set([...(await trees.files(users)).values()].map(({ blob }) => blob));
  for (const blob of new Set(blobs)) {
    if (!theirs.has(blob)) await rm(join(store.objects, blob.slice(0, 2), blob.slice(2)), { force: true });
  }
}
