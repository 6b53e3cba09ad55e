import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError } from '../errors/gateline-error.ts';
import type { TreeDifference } from '../run/tree.ts';
import { captureTree, type CapturedTree, type Taking } from './trees/capture-tree.ts';
import { copyIndex } from './trees/index-file.ts';
import type { IndexedFolder, ObjectStore } from './trees/object-store.ts';
import type { TreeObjects } from './trees/tree-objects.ts';

/** The user's folder, or a CI job's checkout, as a place to work in. */
export interface InPlace {
  readonly store: ObjectStore;
  readonly trees: TreeObjects;
  readonly taking: Taking;
  /** Index of an earlier look at the folder, with what git knew of its files. */
  readonly seed: string;
  /** Names the attempt. */
  readonly attempt: string;
}

/** An index of its own for each attempt: others look at the folder meanwhile. */
export function folderOf({ store, attempt }: Pick<InPlace, 'store' | 'attempt'>): IndexedFolder {
  const name = createHash('sha256').update(attempt).digest('hex').slice(0, 16);
  return { index: join(store.path, `in-place.${name}.index`), folder: store.top };
}

/** Looks at the folder as it stands before the agent begins. */
export async function captureBefore(place: InPlace): Promise<CapturedTree> {
  const where = folderOf(place);
  await copyIndex(place.seed, where.index);
  return captureTree(place.store, where, place.taking, { extras: [] });
}

/** Looks at it again, after the agent. */
export function captureAfter(place: InPlace): Promise<CapturedTree> {
  return captureTree(place.store, folderOf(place), place.taking, { extras: [] });
}

/**
 * Writes what earlier gates handed on into a CI job's checkout, which is nobody's but the job's.
 * @returns the tree that stands there now
 */
export async function bringIn(place: InPlace, before: string, differences: readonly TreeDifference[]): Promise<string> {
  if (differences.length === 0) return before;
  const tree = await place.trees.lay(before, differences);
  if (tree !== before) await place.store.git(['read-tree', '-m', '-u', before, tree], folderOf(place));
  return tree;
}

/** @throws GatelineError `GATE_NOT_APPLIED` when the user's folder lacks what earlier gates handed on */
export function refuseOther(differences: readonly TreeDifference[]): void {
  if (differences.length === 0) return;
  const names = differences.slice(0, 10).map(({ path }) => path);
  const more = differences.length > 10 ? ` and ${differences.length - 10} more` : '';
  throw new GatelineError(
    'user',
    'GATE_NOT_APPLIED',
    `the folder does not have what earlier gates handed on: ${names.join(', ')}${more}`,
    {
      hint: 'Run `gateline apply` to put these files into the folder, or let the gate work in a work tree of its own.',
    },
  );
}

/** Forgets the attempt's index. */
export async function forget(place: Pick<InPlace, 'store' | 'attempt'>): Promise<void> {
  await rm(folderOf(place).index, { force: true });
}
