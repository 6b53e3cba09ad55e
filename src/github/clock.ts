import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time as waiting sees it. */
export interface Clock {
  /** Milliseconds from some moment on; never goes back. */
  now(): number;
  /** Ends after so many milliseconds, or at once when the signal is aborted. Never throws. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The system's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    try {
      await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
    } catch {
      // Aborted: whoever waits looks at the signal.
    }
  },
};

/**
 * Numbers from 0 to below 1 that are the same for the same seed, and others for another one: jobs of a run seed with
 * their names, so that no two pause alike. The generator is mulberry32.
 */
export function seededRandom(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readInt32LE(0);
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
