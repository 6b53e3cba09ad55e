import { DEFAULT_TIMEZONE, dayIn } from './days.ts';
import type { HistoryEntry } from '../entry.ts';

/** The runs of one day, with the fields of seed 004. */
export interface DailySummary {
  /** `2026-11-05`: the day on which the runs began. */
  readonly date: string;
  readonly totalWorkflows: number;
  readonly completedWorkflows: number;
  /** Runs in error, closed ones included. */
  readonly failedWorkflows: number;
  /** Milliseconds of work. */
  readonly totalDuration: number;
  /** Over all runs of the day; 0 without any. */
  readonly averageDuration: number;
  /** Number of runs by pipeline. */
  readonly workflowBreakdown: Readonly<Record<string, number>>;
  /** Of several, the first by name. `none`: there are no runs. */
  readonly mostUsedWorkflow: string;
  /** Completed runs among all of the day, 0 to 1; 0 without any. */
  readonly successRate: number;
}

/** Days in {@link dailySummaries}. */
export const SUMMARY_DAYS = 90;

/**
 * Summaries of the newest days that have runs, the newest first.
 * @param timezone in which days begin and end. Default: UTC
 * @param days at most so many; default: 90
 */
export function dailySummaries(
  entries: Iterable<HistoryEntry>,
  timezone: string = DEFAULT_TIMEZONE,
  days: number = SUMMARY_DAYS,
): DailySummary[] {
  const dayOf = dayIn(timezone);
  const found = new Map<string, DaySums>();
  for (const entry of entries) {
    const day = dayOf(entry.started);
    let sums = found.get(day);
    if (sums === undefined) found.set(day, (sums = new DaySums()));
    sums.add(entry);
  }
  const newest = [...found].toSorted(([a], [b]) => (a > b ? -1 : 1)).slice(0, days);
  return newest.map(([date, sums]) => sums.summary(date));
}

/** The summary of one day, also if it has no runs. */
export function dailySummary(
  entries: Iterable<HistoryEntry>,
  date: string,
  timezone: string = DEFAULT_TIMEZONE,
): DailySummary {
  const dayOf = dayIn(timezone);
  const sums = new DaySums();
  for (const entry of entries) if (dayOf(entry.started) === date) sums.add(entry);
  return sums.summary(date);
}

class DaySums {
  readonly #pipelines = new Map<string, number>();
  #total = 0;
  #completed = 0;
  #failed = 0;
  #duration = 0;

  add({ status, ms, pipeline }: HistoryEntry): void {
    this.#total += 1;
    if (status === 'completed') this.#completed += 1;
    if (status === 'error') this.#failed += 1;
    this.#duration += ms;
    this.#pipelines.set(pipeline, (this.#pipelines.get(pipeline) ?? 0) + 1);
  }

  summary(date: string): DailySummary {
    const byName = [...this.#pipelines].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const [most] = byName.toSorted(([, a], [, b]) => b - a);
    return {
      date,
      totalWorkflows: this.#total,
      completedWorkflows: this.#completed,
      failedWorkflows: this.#failed,
      totalDuration: this.#duration,
      averageDuration: this.#total === 0 ? 0 : this.#duration / this.#total,
      workflowBreakdown: Object.fromEntries(byName),
      mostUsedWorkflow: most?.[0] ?? 'none',
      successRate: this.#total === 0 ? 0 : this.#completed / this.#total,
    };
  }
}
