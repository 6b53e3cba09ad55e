import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { openUp } from '../open-up.ts';
import { livesBelow } from './lives-below.ts';
import { readNextNumber, readSlotState, writeNextNumber, writeSlotState, type SlotState } from './slot-state.ts';

/** A folder for one attempt at a time. */
export interface Slot {
  readonly number: number;
  /** Absolute path of the slot: its index and its state lie in it. */
  readonly path: string;
  /** The tree that the attempt works in, below `path`. */
  readonly folder: string;
  readonly index: string;
  readonly state: SlotState;
  /** Whether nothing was ever there. */
  readonly isNew: boolean;
}

/** Who takes a slot. */
export interface SlotTaker {
  /** Name of the attempt. */
  readonly attempt: string;
  /** Given for an agent that runs by itself: how long nobody else may have the slot. ISO 8601. */
  readonly until?: string;
}

const NUMBER = /^(?:0|[1-9][0-9]{0,8})$/;

/**
 * The slots of one workspace: folders `<root>/<number>`, used again as long as their attempts end well, so that an attempt
 * costs what differs from the one before it. No number is given twice: whoever was left behind by an attempt may know its
 * path. One engine at a time has them; it holds the workspace's lock.
 */
export class Slots {
  readonly #root: string;
  readonly #mine = new Set<number>();
  #next: Promise<number> | undefined;

  /** @param root absolute path; made with the first slot */
  constructor(root: string) {
    this.#root = root;
  }

  /** Takes the first slot that may be used, or makes one. `isFresh`: only a new one. */
  async take({ attempt, until }: SlotTaker, now: string, isFresh = false): Promise<Slot> {
    const taken = { attempt, ...(until !== undefined && { until }) };
    const numbers = await this.#numbers();
    for (const number of isFresh ? [] : numbers) {
      // Gates start side by side: whoever looks at one has it from then on.
      if (this.#mine.has(number)) continue;
      this.#mine.add(number);
      const state = await readSlotState(this.#pathOf(number));
      if (state.state === 'idle') return this.#mark(number, { state: 'busy', ...taken, ...keptOf(state) }, false);
      await this.#retireAbandoned(number, state, now);
      this.#mine.delete(number);
    }
    const number = await this.#unused();
    this.#mine.add(number);
    await mkdir(this.#pathOf(number), { recursive: true, mode: 0o700 });
    return this.#mark(number, { state: 'busy', ...taken }, true);
  }

  /** Notes what a slot that is busy was furnished with, for a process that finds it again. */
  async furnished({ path, state }: Slot, links: readonly string[], kept: readonly string[]): Promise<void> {
    await writeSlotState(path, { ...state, links: [...links], kept: [...kept] });
  }

  /** The slot that an attempt has, to be given back; `undefined`: none. */
  async of(attempt: string): Promise<Slot | undefined> {
    for (const number of await this.#numbers()) {
      const state = await readSlotState(this.#pathOf(number));
      if (state.state !== 'busy' || state.attempt !== attempt) continue;
      this.#mine.add(number);
      return this.#slot(number, state);
    }
    return undefined;
  }

  /** Gives a slot back. One that may still be written to is not used again. */
  async give({ number, path }: Slot, isReusable: boolean, kept: readonly string[]): Promise<void> {
    await writeSlotState(path, {
      state: isReusable && !(await livesBelow(path)) ? 'idle' : 'retired',
      ...(kept.length > 0 && { kept: [...kept] }),
    });
    this.#mine.delete(number);
  }

  /**
   * Retires slots of attempts whose engine is gone, and deletes the retired ones in which nothing lives any more. What
   * cannot be deleted now is left to the next call.
   */
  async sweep(now: string): Promise<void> {
    for (const number of await this.#numbers()) {
      if (this.#mine.has(number)) continue;
      const path = this.#pathOf(number);
      const state = await readSlotState(path);
      const isRetired = state.state === 'retired' || (await this.#retireAbandoned(number, state, now));
      if (isRetired && !(await livesBelow(path))) await removeTree(path);
    }
  }

  /** A slot that is busy without one of ours being at it: its engine was killed, or its agent's time is over. */
  async #retireAbandoned(number: number, state: SlotState, now: string): Promise<boolean> {
    if (state.state !== 'busy' || (state.until !== undefined && state.until > now)) return false;
    await writeSlotState(this.#pathOf(number), { state: 'retired' });
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

  /** A number that no slot ever had, and notes so before it is used. */
  async #unused(): Promise<number> {
    const number = (this.#next ?? this.#firstUnused()).then(async (next) => {
      await mkdir(this.#root, { recursive: true, mode: 0o700 });
      await writeNextNumber(this.#root, next + 1);
      return next;
    });
    // One after the other: two would note the same one.
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

  async #numbers(): Promise<number[]> {
    try {
      return (await readdir(this.#root))
        .filter((name) => NUMBER.test(name))
        .map(Number)
        .toSorted((a, b) => a - b);
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return [];
      throw error;
    }
  }
}

function keptOf({ kept }: SlotState): Pick<SlotState, 'kept'> {
  return kept === undefined ? {} : { kept };
}

/** A late writer, or files of somebody else, may keep it from going: the next sweep tries again. */
async function removeTree(path: string): Promise<void> {
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 1 });
  try {
    await remove().catch(() => openUp(path).then(remove));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
