import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** The clock for waiting. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never decreases. */
  now(): number;
  /** Ends after this many milliseconds, or at once when the signal is aborted. Never throws. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The system's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    try {
      await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
    } catch {
      // Aborted: the caller checks the signal.
    }
  },
};

/**
 * Numbers from 0 to below 1, determined by the seed: each job of a run uses its name as the seed, so that no two pause
 * alike. The generator is mulberry32.
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
