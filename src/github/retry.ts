import type { Clock } from './clock.ts';
import { TimeLimitError, underLimit } from './time-limit.ts';

/** A failed call, as far as retrying depends on it. */
export interface Failure {
  /** One sentence for people: the request and its result, without an address or a secret. */
  readonly message: string;
  /** Another try may succeed. */
  readonly passing: boolean;
  /** Milliseconds that the service asks to wait before the next try. */
  readonly after?: number | undefined;
}

/** How often to try one call, and the pauses between tries. */
export interface RetryRules {
  /** The first pause, in milliseconds, before jitter. Each later one is twice as long. */
  readonly pauseMs: number;
  /** Maximum pause before jitter, unless the service asks for a longer one. */
  readonly longestPauseMs: number;
  /** If the service asks for a longer pause, there is no retry. */
  readonly longestAfterMs: number;
  /** Tries of one call, including the first. */
  readonly tries: number;
  /**
   * Minimum time for a try, however little time is left. 0: no try begins when no time is left, and there is no pause
   * before it.
   */
  readonly shortestTryMs: number;
}

/** The remaining budget of all calls together. */
export interface RetryBudget {
  /** Milliseconds in which another try may begin; `Infinity` if time is not limited, 0 for no further try. */
  left(): number;
  /** Milliseconds after which a running try is abandoned, whatever its own limits. */
  untilEnd(): number;
  /** Starts counting a call: its try failed, which began at `since` on the clock. */
  enter(since: number): void;
  /** A counted call has ended. */
  leave(): void;
  /** Called before each pause, and awaited. */
  pausing(milliseconds: number): Promise<void>;
}

/** Options of {@link retry}. */
export interface RetryOptions<F extends Failure> {
  readonly rules: RetryRules;
  readonly budget: RetryBudget;
  readonly clock: Clock;
  /** Numbers from 0 to below 1, for jitter. */
  readonly random: () => number;
  /** The failure in a thrown error; `undefined` for errors that are not from a call, which are rethrown. */
  readonly failureOf: (error: unknown) => F | undefined;
  /** Failed tries before this call, for the same purpose: the pauses continue from theirs. Default 0. */
  readonly earlier?: number | undefined;
  /** Aborted when all waiting must end. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each pause. */
  readonly tell?: ((failure: Failure, pauseMs: number) => void) | undefined;
}

/** The final result of a call. */
export type Retried<T, F extends Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F | Failure };

/**
 * Makes a call until it succeeds, fails for good, or may not be retried. This is the only retry loop: no called
 * function may retry on its own.
 *
 * When the signal is aborted, all waiting ends. A first try that is running, or begins after that, still has
 * `shortestTryMs`; a call that failed before is abandoned at once.
 */
export async function retry<T, F extends Failure>(
  call: () => Promise<T>,
  options: RetryOptions<F>,
): Promise<Retried<T, F>> {
  const { rules, budget, clock, random, signal, tell, earlier = 0 } = options;
  let failed: Failure | undefined;
  try {
    for (let tried = earlier + 1; ; tried += 1) {
      const since = clock.now();
      const came = await tryOnce(call, options, failed);
      if (came.ok) return came;
      if (failed === undefined) budget.enter(since);
      failed = came.failure;
      const pause = pauseAfter(failed, tried, rules, budget.left(), random);
      if (pause === undefined || signal?.aborted) return came;
      tell?.(failed, pause);
      await budget.pausing(pause);
      await clock.sleep(pause, signal);
      if (signal?.aborted) return came;
    }
  } finally {
    if (failed !== undefined) budget.leave();
  }
}

/**
 * Milliseconds until the next try, or `undefined`: there is none. The pause is as long as the service asks for,
 * otherwise growing; with jitter, so that jobs that failed together do not retry together. The last pause ends with the
 * budget.
 */
export function pauseAfter(
  { passing, after }: Pick<Failure, 'passing' | 'after'>,
  tried: number,
  rules: RetryRules,
  leftMs: number,
  random: () => number,
): number | undefined {
  if (!passing || tried >= rules.tries || leftMs <= 0) return undefined;
  if (after !== undefined && after > Math.min(leftMs, rules.longestAfterMs)) return undefined;
  const grown = Math.min(rules.pauseMs * 2 ** (tried - 1), rules.longestPauseMs) * (0.5 + random());
  const pause = after === undefined ? grown : Math.max(grown, after + rules.pauseMs * random());
  return pause >= leftMs && rules.shortestTryMs === 0 ? undefined : Math.min(pause, leftMs);
}

async function tryOnce<T, F extends Failure>(
  call: () => Promise<T>,
  { rules, budget, signal, failureOf }: RetryOptions<F>,
  before: Failure | undefined,
): Promise<Retried<T, F>> {
  using stop = stopFor(signal, before === undefined ? rules.shortestTryMs : 0);
  const limit = Math.max(budget.untilEnd(), rules.shortestTryMs);
  try {
    return { ok: true, value: await underLimit(limit, stop.signal, call) };
  } catch (error) {
    if (error instanceof Stopped) return { ok: false, failure: before ?? error };
    // There is no time left: the previous error is more informative.
    if (error instanceof TimeLimitError)
      return { ok: false, failure: before ?? { passing: true, message: error.message } };
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return { ok: false, failure };
  }
}

/** Why a try was abandoned: the signal was aborted. */
class Stopped extends Error implements Failure {
  readonly passing = true;

  constructor() {
    super('the job was cancelled before GitHub answered');
  }
}

/** A signal that is aborted this long after the given one. */
function stopFor(signal: AbortSignal | undefined, milliseconds: number): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    if (milliseconds === 0) controller.abort(new Stopped());
    else timer = setTimeout(() => controller.abort(new Stopped()), milliseconds);
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
