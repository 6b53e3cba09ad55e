import type { LoggedCall } from './call-log.ts';

/** Milliseconds before a call takes effect, and before it is answered. */
export interface Delay {
  readonly request: number;
  readonly response: number;
}

/** How slow each call is. */
export type DelayPlan = (call: LoggedCall) => Delay;

/** The same for every call, as a distance to the service. */
export function constantDelay(milliseconds: number): DelayPlan {
  return () => ({ request: milliseconds, response: milliseconds });
}

/**
 * Random delays up to these, the same ones for the same seed and the same order of arrival.
 * `operation` limits them to calls of that name.
 */
export function seededDelays(seed: number, longest: Delay, operation?: RegExp): DelayPlan {
  const next = randomNumbers(seed);
  return (call) => {
    if (operation !== undefined && !operation.test(call.operation)) return { request: 0, response: 0 };
    return { request: next() * longest.request, response: next() * longest.response };
  };
}

/** Numbers from 0 to 1 by the mulberry32 generator. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
