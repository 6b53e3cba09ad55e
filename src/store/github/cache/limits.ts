/** Bounds of what the cache may cost. Times are milliseconds, sizes bytes. */
export interface CacheLimits {
  /** For one lookup to be answered. Default 10 s. */
  readonly lookupMs: number;
  /** For one download. Default 60 s. */
  readonly downloadMs: number;
  /** For all of one `find`, tries included. Default 90 s. */
  readonly findMs: number;
  /** For all of one `keep`. Default 60 s. */
  readonly keepMs: number;
  /** Before a call that failed is made again, and five times as long before the third and last. Default 300 ms. */
  readonly retryMs: number;
  /** Of one entry, packed and unpacked. It is held in memory while it is read. Default 128 MiB. */
  readonly maxBytes: number;
  /** Contents in one entry. Default 2,000. */
  readonly maxContents: number;
}

export const DEFAULT_CACHE_LIMITS: CacheLimits = {
  lookupMs: 10_000,
  downloadMs: 60_000,
  findMs: 90_000,
  keepMs: 60_000,
  retryMs: 300,
  maxBytes: 128 * 1024 * 1024,
  maxContents: 2_000,
};

/** A number of bytes for people: `128 MiB`, `700 bytes`. */
export function inMebibytes(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes < 1 ? `${bytes.toLocaleString('en')} bytes` : `${Number(mebibytes.toFixed(1))} MiB`;
}
