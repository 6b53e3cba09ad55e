import { isWell } from '../status-words.ts';
import { medianOf } from '../../../history/statistics/quantiles.ts';
import type { GateOutcome, HistoryEntry } from '../../../history/entry.ts';
import { mergeRuns, type PastRun } from '../../../history/merge.ts';
import { gateKey } from '../../../history/query.ts';
import type { RunStatus } from '../../../run/state/run-state.ts';

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
  readonly runs: readonly PastRun[];
  /** Percentage of completed runs among those that were completed or failed; `undefined` if there are none. */
  readonly passRate: number | undefined;
  /** One square per run: 🟩 completed, 🟥 error, 🟨 anything else. */
  readonly results: string;
  readonly duration: Series;
  readonly cost: Series;
  /** Each unit of the latest run, followed by those of earlier runs. */
  readonly gates: readonly GateTrend[];
}

const SQUARES: Readonly<Record<RunStatus, string>> = {
  completed: '🟩',
  error: '🟥',
  paused: '🟨',
  rollback: '🟨',
  executing: '🟨',
  initializing: '🟨',
};

/** The trend of the last runs in a history, in any order and possibly with several entries of a run. */
export function trendOf(history: readonly PastRun[], number: number = TREND_RUNS): Trend {
  const runs = mergeRuns(history).slice(-number);
  const entries = runs.map(({ entry }) => entry);
  const judged = entries.filter(({ status }) => status === 'completed' || status === 'error');
  const passed = judged.filter(({ status }) => status === 'completed').length;
  return {
    runs,
    passRate: judged.length === 0 ? undefined : (100 * passed) / judged.length,
    results: entries.map(({ status }) => SQUARES[status]).join(''),
    duration: seriesOf(entries, ({ ms }) => ms),
    cost: seriesOf(entries, ({ cost }) => cost),
    gates: gateTrends(runs),
  };
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
  const before = entries.slice(0, -1).filter(({ status }) => status !== 'executing' && status !== 'initializing');
  const median = medianOf(before.flatMap((entry) => read(entry) ?? []));
  return { latest, median, change: changeOf(latest, median), spark: sparkline(numbers) };
}

function changeOf(latest: number | undefined, median: number | undefined): Series['change'] {
  if (latest === undefined || median === undefined) return undefined;
  if (latest > median * 1.1) return 'up';
  return latest < median * 0.9 ? 'down' : 'same';
}

function gateTrends(runs: readonly PastRun[]): GateTrend[] {
  const byKey = new Map<string, Map<PastRun, GateOutcome>>();
  for (const run of runs.toReversed()) {
    for (const gate of run.gates?.gates ?? []) {
      const key = gateKey(gate);
      const own = byKey.get(key) ?? new Map<PastRun, GateOutcome>();
      byKey.set(key, own.set(run, gate));
    }
  }
  return [...byKey].map(([key, own]) => {
    const ended = [...own.values()].filter(({ first }) => first !== undefined);
    return {
      key,
      ran: ended.length,
      firstTime: ended.filter(({ first }) => first === true).length,
      medianMs: medianOf(ended.flatMap(({ ms }) => ms ?? [])),
      results: runs.map((run) => squareOf(own.get(run))).join(''),
    };
  });
}

function squareOf(gate: GateOutcome | undefined): string {
  if (gate === undefined) return '⬜';
  if (isWell(gate.status)) return '🟩';
  return gate.status === 'failed' || gate.status === 'lost' ? '🟥' : gate.status === 'partial' ? '🟨' : '⬜';
}
