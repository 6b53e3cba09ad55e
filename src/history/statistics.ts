import { sumOf } from '../run/figures.ts';
import { gateOf } from '../run/units.ts';
import { UNNAMED_UNIT, type HistoryEntry } from './history-entry.ts';

/** Milliseconds, by nearest rank; undefined: there are no values. */
export interface Times {
  readonly median?: number;
  readonly p95?: number;
}

export interface RunStatistics {
  readonly runs: number;
  /** Runs by status; a status without runs is absent. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Completed runs among those that were completed or failed, 0 to 1. */
  readonly successRate?: number;
  /** How long agents worked in completed runs. */
  readonly times: Times;
  readonly ms: number;
  readonly costUsd?: number;
  readonly tokens?: number;
  readonly savedMs: number;
  readonly savedUsd?: number;
}

export function summarizeRuns(entries: readonly HistoryEntry[]): RunStatistics {
  const statuses = countBy(entries, ({ status }) => status);
  const { completed = 0, error = 0 } = statuses;
  return {
    runs: entries.length,
    statuses,
    successRate: share(completed, completed + error),
    times: timesOf(entries.filter(({ status }) => status === 'completed').map(({ ms }) => ms)),
    ms: sumOf(entries.map(({ ms }) => ms)) ?? 0,
    costUsd: sumOf(entries.map(({ costUsd }) => costUsd)),
    tokens: sumOf(entries.map(({ tokens }) => tokens)),
    savedMs: sumOf(entries.map(({ savedMs }) => savedMs)) ?? 0,
    savedUsd: sumOf(entries.map(({ savedUsd }) => savedUsd)),
  };
}

/** All legs of a gate together. */
export interface GateStatistics {
  readonly pipeline: string;
  readonly gate: string;
  /** Counts of units: whose agent ran, that used an output of an earlier run, and that were flaky. */
  readonly ran: number;
  readonly used: number;
  readonly flaky: number;
  /** Shares of the units that ran, 0 to 1: that passed, and that passed in their first attempt. */
  readonly passRate?: number;
  readonly firstPassRate?: number;
  readonly times: Times;
  readonly costUsd?: number;
}

/** By pipeline and gate, in the order in which the entries name them. */
export function summarizeGates(entries: readonly HistoryEntry[]): readonly GateStatistics[] {
  const all = [...Map.groupBy(entries, ({ pipeline }) => pipeline)].flatMap(([pipeline, runs]) =>
    [
      ...Map.groupBy(
        runs.flatMap(({ units }) => units.filter(({ unit }) => unit !== UNNAMED_UNIT)),
        ({ unit }) => gateOf(unit),
      ),
    ].map(([gate, units]) => ({ pipeline, gate, units })),
  );
  return all.map(({ pipeline, gate, units }) => {
    const ran = units.filter(({ attempts }) => attempts > 0);
    const passed = ran.filter(({ status }) => status === 'passed');
    return {
      pipeline,
      gate,
      ran: ran.length,
      used: units.filter(({ how, attempts }) => how === 'used' && attempts === 0).length,
      flaky: units.filter(({ flaky }) => flaky).length,
      passRate: share(passed.length, ran.length),
      firstPassRate: share(passed.filter(({ attempts }) => attempts === 1).length, ran.length),
      times: timesOf(ran.flatMap(({ ms }) => ms ?? [])),
      costUsd: sumOf(ran.map(({ costUsd }) => costUsd)),
    };
  });
}

/** The runs that started on one day in UTC, with the fields of Nexus. */
export interface DailySummary {
  /** `2026-11-05`. */
  readonly date: string;
  readonly totalWorkflows: number;
  readonly completedWorkflows: number;
  readonly failedWorkflows: number;
  /** Milliseconds. */
  readonly totalDuration: number;
  readonly averageDuration: number;
  /** Runs by pipeline. */
  readonly workflowBreakdown: Readonly<Record<string, number>>;
  /** The first by name if several are equal. */
  readonly mostUsedWorkflow: string;
  /** Completed runs among all, 0 to 1. */
  readonly successRate: number;
}

/** Days of a summary, as in Nexus. */
const SUMMARY_DAYS = 90;

/** The newest days that have runs, the newest first. */
export function summarizeDays(entries: readonly HistoryEntry[], days = SUMMARY_DAYS): readonly DailySummary[] {
  const byDay = [...Map.groupBy(entries, ({ started }) => started.slice(0, 10))];
  const newest = byDay.toSorted(([a], [b]) => (a > b ? -1 : 1)).slice(0, days);
  return newest.map(([date, runs]) => {
    const { completed = 0, error = 0 } = countBy(runs, ({ status }) => status);
    const breakdown = countBy(runs, ({ pipeline }) => pipeline);
    const [mostUsed] = Object.entries(breakdown).toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const totalDuration = sumOf(runs.map(({ ms }) => ms)) ?? 0;
    return {
      date,
      totalWorkflows: runs.length,
      completedWorkflows: completed,
      failedWorkflows: error,
      totalDuration,
      averageDuration: totalDuration / runs.length,
      workflowBreakdown: breakdown,
      mostUsedWorkflow: mostUsed![0],
      successRate: completed / runs.length,
    };
  });
}

/** Runs that an estimate is made from: the newest ones. */
export const ESTIMATE_RUNS = 50;

/**
 * How long gates will take, in milliseconds: the longest chain of gates that need each other, each at the median of its
 * newest runs. Undefined: one of them never ran.
 * @param gates in any order
 * @param entries of the pipeline, the newest first
 * @param running ids of the gates whose agents will run. Default: all
 */
export function estimateDuration(
  gates: readonly { readonly id: string; readonly needs: readonly string[] }[],
  entries: readonly HistoryEntry[],
  running: ReadonlySet<string> = new Set(gates.map(({ id }) => id)),
): number | undefined {
  const times = new Map(
    summarizeGates(entries.slice(0, ESTIMATE_RUNS)).map(({ gate, times: { median } }) => [gate, median]),
  );
  const ends = new Map<string, number>();
  const endOf = (id: string): number => {
    let end = ends.get(id);
    if (end !== undefined) return end;
    const needs = gates.find((gate) => gate.id === id)?.needs ?? [];
    end = needs.reduce((latest, need) => Math.max(latest, endOf(need)), 0);
    end += running.has(id) ? (times.get(id) ?? NaN) : 0;
    ends.set(id, end);
    return end;
  };
  const longest = gates.reduce((latest, { id }) => Math.max(latest, endOf(id)), 0);
  return Number.isNaN(longest) ? undefined : longest;
}

function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
  const counts = [...Map.groupBy(items, keyOf)].map(([key, { length }]): [string, number] => [key, length]);
  return Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function timesOf(values: readonly number[]): Times {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (percent: number) => sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  return { median: rank(50), p95: rank(95) };
}
