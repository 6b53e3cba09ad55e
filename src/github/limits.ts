import type { RetryRules } from './retry.ts';

/** Time limits and tries for artifact calls. Times are milliseconds. */
export interface ServiceLimits extends RetryRules {
  /** One call for metadata. */
  readonly callMs: number;
  /** A download, and an upload by GitHub's own client (which itself retries for 30 s); each KiB adds 1 ms. */
  readonly downloadMs: number;
  readonly uploadMs: number;
  /** Reading everything in one listing. */
  readonly readingMs: number;
  /** Retries of all calls together, for the lifetime of the service; does not apply with `minutes` of patience. */
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

/** Limits for the cache. Times are milliseconds, sizes bytes. */
export interface CacheLimits extends RetryRules {
  /** One lookup, including retries. */
  readonly lookupMs: number;
  /** One download, including retries. */
  readonly downloadMs: number;
  /** One whole `find`. */
  readonly findMs: number;
  /** One whole `keep`. */
  readonly keepMs: number;
  /** Size of one entry, packed and unpacked. It is held in memory while it is read. */
  readonly maxBytes: number;
  /** Contents in one entry. */
  readonly maxContents: number;
}

export const DEFAULT_CACHE_LIMITS: CacheLimits = {
  lookupMs: 10_000,
  downloadMs: 60_000,
  findMs: 90_000,
  keepMs: 60_000,
  pauseMs: 300,
  longestPauseMs: 1_500,
  longestAfterMs: 2_000,
  shortestTryMs: 0,
  tries: 3,
  maxBytes: 128 * 1024 * 1024,
  maxContents: 2_000,
};

/** Time limits of REST API calls, and the maximum size of a response. */
export interface RestLimits extends RetryRules {
  /** One request with its response. */
  readonly requestMs: number;
  /** One call with all its tries and pauses. */
  readonly totalMs: number;
  /** Bytes of a response. A download has its own limit. */
  readonly answerBytes: number;
}

export const REST_LIMITS: RestLimits = {
  requestMs: 10_000,
  totalMs: 30_000,
  pauseMs: 250,
  longestPauseMs: 10_000,
  longestAfterMs: 10_000,
  shortestTryMs: 0,
  tries: 4,
  answerBytes: 16 * 1024 * 1024,
};

/** The time limit for transferring this many bytes. */
export function limitFor(base: number, bytes: number): number {
  return base + Math.ceil(bytes / 1_024);
}
