import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Globs } from '../globs.ts';
import type { GitOptions } from '../git.ts';
import { captureTree, type CapturedTree } from '../trees/capture-tree.ts';
import type { ObjectStore } from '../trees/object-store.ts';
import { makeAgentRepository, type RepositoryCopy } from './agent-repository.ts';
import { checkOutSubmodules } from './submodules.ts';
import type { CheckoutRequest } from '../workspace.ts';
import { linkInto, setUp, type Furnished, type Furnishing } from './furnish-slot.ts';
import type { Slot } from './slots.ts';

/** What every slot of a call is prepared with. */
export interface SlotSetting {
  readonly store: ObjectStore;
  readonly git: GitOptions;
  /** What the agent's repository is made from; `undefined` without a repository. */
  readonly copy: RepositoryCopy | undefined;
  /** Path of the workspace below the top, '' or ending in `/`. */
  readonly prefix: string;
  readonly furnishing: Furnishing;
}

/** What is to stand in a slot. */
export interface SlotTree {
  readonly tree: string;
  /** Path from the top and commit of each submodule. */
  readonly submodules: ReadonlyMap<string, string>;
  /** Paths from the top, of the user's version and of this one. */
  readonly files: readonly string[];
}

/**
 * Brings a slot from whatever stands there to a tree: files that differ are written, and everything that the tree does not
 * have is removed, ignored files too. Then the agent's repository is made anew.
 */
export async function prepareSlot(
  slot: Slot,
  { tree, submodules, files }: SlotTree,
  setting: SlotSetting,
  request: CheckoutRequest,
): Promise<Furnished> {
  const { store, git, copy } = setting;
  await mkdir(slot.folder, { recursive: true, mode: 0o700 });
  // The agent's own git folder is no part of the tree, and its lock is what a killed switch left.
  await Promise.all([
    rm(join(slot.folder, '.git'), { recursive: true, force: true }),
    rm(`${slot.index}.lock`, { force: true }),
  ]);
  const where = { index: slot.index, folder: slot.folder };
  try {
    await store.git(['read-tree', '--reset', '-u', tree], where);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.code !== 'GIT_FAILED') throw error;
    // An index that a kill left torn: without it every file is written or looked at anew.
    await rm(slot.index, { force: true });
    await store.git(['read-tree', '--reset', '-u', tree], where);
  }
  const excluded = (slot.state.kept ?? []).flatMap((path) => ['-e', `/${path.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}`]);
  await store.git(['clean', '-q', '-f', '-f', '-d', '-x', ...excluded], where);
  if (store.repository !== undefined) await checkOutSubmodules(store.top, slot.folder, submodules, git);
  const { links, notices } = await linkInto(slot, files, setting.furnishing);
  const kept = (await setUp(slot, setting.furnishing, request)) ?? slot.state.kept ?? [];
  if (copy !== undefined) await makeAgentRepository(slot, store, copy, links);
  return { links, notices, kept: kept.filter((path) => !links.includes(path)) };
}

/** What stands in a slot, as a tree. */
export function captureSlot(
  slot: Slot,
  from: string,
  links: readonly string[],
  named: readonly Globs[],
  { store, prefix }: Pick<SlotSetting, 'store' | 'prefix'>,
  maxUntracked: number,
): Promise<CapturedTree> {
  const isLinked = (path: string): boolean => links.some((link) => path === link || path.startsWith(`${link}/`));
  return captureTree(
    store,
    { index: slot.index, folder: slot.folder },
    { prefix, untracked: 'all', named, maxUntracked, oversize: 'leave-out', without: isLinked },
    { extras: [], tree: from },
  );
}
