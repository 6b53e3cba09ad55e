import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../../../github/retry.ts';
import type { Trouble } from './artifact-service.ts';

/** How long things may take, in milliseconds, and how often they are tried. */
export interface ServiceLimits {
  /** One call that asks or tells something. */
  readonly callMs: number;
  /** A download, and an upload by GitHub's own client (which tries again by itself for 30 s); each KiB adds 1 ms. */
  readonly downloadMs: number;
  readonly uploadMs: number;
  /** Reading everything that one listing told. */
  readonly readingMs: number;
  /** The first pause before another try; each later one is twice as long, up to the longest. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Without minutes to spare, a service that asks for a longer pause is given up. */
  readonly longestAfterMs: number;
  /** What a try has at least, when hardly any time is left. */
  readonly shortestTryMs: number;
  /** Tries of one call, the first included; with minutes to spare they do not count. */
  readonly tries: number;
  /** Further tries of all calls together, for as long as the service is used; likewise. */
  readonly retries: number;
}

export const DEFAULT_LIMITS: ServiceLimits = {
  callMs: 15_000,
  downloadMs: 60_000,
  uploadMs: 90_000,
  readingMs: 180_000,
  pauseMs: 500,
  longestPauseMs: 15_000,
  longestAfterMs: 10_000,
  shortestTryMs: 5_000,
  tries: 3,
  retries: 24,
};

interface FailureDetails {
  readonly passing: boolean;
  readonly after?: number | undefined;
  readonly code?: Trouble['code'];
  readonly status?: number;
  readonly cause?: unknown;
}

/** Thrown inside calls: `passing` ones are tried again. */
export class CallFailure extends Error implements Failure {
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
