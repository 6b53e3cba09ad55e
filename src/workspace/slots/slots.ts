import { mkdir, readdir, readlink, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { readSlotState, writeSlotState, type SlotState } from './slot-state.ts';

/** A folder for one attempt at a time. */
export interface Slot {
  readonly number: number;
  /** Absolute path of the slot: its index and its state lie in it. */
  readonly path: string;
  /** The tree that the attempt works in, below `path`. */
  readonly folder: string;
  readonly index: string;
  readonly state: SlotState;
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
 * costs what differs from the one before it. One engine at a time has them; it holds the workspace's lock.
 */
export class Slots {
  readonly #root: string;
  readonly #mine = new Set<number>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param root absolute path; made with the first slot */
  constructor(root: string) {
    this.#root = root;
  }

  get root(): string {
    return this.#root;
  }

  /** Takes the first slot that may be used, or makes one. One taker after the other: two would find the same one. */
  take(taker: SlotTaker, now: string): Promise<Slot> {
    const taken = this.#last.then(() => this.#take(taker, now));
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  async #take({ attempt, until }: SlotTaker, now: string): Promise<Slot> {
    const numbers = await this.#numbers();
    for (const number of numbers) {
      if (this.#mine.has(number)) continue;
      const state = await readSlotState(this.#pathOf(number));
      if (state.state !== 'idle' && !(await this.#retireAbandoned(number, state, now))) continue;
      if (state.state !== 'idle') continue;
      return this.#mark(number, { state: 'busy', attempt, ...(until !== undefined && { until }), ...keptOf(state) });
    }
    for (let number = 0; ; number += 1) {
      if (this.#mine.has(number) || numbers.includes(number)) continue;
      await mkdir(this.#pathOf(number), { recursive: true, mode: 0o700 });
      return this.#mark(number, { state: 'busy', attempt, ...(until !== undefined && { until }) });
    }
  }

  /** Notes what a slot that is busy was furnished with, for a process that finds it again. */
  async furnished({ path, state }: Slot, links: readonly string[], kept: readonly string[]): Promise<void> {
    await writeSlotState(path, { ...state, links: [...links], kept: [...kept] });
  }

  /** The slot that an attempt has; `undefined`: none. */
  async of(attempt: string): Promise<Slot | undefined> {
    for (const number of await this.#numbers()) {
      const state = await readSlotState(this.#pathOf(number));
      if (state.state === 'busy' && state.attempt === attempt) return this.#slot(number, state);
    }
    return undefined;
  }

  /** Gives a slot back. One that may still be written to is not used again. */
  async give({ number }: Slot, isReusable: boolean, kept: readonly string[]): Promise<void> {
    await writeSlotState(this.#pathOf(number), {
      state: isReusable ? 'idle' : 'retired',
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

  async #mark(number: number, state: SlotState): Promise<Slot> {
    this.#mine.add(number);
    await writeSlotState(this.#pathOf(number), state);
    return this.#slot(number, state);
  }

  #slot(number: number, state: SlotState): Slot {
    const path = this.#pathOf(number);
    return { number, path, folder: join(path, 'tree'), index: join(path, 'index'), state };
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

/** Whether a process works in a folder, where the system tells (Linux). */
async function livesBelow(path: string): Promise<boolean> {
  let processes;
  try {
    processes = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name));
  } catch {
    return false;
  }
  const places = await Promise.all(processes.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return places.some((place) => place === path || place.startsWith(`${path}${sep}`));
}

/** A late writer, or folders without rights that an agent left, may keep it from going: the next sweep tries again. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 1 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
