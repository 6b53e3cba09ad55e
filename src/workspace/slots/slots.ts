import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { GatelineError, isDiskFull, isSystemError } from '../../errors/gateline-error.ts';
import { lookAt } from '../files/look.ts';
import { openUp } from '../files/open-up.ts';
import { livesBelow } from './lives-below.ts';
import {
  memoryOf,
  readNextNumber,
  readSlotState,
  writeNextNumber,
  writeSlotState,
  type SlotMemory,
  type SlotState,
} from './slot-state.ts';

/** A folder for one attempt at a time. */
export interface Slot {
  readonly number: number;
  /** Absolute path of the slot: it contains its index and its state. */
  readonly path: string;
  /** The tree that the attempt works in, below `path`. */
  readonly folder: string;
  readonly index: string;
  readonly state: SlotState;
  /** Whether it has never been used. */
  readonly isNew: boolean;
}

/** The attempt that takes a slot. */
export interface SlotTaker {
  /** Name of the attempt. */
  readonly attempt: string;
  /** Set for an agent that runs by itself: how long the slot is reserved for it. ISO 8601. */
  readonly until?: string;
}

const NUMBER = /^(?:0|[1-9][0-9]{0,8})$/;
/** Error codes if a folder cannot be moved because of what is in it, or in its new place. */
const IMMOVABLE = ['EACCES', 'EPERM', 'EBUSY', 'EEXIST', 'ENOTEMPTY', 'ENOTDIR'];

/** Where slots are, and how they are reused. */
export interface SlotsSetting {
  /** Absolute path; created with the first slot. */
  readonly root: string;
  /** Whether a slot stays at its path: what a setup command installs may contain it. */
  readonly keepsPaths: boolean;
}

/**
 * The slots of one workspace: folders `<root>/<number>`. They are reused as long as their attempts end well, so that an
 * attempt costs only the difference from the previous one. A process left behind by an attempt may know its path, and
 * not every one is found: so no number is used for two attempts, and a reused slot moves. Only one engine at a time
 * uses them; it holds the workspace's lock.
 */
export class Slots {
  readonly #root: string;
  readonly #keepsPaths: boolean;
  readonly #mine = new Set<number>();
  #next: Promise<number> | undefined;

  constructor({ root, keepsPaths }: SlotsSetting) {
    this.#root = root;
    this.#keepsPaths = keepsPaths;
  }

  /** Takes the first free slot, or creates one. `isFresh`: only a new one. */
  async take({ attempt, until }: SlotTaker, now: string, isFresh = false): Promise<Slot> {
    const taken = { attempt, ...(until !== undefined && { until }) };
    const numbers = await this.#numbers();
    for (const number of isFresh ? [] : numbers) {
      // Gates start in parallel: a slot is taken as soon as it is examined.
      if (this.#mine.has(number)) continue;
      this.#mine.add(number);
      const state = await readSlotState(this.#pathOf(number));
      const isIdle = state.state === 'idle';
      const at = isIdle && (await isSound(this.#slot(number, state))) ? await this.#moved(number) : undefined;
      if (at !== undefined) return this.#mark(at, { state: 'busy', ...taken, ...memoryOf(state) }, false);
      if (isIdle) await this.#discard(number);
      else await this.#retireAbandoned(number, state, now);
      this.#mine.delete(number);
    }
    const number = await this.#unused();
    this.#mine.add(number);
    await mkdir(this.#pathOf(number), { mode: 0o700 });
    return this.#mark(number, { state: 'busy', ...taken }, true);
  }

  /**
   * Moves a free slot to a path that no process knows.
   * @returns its number there; `undefined`: it cannot be moved
   */
  async #moved(number: number): Promise<number | undefined> {
    if (this.#keepsPaths) return number;
    const next = await this.#unused();
    this.#mine.add(next);
    try {
      await rename(this.#pathOf(number), this.#pathOf(next));
    } catch (error) {
      this.#mine.delete(next);
      // On Windows, a process whose working directory is there prevents it.
      if (IMMOVABLE.some((code) => isSystemError(error, code))) return undefined;
      throw error;
    }
    this.#mine.delete(number);
    return next;
  }

  /** Stores what was added to a busy slot, for a process that finds it again. */
  async furnished({ path, state }: Slot, links: readonly string[], memory: SlotMemory): Promise<void> {
    await writeSlotState(path, { ...state, links: [...links], ...memory });
  }

  /** The slot of an attempt, to be released; `undefined`: none. */
  async of(attempt: string): Promise<Slot | undefined> {
    for (const number of await this.#numbers()) {
      const state = await readSlotState(this.#pathOf(number));
      if (state.state !== 'busy' || state.attempt !== attempt) continue;
      this.#mine.add(number);
      return this.#slot(number, state);
    }
    return undefined;
  }

  /**
   * Releases a slot. One that may still be written to is not reused.
   * @param left pids of processes that stay there: it is deleted when they are gone
   */
  async give(slot: Slot, isReusable: boolean, memory: SlotMemory, left: readonly number[] = []): Promise<void> {
    const { number, path } = slot;
    if (!isReusable || left.length > 0 || !(await isSound(slot)) || livesBelow(path)) await this.#discard(number, left);
    else await unlessFull(writeSlotState(path, { state: 'idle', ...memory }));
    this.#mine.delete(number);
  }

  /** Marks a slot for deletion by the next sweep. A link in its place is removed: its target is not ours. */
  async #discard(number: number, left: readonly number[] = []): Promise<void> {
    const path = this.#pathOf(number);
    const state: SlotState = { state: 'retired', ...(left.length > 0 && { left: [...left] }) };
    if (isFolder(path)) await unlessFull(writeSlotState(path, state));
    else await rm(path, { force: true });
  }

  /**
   * Retires slots of attempts whose engine is gone, and deletes retired slots without running processes. Slots that
   * cannot be deleted now are left to the next call.
   */
  async sweep(now: string): Promise<void> {
    for (const number of await this.#numbers()) {
      if (this.#mine.has(number)) continue;
      const path = this.#pathOf(number);
      const state = await readSlotState(path);
      const isRetired = state.state === 'retired' || (await this.#retireAbandoned(number, state, now));
      if (isRetired && !livesBelow(path, state.left)) await removeTree(path);
    }
  }

  /** A busy slot that this process does not use: its engine was killed, or its agent's time is over. */
  async #retireAbandoned(number: number, state: SlotState, now: string): Promise<boolean> {
    if (state.state !== 'busy' || (state.until !== undefined && state.until > now)) return false;
    await this.#discard(number);
    return true;
  }

  async #mark(number: number, state: SlotState, isNew: boolean): Promise<Slot> {
    await writeSlotState(this.#pathOf(number), state);
    return this.#slot(number, state, isNew);
  }

  #slot(number: number, state: SlotState, isNew = false): Slot {
    const path = this.#pathOf(number);
    return { number, path, folder: join(path, 'tree'), index: join(path, 'index'), state, isNew };
  }

  /** A number never used for a slot; this is stored before the number is used. */
  async #unused(): Promise<number> {
    const number = (this.#next ?? this.#firstUnused()).then(async (next) => {
      await makeFolders(this.#root);
      if ((await realpath(this.#root)) !== this.#root) throw replaced(this.#root);
      await writeNextNumber(this.#root, next + 1);
      return next;
    });
    // Sequentially: two callers would otherwise store the same number.
    const next = number.then((taken) => taken + 1);
    next.catch(() => (this.#next = undefined));
    this.#next = next;
    return number;
  }

  async #firstUnused(): Promise<number> {
    const numbers = await this.#numbers();
    return Math.max(await readNextNumber(this.#root), ...numbers.map((number) => number + 1));
  }

  #pathOf(number: number): string {
    return join(this.#root, String(number));
  }

  #numbers(): Promise<number[]> {
    return numbersIn(this.#root);
  }
}

/**
 * Absolute paths of the slots that the next sweep retires or deletes: those of attempts whose engine is gone, if no
 * engine works in the workspace, and those that were never deleted. Without those in which processes stay. Changes
 * nothing.
 * @param root of the slots of a workspace
 * @param now ISO 8601
 */
export async function leftSlots(root: string, now: string): Promise<string[]> {
  const left: string[] = [];
  for (const number of await numbersIn(root)) {
    const path = join(root, String(number));
    const { state, until, left: living } = await readSlotState(path);
    if (living !== undefined && livesBelow(path, living)) continue;
    if (state === 'retired' || (state === 'busy' && (until === undefined || until <= now))) left.push(path);
  }
  return left;
}

async function numbersIn(root: string): Promise<number[]> {
  try {
    return (await readdir(root))
      .filter((name) => NUMBER.test(name))
      .map(Number)
      .toSorted((a, b) => a - b);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

/** On a full disk a slot stays busy, and the next call retires it. The attempt's result is recorded anyway. */
async function unlessFull(write: Promise<void>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!isDiskFull(error)) throw error;
  });
}

/** Not `recursive`: below `/proc`, where no folder can be created, Node would retry forever. */
async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return;
    if (!isSystemError(error, 'ENOENT') || existsSync(dirname(path))) throw error;
    await makeFolders(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

/**
 * Whether the folders and files of a slot are still its own. An agent may have replaced them with links; git would then
 * write and delete at their targets.
 */
export async function isSound({ path, folder, index }: Pick<Slot, 'path' | 'folder' | 'index'>): Promise<boolean> {
  if (!isFolder(path) || (await realpath(path)) !== path) return false;
  const [tree, list] = [lookAt(path, basename(folder)), lookAt(path, basename(index))];
  return (tree?.isDirectory() ?? true) && (list?.isFile() ?? true);
}

/** @throws GatelineError `WORK_TREE_REPLACED` */
export async function refuseReplaced(slot: Slot): Promise<void> {
  if (!(await isSound(slot)) || !isFolder(slot.folder)) throw replaced(slot.folder);
}

function replaced(path: string): GatelineError {
  return new GatelineError('WORK_TREE_REPLACED', `something else is in the place of the work tree ${path}`);
}

/** Links are not followed. */
function isFolder(path: string): boolean {
  return lookAt(dirname(path), basename(path))?.isDirectory() === true;
}

/** A late writer, or files of another user, may prevent the removal: the next sweep tries again. */
async function removeTree(path: string): Promise<void> {
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 1 });
  try {
    await remove().catch(() => openUp(path).then(remove));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
