import type { DailySummary } from '../../history/statistics/daily.ts';
import type { FlakyGate } from '../../history/statistics/flaky.ts';
import { gateKey } from '../../history/query.ts';
import type { GateStatistics, RunStatistics } from '../../history/statistics/statistics.ts';
import { amountText, costText } from '../amounts.ts';
import { count, oneLine, type Paint } from '../text.ts';
import { durationText } from '../wording.ts';
import { columnsTable, type Column } from './columns.ts';

/** How a table is drawn. */
interface StatsLook {
  readonly width?: number;
  readonly paint?: Paint;
}

/** Statistics of runs as lines. */
export function runStatsLines({ runs, statuses, successRate, durations, spent }: RunStatistics): string[] {
  const by = Object.entries(statuses).flatMap(([status, number]) => (number === 0 ? [] : [`${number} ${status}`]));
  const { p50, p95 } = durations;
  const lines = [`${count(runs, 'run')}: ${by.join(', ')}`];
  if (successRate !== undefined) lines.push(`success rate: ${percent(successRate)} of completed and failed runs`);
  if (p50 !== undefined) lines.push(`time of completed runs: ${durationText(p50)} (p50), ${durationText(p95)} (p95)`);
  const sum = amountText(spent);
  if (sum !== '') lines.push(`all runs together: ${sum}`);
  return lines;
}

/** Statistics of gates as a table. Texts are escaped. */
export function gateStatsTable(gates: readonly GateStatistics[], look: StatsLook = {}): string {
  const pipelines = new Set(gates.map(({ pipeline }) => pipeline)).size;
  const columns: Column<GateStatistics>[] = [
    { head: 'pipeline', cell: ({ pipeline }) => (pipelines > 1 ? pipeline : '') },
    { head: 'gate', cell: ({ key }) => oneLine(key), most: 60 },
    { head: 'ran', cell: ({ ran }) => String(ran), side: 'right' },
    { head: 'passed', cell: ({ ran, passed }) => (ran === 0 ? '' : percent(passed / ran)), side: 'right' },
    {
      head: 'at first attempt',
      cell: ({ firstPassRate }) => (firstPassRate === undefined ? '' : percent(firstPassRate)),
      side: 'right',
    },
    { head: 'p50', cell: ({ durations }) => durationText(durations.p50), side: 'right' },
    { head: 'p95', cell: ({ durations }) => durationText(durations.p95), side: 'right' },
    { head: 'cost', cell: ({ spent }) => costText(spent.costUsd), side: 'right' },
    {
      head: 'flaky',
      cell: ({ flaky }) => (flaky === 0 ? '' : { text: String(flaky), tone: 'warning' }),
      side: 'right',
    },
    { head: 'reused', cell: ({ reused }) => (reused === 0 ? '' : String(reused)), side: 'right' },
    { head: 'saved', cell: ({ saved }) => amountText(saved), most: 60 },
  ];
  return columnsTable(columns, gates, look);
}

/** Flaky gates that are named; others are counted. */
const SHOWN_FLAKY = 10;

/** Flaky gates as lines. */
export function flakyLines(flaky: readonly FlakyGate[]): string[] {
  const lines = flaky.slice(0, SHOWN_FLAKY).map((one) => {
    const verdicts = one.verdicts.length > 1 ? one.verdicts.join(' and ') : 'different verdicts within one run';
    return `flaky: ${oneLine(gateKey(one))}: ${verdicts} for request ${one.fingerprint} and contract ${one.contract}`;
  });
  const more = flaky.length - SHOWN_FLAKY;
  return more > 0 ? [...lines, `flaky: and ${more} more: --json lists them`] : lines;
}

/** Days as a table, in the given order. */
export function dailyTable(days: readonly DailySummary[], look: StatsLook = {}): string {
  const columns: Column<DailySummary>[] = [
    { head: 'day', cell: ({ date }) => date },
    { head: 'runs', cell: ({ totalWorkflows }) => String(totalWorkflows), side: 'right' },
    { head: 'completed', cell: ({ completedWorkflows }) => String(completedWorkflows), side: 'right' },
    { head: 'failed', cell: ({ failedWorkflows }) => String(failedWorkflows), side: 'right' },
    { head: 'completed %', cell: ({ successRate }) => percent(successRate), side: 'right' },
    { head: 'time', cell: ({ totalDuration }) => durationText(totalDuration), side: 'right' },
    { head: 'average', cell: ({ averageDuration }) => durationText(averageDuration), side: 'right' },
    { head: 'most used', cell: ({ mostUsedWorkflow }) => mostUsedWorkflow },
  ];
  return columnsTable(columns, days, look);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
