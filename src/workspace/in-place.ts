import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { GatelineError } from '../errors/gateline-error.ts';
import type { TreeDifference } from '../run/tree.ts';
import { captureTree, type CapturedTree, type Taking } from './trees/capture-tree.ts';
import type { LeftOut } from './trees/left-out.ts';
import { copyIndex, indexState } from './trees/index-file.ts';
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
  const before = await captureTree(place.store, where, place.taking, { extras: [] });
  await writeFile(`${where.index}.json`, JSON.stringify(before.leftOut), { mode: 0o600 });
  return before;
}

/** Looks at it again, after the agent. What could not be looked at before either is nothing that the agent did. */
export async function captureAfter(place: InPlace): Promise<CapturedTree> {
  const where = folderOf(place);
  const after = await captureTree(place.store, where, place.taking, { extras: [] });
  const known = new Set(leftOutSchema.parse(JSON.parse(await readFile(`${where.index}.json`, 'utf8'))).map(keyOf));
  return { ...after, leftOut: after.leftOut.filter((one) => !known.has(keyOf(one))) };
}

const leftOutSchema = z.array(z.object({ path: z.string(), why: z.string() }));

function keyOf({ path, why }: LeftOut): string {
  return `${why}\0${path}`;
}

/** Whether the attempt has an index, so that it can be looked at. */
export async function isBegun(place: InPlace): Promise<boolean> {
  const { index } = folderOf(place);
  return (await indexState(index, place.store.format)) !== undefined && existsSync(`${index}.json`);
}

/**
 * Writes what earlier gates handed on into a CI job's checkout, which is nobody's but the job's.
 * @returns the tree that stands there now
 */
export async function bringIn(place: InPlace, before: string, differences: readonly TreeDifference[]): Promise<string> {
  if (differences.length === 0) return before;
  const tree = await place.trees.lay(before, differences);
  // What setup steps left at these paths is in nobody's way.
  if (tree !== before) await place.store.git(['read-tree', '--reset', '-u', tree], folderOf(place));
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
  const { index } = folderOf(place);
  await Promise.all([rm(index, { force: true }), rm(`${index}.json`, { force: true })]);
}
