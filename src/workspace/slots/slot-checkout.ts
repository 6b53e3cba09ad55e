import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError, isSystemError } from '../../errors/gateline-error.ts';
import type { Tree } from '../../run/files/tree.ts';
import type { GitOptions } from '../git/git.ts';
import { openUp } from '../files/open-up.ts';
import { splitNames } from '../files/path-bytes.ts';
import { removeStrange, strangeEntries } from '../files/strange-entries.ts';
import { copyIndex, listOfNames, unlookedEntries } from '../trees/index-file.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { makeAgentRepository } from './agent-repository.ts';
import type { Furnished } from './furnish-slot.ts';
import type { RepositoryCopy } from './repository-copy.ts';
import type { Slot } from './slots.ts';
import { checkOutSubmodules } from './submodules.ts';

/** Data with which every slot of a call is prepared. */
export interface SlotSetting {
  readonly store: ObjectStore;
  readonly git: GitOptions;
  /** Source of the agent's repository; `undefined` without a repository. */
  readonly copy: RepositoryCopy | undefined;
  /** Adds everything to a work tree except its files. */
  readonly furnish: () => Promise<Furnished>;
}

/** A version to check out in a slot. */
export interface SlotContents {
  readonly tree: string;
  /** Its files. */
  readonly files: Tree;
  /** Path from the top and commit of each submodule. */
  readonly submodules: ReadonlyMap<string, string>;
}

/** How a slot was prepared, for the next attempt in it. */
export interface PreparedSlot extends Furnished {
  /** See {@link conversionOf}. */
  readonly conversion?: string;
}

/**
 * Identifies everything that affects the bytes that git writes for a blob: attributes, and settings for line endings
 * and filters. git writes only files whose blobs differ, so a slot whose files were written under other settings is
 * rewritten.
 */
export function conversionOf(files: Tree, copy: RepositoryCopy | undefined): string {
  const attributes = [...files].filter(([path]) => path === '.gitattributes' || path.endsWith('/.gitattributes'));
  const text = JSON.stringify([attributes.map(([path, { blob }]) => [path, blob]), copy?.conversion]);
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Brings a slot from any state to a tree: files that differ are written, and everything else is removed, including
 * ignored files. Then the agent's repository is recreated.
 */
export async function prepareSlot(slot: Slot, contents: SlotContents, setting: SlotSetting): Promise<PreparedSlot> {
  const { tree, files, submodules } = contents;
  const { store, git, copy } = setting;
  await mkdir(slot.folder, { recursive: true, mode: 0o700 });
  const conversion = conversionOf(files, copy);
  if (slot.state.conversion !== conversion) await rm(slot.index, { force: true });
  try {
    await bringTo(slot, tree, store);
  } catch (error) {
    if (!isOfWhatLiesThere(error)) throw error;
    // A damaged index, or folders without write permission: every file is written or compared again.
    await openUp(slot.folder);
    await rm(slot.index, { force: true });
    await bringTo(slot, tree, store);
  }
  if (copy?.isSparse === true) await writeOutside(slot, tree, store, copy.head);
  if (copy !== undefined) await checkOutSubmodules(store.top, slot.folder, submodules, git);
  const furnished = await setting.furnish();
  if (copy !== undefined) await giveRepository(slot, { store, copy, tree }, furnished.links);
  return { ...furnished, conversion };
}

/** Whether an error may be caused by the current content of a slot, not by the content to check out. */
export function isOfWhatLiesThere(error: unknown): boolean {
  if (error instanceof GatelineError) return ['GIT_FAILED', 'WORKSPACE_UNREADABLE'].includes(error.code);
  return ['EACCES', 'EPERM', 'ENOTEMPTY', 'EBUSY'].some((code) => isSystemError(error, code));
}

async function bringTo(slot: Slot, tree: string, store: ObjectStore): Promise<void> {
  // The agent's own git folder is not part of the tree, and its lock was left by a killed switch.
  await Promise.all([
    rm(join(slot.folder, '.git'), { recursive: true, force: true }),
    rm(`${slot.index}.lock`, { force: true }),
  ]);
  const where = { index: slot.index, folder: slot.folder };
  const left = slot.state.kept ?? [];
  const strange = strangeEntries(slot.folder, left);
  try {
    await store.git(['read-tree', '--reset', '-u', tree], where);
  } finally {
    await removeStrange(await strange);
  }
  const kept = left.flatMap((path) => ['-e', `/${path.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}`]);
  await store.git(['clean', '-q', '-f', '-f', '-d', '-x', ...kept], where);
}

/**
 * In a sparse checkout: files that differ from the commit are on disk, wherever they are; other files only if the user
 * has them on disk.
 */
async function writeOutside(slot: Slot, tree: string, store: ObjectStore, head: string | undefined): Promise<void> {
  const where = { index: slot.index, folder: slot.folder };
  const { skipped } = await unlookedEntries(store, where);
  if (skipped.length === 0) return;
  const differs = head === undefined ? undefined : await pathsThatDiffer(store, head, tree);
  const written = skipped.filter((path) => differs?.has(path) ?? true);
  if (written.length === 0) return;
  const input = listOfNames(written);
  await store.git(['update-index', '--no-skip-worktree', '-z', '--stdin'], where, { input });
  await store.git(['checkout-index', '-q', '-f', '-u', '-z', '--stdin'], where, { input });
}

async function pathsThatDiffer(store: ObjectStore, from: string, to: string): Promise<Set<string>> {
  const { out } = await store.git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]);
  return new Set(splitNames(out));
}

async function giveRepository(
  slot: Slot,
  { store, copy, tree }: { readonly store: ObjectStore; readonly copy: RepositoryCopy; readonly tree: string },
  links: readonly string[],
): Promise<void> {
  const objects = [copy.repository.objects, store.objects];
  const excluded = [...links, `${copy.repository.prefix}.state`];
  const path = await makeAgentRepository({ folder: slot.folder, copy, head: copy.head, objects, excluded });
  if (copy.head === undefined) return;
  const index = join(path, 'index');
  await copyIndex(slot.index, index);
  // A fresh checkout matches the commit, and so does the index.
  if (tree === copy.headTree && !copy.isSparse) return;
  // Its own git folder: this must use the same data as the agent's git later.
  await store.git(['--git-dir', path, 'read-tree', '-m', copy.head], { index, folder: slot.folder });
}
