import { rm } from 'node:fs/promises';
import { GatelineError } from '../../errors/gateline-error.ts';
import { captureTree, type CapturedTree, type KnownIndex } from '../trees/capture-tree.ts';
import { type Taking } from '../trees/left-out.ts';
import { indexState, unskipPresent } from '../trees/index-file.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Slot } from './slots.ts';

/** How to capture a slot. */
export interface SlotCapture {
  readonly store: ObjectStore;
  readonly taking: Taking;
  readonly known: KnownIndex;
  /** Whether only some of the files were checked out. */
  readonly isSparse: boolean;
}

/**
 * The files in a slot, as a tree. If its index (which is next to the tree) is damaged or gone, every file is compared
 * with the version checked out there.
 * @param from that version
 */
export async function captureSlot(slot: Slot, from: string, how: SlotCapture): Promise<CapturedTree> {
  const { store, taking, known, isSparse } = how;
  const where = { index: slot.index, folder: slot.folder };
  try {
    if ((await indexState(slot.index, store.format)) !== undefined) {
      await rm(`${slot.index}.lock`, { force: true });
      if (isSparse) await unskipPresent(store, where);
      return await captureTree(store, where, taking, { ...known, isUnsettled: true });
    }
  } catch (error) {
    if (!(error instanceof GatelineError) || !['GIT_FAILED', 'WORKSPACE_UNREADABLE'].includes(error.code)) throw error;
    if (!(await isDamaged(store, slot))) throw error;
  }
  await rm(slot.index, { recursive: true, force: true });
  await store.git(['read-tree', from], { index: slot.index });
  return captureTree(store, where, taking, { extras: [] });
}

async function isDamaged(store: ObjectStore, { index }: Slot): Promise<boolean> {
  try {
    if ((await indexState(index, store.format)) === undefined) return true;
  } catch (error) {
    if (error instanceof GatelineError) return true;
    throw error;
  }
  return (await store.git(['ls-files', '-z', '--', 'none'], { index }, { answers: [0, 128] })).code !== 0;
}
