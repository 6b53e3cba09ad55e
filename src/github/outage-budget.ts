import type { Clock } from './clock.ts';
import type { RetryBudget } from './retry.ts';

/** A number of retries, shared by all calls. */
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

/** The time until a point on the clock, shared by all calls. */
export function timeUntil(deadline: number, clock: Clock): RetryBudget {
  const left = (): number => Math.max(0, deadline - clock.now());
  return { left, untilEnd: left, enter: () => undefined, leave: () => undefined, pausing: async () => undefined };
}

/** Options of an {@link OutageBudget}. */
export interface OutageBudgetOptions {
  readonly clock: Clock;
  /** Milliseconds to wait during outages, in all steps together. */
  readonly totalMs: number;
  /** Milliseconds from now after which all waiting ends, including a running try. Default: no limit. */
  readonly atMostMs?: number | undefined;
}

/**
 * The time that the end of an attempt waits for GitHub. Only time in which at least one call was failing is counted;
 * parallel calls count once. The time spent is stored, so that the next step continues from it.
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

  /** Switches to another attempt, on which earlier steps spent this much time. */
  resume(spentMs: number, save: (spentMs: number) => Promise<void>): void {
    this.#spent = spentMs;
    this.#since = this.#clock.now();
    this.#save = save;
  }

  /** Milliseconds spent waiting. */
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

  /** The pause is counted in advance, in case the step is killed while it waits. */
  pausing(milliseconds: number): Promise<void> {
    return this.#save(this.spentMs + milliseconds);
  }
}
