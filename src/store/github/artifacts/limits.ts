import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Trouble } from '../artifact-service.ts';

/** How long things may take, in milliseconds, and how often they are tried. */
export interface ServiceLimits {
  /** One call that asks or tells something. */
  readonly callMs: number;
  /** A download, and an upload with the toolkit's own retries (30 s where a service is down); each KiB adds 1 ms. */
  readonly downloadMs: number;
  readonly uploadMs: number;
  /** Reading everything that one listing told. */
  readonly readingMs: number;
  /** The first pause before another try; it doubles. */
  readonly pauseMs: number;
  /** Tries of one call, the first included. */
  readonly tries: number;
  /** Further tries of all calls together, for as long as the service is used. */
  readonly retries: number;
}

export const DEFAULT_LIMITS: ServiceLimits = {
  callMs: 15_000,
  downloadMs: 60_000,
  uploadMs: 90_000,
  readingMs: 180_000,
  pauseMs: 500,
  tries: 3,
  retries: 24,
};

/** The most that a `retry-after` is waited for, in milliseconds. */
const LONGEST_PAUSE = 10_000;

interface FailureDetails {
  readonly passing: boolean;
  readonly after?: number | undefined;
  readonly code?: Trouble['code'];
  readonly status?: number;
  readonly cause?: unknown;
}

/** Thrown inside calls: `passing` ones are tried again. */
export class CallFailure extends Error {
  readonly passing: boolean;
  /** Milliseconds that the service asks to wait. */
  readonly after: number | undefined;
  /** Of the answer, where there was one. */
  readonly status: number | undefined;
  /** What it is called in the end; default: `OUTAGE` for passing ones, `UNREADABLE` for others. */
  readonly code: Trouble['code'];

  constructor(message: string, details: FailureDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.passing = details.passing;
    this.after = details.after;
    this.status = details.status;
    this.code = details.code ?? (details.passing ? 'OUTAGE' : 'UNREADABLE');
  }
}

/** Further tries that are left, over all calls of a service. */
export interface RetryBudget {
  left: number;
}

/** Makes a call until it answers, as often as the limits allow. */
export async function trying<T>(
  limits: ServiceLimits,
  budget: RetryBudget,
  call: () => Promise<T>,
): Promise<Answer<T>> {
  for (let tried = 1; ; tried += 1) {
    try {
      return { ok: true, value: await call() };
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      const again = error.passing && tried < limits.tries && budget.left > 0;
      if (!again || (error.after ?? 0) > LONGEST_PAUSE)
        return { ok: false, trouble: { code: error.code, message: error.message } };
      budget.left -= 1;
      // Jobs that failed together should not come back together.
      const pause = limits.pauseMs * 2 ** (tried - 1) * (1 + Math.random() / 2);
      await sleep(Math.max(pause, error.after ?? 0));
    }
  }
}

/**
 * What a promise comes to, or a {@link CallFailure} when that takes too long. The timer keeps the process alive: a
 * promise that nothing will ever settle must not let it end as if all were done.
 */
export async function within<T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  // Whatever comes after the time limit has nobody to hear it.
  work.catch(() => undefined);
  const limit = sleep(milliseconds, undefined, { signal: over.signal }).then(() => {
    throw new CallFailure(`${what} did not answer within ${milliseconds / 1_000} s`, { passing: true });
  });
  limit.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    over.abort();
  }
}

/** A time limit for moving so many bytes. */
export function limitFor(base: number, bytes: number): number {
  return base + Math.ceil(bytes / 1_024);
}
