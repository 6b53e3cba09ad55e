import type { RetryRules } from './retry.ts';

/** How long calls about artifacts may take, and how often they are tried. Times are milliseconds. */
export interface ServiceLimits extends RetryRules {
  /** One call that asks or tells something. */
  readonly callMs: number;
  /** A download, and an upload by GitHub's own client (which tries again by itself for 30 s); each KiB adds 1 ms. */
  readonly downloadMs: number;
  readonly uploadMs: number;
  /** Reading everything that one listing told. */
  readonly readingMs: number;
  /** Further tries of all calls together, for as long as the service is used; with minutes to spare they do not count. */
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

/** Bounds of what the cache may cost. Times are milliseconds, sizes bytes. */
export interface CacheLimits extends RetryRules {
  /** One lookup, tries included. */
  readonly lookupMs: number;
  /** One download, tries included. */
  readonly downloadMs: number;
  /** All of one `find`. */
  readonly findMs: number;
  /** All of one `keep`. */
  readonly keepMs: number;
  /** Of one entry, packed and unpacked. It is held in memory while it is read. */
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

/** How long calls of the REST API may take, and how large an answer may be. */
export interface RestLimits extends RetryRules {
  /** One request with its answer. */
  readonly requestMs: number;
  /** One call with all its tries and pauses. */
  readonly totalMs: number;
  /** Bytes of an answer. A download has its own limit. */
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

/** A time limit for moving so many bytes. */
export function limitFor(base: number, bytes: number): number {
  return base + Math.ceil(bytes / 1_024);
}
