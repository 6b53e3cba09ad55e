import type { Clock } from './clock.ts';
import type { RetryBudget } from './retry.ts';

/** A number of further tries, for all calls that share it. */
export function countedTries(tries: number): RetryBudget {
  let left = tries;
  return {
    left: () => (left > 0 ? Infinity : 0),
    untilEnd: () => Infinity,
    enter: () => undefined,
    leave: () => undefined,
    pausing: async () => {
      left -= 1;
    },
  };
}

/** The time until a moment of the clock, for all calls that share it. */
export function timeUntil(deadline: number, clock: Clock): RetryBudget {
  const left = (): number => Math.max(0, deadline - clock.now());
  return { left, untilEnd: left, enter: () => undefined, leave: () => undefined, pausing: async () => undefined };
}

/** What an {@link OutageBudget} is made of. */
export interface OutageBudgetOptions {
  readonly clock: Clock;
  /** Milliseconds of outage that are waited for, in all steps together. */
  readonly totalMs: number;
  /** Milliseconds from now after which nothing is waited for, not even a try that is under way. Default: no end. */
  readonly atMostMs?: number | undefined;
}

/**
 * The time that the end of an attempt waits for GitHub. Only time counts in which some call had failed and had not been
 * answered since; calls that wait side by side count once. What was spent is kept, so that the next step goes on from it.
 */
export class OutageBudget implements RetryBudget {
  /** In all steps together. */
  readonly totalMs: number;
  readonly #clock: Clock;
  readonly #until: number;
  #save: (spentMs: number) => Promise<void> = async () => undefined;
  #spent = 0;
  #failing = 0;
  #since = 0;

  constructor({ clock, totalMs, atMostMs = Infinity }: OutageBudgetOptions) {
    this.#clock = clock;
    this.totalMs = totalMs;
    this.#until = clock.now() + atMostMs;
  }

  /** Counts for another attempt from now on, on which earlier steps spent so much. */
  resume(spentMs: number, save: (spentMs: number) => Promise<void>): void {
    this.#spent = spentMs;
    this.#since = this.#clock.now();
    this.#save = save;
  }

  /** Milliseconds that were waited. */
  get spentMs(): number {
    return this.#spent + (this.#failing > 0 ? this.#clock.now() - this.#since : 0);
  }

  left(): number {
    return Math.max(0, Math.min(this.totalMs - this.spentMs, this.untilEnd()));
  }

  untilEnd(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  enter(since: number): void {
    if (this.#failing === 0) this.#since = since;
    this.#failing += 1;
  }

  leave(): void {
    this.#spent = this.spentMs;
    this.#since = this.#clock.now();
    this.#failing -= 1;
  }

  /** A step that is killed while it waits has spent the pause. */
  pausing(milliseconds: number): Promise<void> {
    return this.#save(this.spentMs + milliseconds);
  }
}
