/** Which runs are removed: `retention` at the top of the file. Times in milliseconds. */
export interface RetentionSettings {
  /** Runs whose last record is older. */
  readonly older: number;
  /** Of each subject so many runs stay, whatever their age. */
  readonly keep: number;
  /** Time between two removals. */
  readonly every: number;
}

/** What `gateline clean` removes by default: runs older than 30 days, except the newest 10 of each subject. */
export const DEFAULT_RETENTION: RetentionSettings = { older: 30 * 86_400_000, keep: 10, every: 7 * 86_400_000 };
