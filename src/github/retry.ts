import type { Clock } from './clock.ts';
import { TimeLimitError, underLimit } from './time-limit.ts';

/** A call that failed, as far as another try depends on it. */
export interface Failure {
  /** One sentence for people: what was asked and what came of it, without an address or a secret. */
  readonly message: string;
  /** Another try may turn out better. */
  readonly passing: boolean;
  /** Milliseconds that the service asks to wait before the next try. */
  readonly after?: number | undefined;
}

/** How often one call is tried, and how long the pauses between the tries are. */
export interface RetryRules {
  /** The first pause, in milliseconds, before jitter. Each later one is twice as long. */
  readonly pauseMs: number;
  /** No pause is longer, before jitter, unless the service asks for it. */
  readonly longestPauseMs: number;
  /** A service that asks for a longer pause is not asked again. */
  readonly longestAfterMs: number;
  /** Tries of one call, the first included. */
  readonly tries: number;
  /** However little time is left, a try has this long. 0: none begins when no time is left, nor is a pause waited for then. */
  readonly shortestTryMs: number;
}

/** What all calls together may still take. */
export interface RetryBudget {
  /** Milliseconds in which another try may begin; `Infinity` where time is not limited, 0 for no further try. */
  left(): number;
  /** Milliseconds after which a try that is under way is given up, whatever limits it has of its own. */
  untilEnd(): number;
  /** A call begins to count: its try failed, which had begun at `since` of the clock. */
  enter(since: number): void;
  /** A call that counted has come to its end. */
  leave(): void;
  /** Told before each pause, which is waited for. */
  pausing(milliseconds: number): Promise<void>;
}

/** What {@link retry} works with. */
export interface RetryOptions<F extends Failure> {
  readonly rules: RetryRules;
  readonly budget: RetryBudget;
  readonly clock: Clock;
  /** Numbers from 0 to below 1, for jitter. */
  readonly random: () => number;
  /** What a thrown error says of a call; `undefined` for errors that are none of a call, which are thrown on. */
  readonly failureOf: (error: unknown) => F | undefined;
  /** Tries that failed before this call, for the same purpose: the pauses go on from theirs. Default 0. */
  readonly earlier?: number | undefined;
  /** Aborted when nobody may wait any more. */
  readonly signal?: AbortSignal | undefined;
  /** Told before each pause. */
  readonly tell?: ((failure: Failure, pauseMs: number) => void) | undefined;
}

/** What a call came to in the end. */
export type Retried<T, F extends Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F | Failure };

/**
 * Makes a call until it answers, fails for good, or may not be tried again. This is the only loop around a call: nothing
 * that is called may try again by itself.
 *
 * When the signal is aborted, nothing is waited for any more. A first try that is under way, or begins after that, still
 * has `shortestTryMs`; a call that failed before is given up at once.
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
 * Milliseconds until the next try, or `undefined`: there is none. As long as the service asks for, else growing; with
 * jitter, so that jobs that failed together do not come back together. The last pause ends where the budget does.
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
    // There is no time left: what went wrong before says more.
    if (error instanceof TimeLimitError)
      return { ok: false, failure: before ?? { passing: true, message: error.message } };
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return { ok: false, failure };
  }
}

/** Why a try was given up: the signal was aborted. */
class Stopped extends Error implements Failure {
  readonly passing = true;

  constructor() {
    super('the job was cancelled before GitHub answered');
  }
}

/** A signal that is aborted so long after the given one. */
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
