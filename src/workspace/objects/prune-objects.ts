import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessAbsent } from '../../errors/store-errors.ts';
import { inParallel } from '../../in-parallel.ts';
import type { TreeId } from '../workspace.ts';
import type { ObjectStore } from './object-store.ts';
import { idLines, lackedBy } from './own-objects.ts';

const PARALLEL = 32;

/** Which versions are removed from the store, and which stay. */
export interface Pruning {
  readonly old: ReadonlySet<TreeId>;
  /** Asked only if the store has one of the old versions. `undefined`: nothing can be removed now. */
  readonly kept: () => Promise<ReadonlySet<TreeId> | undefined>;
  /** Called after each durable step. */
  readonly onDurable: (what: string) => void;
}

/**
 * Removes every object of our own store that none of the kept versions has, if it has an old version that is not kept.
 * What stays is one pack then. It is complete before anything is removed, so an interrupted call loses nothing. The
 * caller has exclusive use of the workspace.
 * @returns whether anything was to be removed
 */
export async function pruneObjects(store: ObjectStore, { old, kept: ask, onDurable }: Pruning): Promise<boolean> {
  const here = old.difference(new Set(await lackedBy(store, old)));
  const kept = here.size === 0 ? undefined : await ask();
  if (kept === undefined || here.isSubsetOf(kept)) return false;
  const before = await filesOf(store);
  const needed = await ownObjectsOf(store, kept);
  const pack = needed.length === 0 ? undefined : await packed(store, needed);
  onDurable('objects packed');
  const rest = before.filter((path) => pack === undefined || !path.startsWith(join(store.objects, 'pack', pack)));
  // A pack without its index is not read, and an index without its pack is an error.
  const isIndex = (path: string): boolean => path.endsWith('.idx');
  for (const paths of [rest.filter(isIndex), rest.filter((path) => !isIndex(path))])
    await inParallel(PARALLEL, paths, (path) => rm(path, { recursive: true, force: true }));
  for (const folder of await looseFolders(store)) await rmdir(folder).catch(() => undefined);
  onDurable('objects removed');
  return true;
}

/** The objects of these versions that only our own store has, as far as they are still stored. */
async function ownObjectsOf(store: ObjectStore, trees: ReadonlySet<TreeId>): Promise<string[]> {
  const { out: kinds } = await store.git(
    ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
    {},
    {
      input: idLines(trees),
    },
  );
  const there = linesOf(kinds).flatMap((line) => (line.endsWith(' tree') ? [line.slice(0, line.indexOf(' '))] : []));
  // A version that was not copied may have lost objects to the `git gc` of the user's repository.
  const walk = ['rev-list', '--objects', '--no-object-names', '--missing=print', '--stdin'];
  const { out } = there.length === 0 ? { out: Buffer.from('') } : await store.git(walk, {}, { input: idLines(there) });
  const all = linesOf(out).filter((id) => !id.startsWith('?'));
  const lacked = new Set(await lackedBy(store, all));
  return all.filter((id) => !lacked.has(id));
}

/** @returns the name of the pack, without an ending */
async function packed(store: ObjectStore, ids: readonly string[]): Promise<string> {
  const where = join(store.objects, 'pack', 'pack');
  // Comparing the objects with each other would take longer than reading them.
  const { out } = await store.own(['pack-objects', '-q', '--window=0', where], { input: idLines(ids) });
  return `pack-${out.toString('latin1').trim()}`;
}

/** Every file in which the store has objects. */
async function filesOf(store: ObjectStore): Promise<string[]> {
  const folders = [...(await looseFolders(store)), join(store.objects, 'pack')];
  const found = folders.map(async (folder) => {
    const names = (await unlessAbsent(readdir(folder))) ?? [];
    return names.map((name) => join(folder, name));
  });
  return (await Promise.all(found)).flat();
}

async function looseFolders({ objects }: ObjectStore): Promise<string[]> {
  const names = (await unlessAbsent(readdir(objects))) ?? [];
  return names.filter((name) => /^[0-9a-f]{2}$/.test(name)).map((name) => join(objects, name));
}

function linesOf(out: Buffer): string[] {
  return out
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}
