import { isWell } from '../status-words.ts';
import { mergeHistory, type Conclusion, type HistoryEntry } from '../history-entry.ts';

/** Number of latest runs in a trend. */
export const TREND_RUNS = 20;

/** A number of the latest run compared with the runs before it. */
export interface Series {
  /** Value of the latest run; `undefined`: unknown. */
  readonly latest: number | undefined;
  /** Median of the earlier runs that ended. */
  readonly median: number | undefined;
  /** Compared with the median: more than a tenth above or below is up or down. */
  readonly change: 'up' | 'down' | 'same' | undefined;
  /** One character per run, `▁` to `█`; `·` if unknown. */
  readonly spark: string;
}

/** The trend of one unit over the last runs. */
export interface GateTrend {
  readonly key: string;
  /** Number of runs in which its agent ran and ended. */
  readonly ran: number;
  /** Number of those in which its first attempt passed. */
  readonly firstTime: number;
  /** Median of its time in these runs, in milliseconds. */
  readonly medianMs: number | undefined;
  /** One square per run, see {@link Trend.results}. */
  readonly results: string;
}

/** The trend of a pipeline and subject over the last runs. */
export interface Trend {
  /** The runs in the trend, oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Percentage of successes among runs that succeeded or failed; `undefined` if there are none. */
  readonly passRate: number | undefined;
  /** One square per run: 🟩 success, 🟥 failure, 🟨 anything else. */
  readonly results: string;
  readonly duration: Series;
  readonly cost: Series;
  /** Each unit of the latest run, followed by those of earlier runs. */
  readonly gates: readonly GateTrend[];
}

const SQUARES: Readonly<Record<Conclusion, string>> = {
  success: '🟩',
  failure: '🟥',
  paused: '🟨',
  cancelled: '🟨',
  'rolled-back': '🟨',
  unfinished: '🟨',
};

/** The trend of the last {@link TREND_RUNS} runs among these entries, in any order and possibly several per run. */
export function trendOf(entries: readonly HistoryEntry[], runs: number = TREND_RUNS): Trend {
  const last = mergeHistory(entries).slice(-runs);
  const judged = last.filter(({ conclusion }) => conclusion === 'success' || conclusion === 'failure');
  const passed = judged.filter(({ conclusion }) => conclusion === 'success').length;
  return {
    entries: last,
    passRate: judged.length === 0 ? undefined : (100 * passed) / judged.length,
    results: last.map(({ conclusion }) => SQUARES[conclusion]).join(''),
    duration: seriesOf(last, ({ durationMs }) => durationMs),
    cost: seriesOf(last, ({ spent }) => spent.costUsd),
    gates: gateTrends(last),
  };
}

/** The median of some numbers; `undefined` for an empty list. */
export function medianOf(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return undefined;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1]! + sorted[half]!) / 2;
}

const BARS = '▁▂▃▄▅▆▇█';

/** Numbers as bars from 0 to the largest, one character each; `·` if unknown. */
export function sparkline(numbers: ReadonlyArray<number | undefined>): string {
  const largest = numbers.reduce<number>((most, number) => Math.max(most, number ?? 0), 0);
  return numbers
    .map((number) => {
      if (number === undefined) return '·';
      return BARS.charAt(largest === 0 ? 0 : Math.min(BARS.length - 1, Math.floor((number / largest) * BARS.length)));
    })
    .join('');
}

function seriesOf(entries: readonly HistoryEntry[], read: (entry: HistoryEntry) => number | undefined): Series {
  const numbers = entries.map(read);
  const latest = numbers.at(-1);
  const before = entries.slice(0, -1).filter(({ conclusion }) => conclusion !== 'unfinished');
  const median = medianOf(before.flatMap((entry) => read(entry) ?? []));
  return { latest, median, change: changeOf(latest, median), spark: sparkline(numbers) };
}

function changeOf(latest: number | undefined, median: number | undefined): Series['change'] {
  if (latest === undefined || median === undefined) return undefined;
  if (latest > median * 1.1) return 'up';
  return latest < median * 0.9 ? 'down' : 'same';
}

function gateTrends(entries: readonly HistoryEntry[]): GateTrend[] {
  const byKey = new Map<string, Map<HistoryEntry, HistoryEntry['gates'][number]>>();
  for (const entry of entries.toReversed()) {
    for (const gate of entry.gates) {
      const own = byKey.get(gate.key) ?? new Map<HistoryEntry, HistoryEntry['gates'][number]>();
      byKey.set(gate.key, own.set(entry, gate));
    }
  }
  return [...byKey].map(([key, own]) => {
    const ended = [...own.values()].filter(({ firstTime }) => firstTime !== undefined);
    return {
      key,
      ran: ended.length,
      firstTime: ended.filter(({ firstTime }) => firstTime === true).length,
      medianMs: medianOf(ended.flatMap(({ ms }) => ms ?? [])),
      results: entries.map((entry) => squareOf(own.get(entry))).join(''),
    };
  });
}

function squareOf(gate: HistoryEntry['gates'][number] | undefined): string {
  if (gate === undefined) return '⬜';
  if (isWell(gate.status)) return '🟩';
  return gate.status === 'failed' || gate.status === 'lost' ? '🟥' : gate.status === 'partial' ? '🟨' : '⬜';
}
