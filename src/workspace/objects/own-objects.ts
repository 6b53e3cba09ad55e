import { splitNames } from '../files/path-bytes.ts';
import type { ObjectStore } from './object-store.ts';

const NONE = /^0+$/;

/** The objects that our own store lacks: they are in another store, or nowhere. */
export async function lackedBy(store: ObjectStore, ids: Iterable<string>): Promise<string[]> {
  const asked = [...new Set(ids)];
  if (asked.length === 0) return [];
  const { out } = await store.own(['cat-file', '--batch-check=%(objectname)'], { input: idLines(asked) });
  const missing = out
    .toString('latin1')
    .split('\n')
    .filter((line) => line.endsWith(' missing'));
  return missing.map((line) => line.slice(0, line.indexOf(' ')));
}

/** Copies objects into our own store: the user's `git gc` may remove objects that only the user's repository has. */
export async function copyObjects(store: ObjectStore, ids: Iterable<string>): Promise<void> {
  const wanted = await lackedBy(store, ids);
  if (wanted.length === 0) return;
  await store.git(['pack-objects', '-q', `${store.objects}/pack/pack`], {}, { input: idLines(wanted) });
}

/**
 * Copies the objects that are in a tree but not in the checked out commit. That commit's own objects stay as long as it
 * does; `git gc` may remove objects that were only staged.
 */
export async function copyUncommitted(store: ObjectStore, tree: string): Promise<void> {
  const asked = await store.git(['rev-parse', '-q', '--verify', 'HEAD^{tree}'], {}, { answers: [0, 1, 128] });
  const head = asked.code === 0 ? asked.out.toString('latin1').trim() : undefined;
  if (head !== tree) await copyObjects(store, [tree, ...(await newObjects(store, head, tree))]);
}

/** Objects of a tree that another tree does not have at the same path; all of them if there is no other tree. */
export async function newObjects(store: ObjectStore, from: string | undefined, tree: string): Promise<string[]> {
  if (from === tree) return [];
  if (from === undefined) {
    const { out } = await store.git(['ls-tree', '-r', '-t', '-z', '--full-tree', tree]);
    const fields = splitNames(out).map((line) => line.slice(0, line.indexOf('\t')).split(' '));
    return fields.filter(([, type]) => type !== 'commit').map(([, , id]) => id!);
  }
  return (await differingObjects(store, from, tree)).after;
}

/** Objects of two trees that the other one does not have at the same path. */
export async function differingObjects(
  store: ObjectStore,
  from: string,
  to: string,
): Promise<{ before: string[]; after: string[] }> {
  const before: string[] = [];
  const after: string[] = [];
  if (from === to) return { before, after };
  const { out } = await store.git(['diff-tree', '-r', '-t', '-z', '--raw', '--no-renames', from, to]);
  const fields = splitNames(out);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode, oldId = '', newId = ''] = fields[at]!.slice(1).split(' ');
    if (oldMode !== '160000' && !NONE.test(oldId)) before.push(oldId);
    if (newMode !== '160000' && !NONE.test(newId)) after.push(newId);
  }
  return { before, after };
}

/** Ids as git's commands read them: one on each line. */
export function idLines(ids: Iterable<string>): Buffer {
  return Buffer.from([...ids].map((id) => `${id}\n`).join(''), 'latin1');
}
