import { splitNames } from '../files/path-bytes.ts';
import type { ObjectStore } from './object-store.ts';

const NONE = /^0+$/;

/** Those of the objects that our own store does not have: somebody else's, or nobody's. */
export async function lackedBy(store: ObjectStore, ids: Iterable<string>): Promise<string[]> {
  const asked = [...new Set(ids)];
  if (asked.length === 0) return [];
  const { out } = await store.own(['cat-file', '--batch-check=%(objectname)'], { input: lines(asked) });
  const missing = out
    .toString('latin1')
    .split('\n')
    .filter((line) => line.endsWith(' missing'));
  return missing.map((line) => line.slice(0, line.indexOf(' ')));
}

/** Copies objects into our own store: what only the user's repository has, its `git gc` may take away. */
export async function copyObjects(store: ObjectStore, ids: Iterable<string>): Promise<void> {
  const wanted = await lackedBy(store, ids);
  if (wanted.length === 0) return;
  await store.git(['pack-objects', '-q', `${store.objects}/pack/pack`], {}, { input: lines(wanted) });
}

/**
 * Copies what a tree has and the checked out commit has not. That commit's own objects stay as long as it does; what was
 * merely staged, `git gc` takes away.
 */
export async function copyUncommitted(store: ObjectStore, tree: string): Promise<void> {
  const asked = await store.git(['rev-parse', '-q', '--verify', 'HEAD^{tree}'], {}, { answers: [0, 1, 128] });
  const head = asked.code === 0 ? asked.out.toString('latin1').trim() : undefined;
  if (head !== tree) await copyObjects(store, [tree, ...(await newObjects(store, head, tree))]);
}

/** Objects of a tree that another one does not have at the same place; all of them when there is no other. */
export async function newObjects(store: ObjectStore, from: string | undefined, tree: string): Promise<string[]> {
  if (from === tree) return [];
  if (from === undefined) {
    const { out } = await store.git(['ls-tree', '-r', '-t', '-z', '--full-tree', tree]);
    const fields = splitNames(out).map((line) => line.slice(0, line.indexOf('\t')).split(' '));
    return fields.filter(([, type]) => type !== 'commit').map(([, , id]) => id!);
  }
  const { out } = await store.git(['diff-tree', '-r', '-t', '-z', '--raw', '--no-renames', from, tree]);
  const fields = splitNames(out);
  const found: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, , id = ''] = fields[at]!.split(' ');
    if (mode !== '160000' && !NONE.test(id)) found.push(id);
  }
  return found;
}

function lines(ids: readonly string[]): Buffer {
  return Buffer.from(`${ids.join('\n')}\n`, 'latin1');
}
