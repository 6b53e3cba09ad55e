import { GatelineError, messageOf } from '../errors.ts';

export interface RetryLimits {
  /** Milliseconds that one try may take. */
  readonly tryMs: number;
  /** No try starts after it, but the first: milliseconds since the epoch. */
  readonly deadline: number;
  /** Milliseconds until the next try; undefined: the error is final. Default: 1 s, doubled up to 15 s. */
  readonly pauseAfter?: (error: unknown, tries: number) => number | undefined;
  /** Gets one line for people before each pause. */
  readonly report?: (line: string) => void;
}

/** The pause after a number of failed tries, in milliseconds. */
export function defaultPause(tries: number): number {
  return Math.min(15_000, 1_000 * 2 ** (tries - 1));
}

/**
 * Calls until a try succeeds, an error is final, or the deadline has passed. The only loop around calls of GitHub's
 * clients, whose promises may never settle.
 * @param what names the call in messages: `The upload of the output`
 * @throws the error of the last try
 */
export async function withRetry<T>(
  what: string,
  call: (tries: number) => Promise<T>,
  { tryMs, deadline, pauseAfter = (_error, tries) => defaultPause(tries), report }: RetryLimits,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await within(tryMs, what, call(tries));
    } catch (error) {
      const pause = pauseAfter(error, tries);
      const left = deadline - Date.now();
      if (pause === undefined || pause > left) throw error;
      const plan = `Next try in ${Math.ceil(pause / 1_000)} s, ${Math.ceil(left / 1_000)} s are left.`;
      report?.(`${what} failed: ${messageOf(error)}. ${plan}`);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/**
 * The value of a promise, or an error after `ms`. The timer keeps the process alive: a client that lost its connection
 * leaves nothing else to wait for.
 * @throws GatelineError `platform` if the promise does not settle in time
 */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new GatelineError('platform', `${what} got no answer in ${Math.ceil(ms / 1_000)} s`);
    timer = setTimeout(() => reject(error), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
