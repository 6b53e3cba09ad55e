import type { HistoryEntry } from '../history/history-entry.ts';
import {
  summarizeRuns,
  type DailySummary,
  type GateStatistics,
  type RunStatistics,
  type Times,
} from '../history/statistics.ts';
import { countOf, formatDuration, formatMoney, formatScore, formatShare, joinTexts } from './amounts.ts';
import { renderTable, safeText, type Column, type Screen } from './table.ts';
import { STATUS_TONES, type Status } from './unit-texts.ts';

/** A table of runs. @param gate a table of the units of this gate in them instead */
export function renderHistory(entries: readonly HistoryEntry[], gate?: string, screen: Screen = {}): string {
  if (entries.length === 0) return 'There is no such run.\n';
  if (gate !== undefined) return renderGateHistory(entries, screen);
  const columns: Column<HistoryEntry>[] = [
    { head: 'started', cell: ({ started }) => timeText(started) },
    { head: 'pipeline', cell: ({ pipeline }) => pipeline },
    { head: 'subject', cell: ({ subject }) => subject },
    { head: 'run', cell: ({ run }) => String(run), isNumber: true },
    { head: 'status', cell: ({ status }) => ({ text: status, tone: STATUS_TONES[status] }) },
    { head: 'time', cell: ({ ms }) => formatDuration(ms), isNumber: true },
    { head: 'cost', cell: ({ costUsd }) => formatMoney(costUsd), isNumber: true },
    { head: 'saved', cell: ({ savedMs }) => formatDuration(savedMs), isNumber: true },
    {
      head: 'task or failure',
      cell: ({ task, failure }) => (failure ? `${failure.unit}: ${failure.message}` : task),
      max: 300,
    },
  ];
  return renderTable(columns, entries, screen);
}

function renderGateHistory(entries: readonly HistoryEntry[], screen: Screen): string {
  const rows = entries.flatMap(({ units, ...entry }) => units.map((unit) => ({ entry, unit })));
  const columns: Column<(typeof rows)[number]>[] = [
    { head: 'started', cell: ({ entry }) => timeText(entry.started) },
    { head: 'subject', cell: ({ entry }) => entry.subject },
    { head: 'run', cell: ({ entry }) => String(entry.run), isNumber: true },
    { head: 'gate', cell: ({ unit }) => unit.unit },
    { head: 'status', cell: ({ unit }) => ({ text: unit.status, tone: STATUS_TONES[unit.status as Status] }) },
    { head: 'how', cell: ({ unit }) => unit.how },
    { head: 'score', cell: ({ unit }) => (unit.score === undefined ? '' : formatScore(unit.score)), isNumber: true },
    { head: 'attempts', cell: ({ unit }) => String(unit.attempts), isNumber: true },
    { head: 'time', cell: ({ unit }) => formatDuration(unit.ms), isNumber: true },
    { head: 'cost', cell: ({ unit }) => formatMoney(unit.costUsd), isNumber: true },
  ];
  return renderTable(columns, rows, screen);
}

/** Success rate, times and cost of runs, and a table of their gates. */
export function renderStatistics(runs: RunStatistics, gates: readonly GateStatistics[], screen: Screen = {}): string {
  const counts = Object.entries(runs.statuses).map(([status, count]) => `${count} ${status}`);
  const tokens = runs.tokens === undefined ? '' : countOf(runs.tokens, 'token');
  const amounts = [formatMoney(runs.costUsd), tokens, formatDuration(runs.ms)];
  const saved = [formatMoney(runs.savedUsd), formatDuration(runs.savedMs)];
  const facts = [
    [countOf(runs.runs, 'run'), counts],
    ['success rate', [formatShare(runs.successRate)]],
    ['time of a completed run', [timesText(runs.times)]],
    ['spent', amounts],
    ['saved', saved],
  ] as const;
  const lines = facts.map(([name, texts]) => [name, joinTexts(texts)]);
  const columns: Column<GateStatistics>[] = [
    { head: 'pipeline', cell: ({ pipeline }) => pipeline },
    { head: 'gate', cell: ({ gate }) => gate },
    { head: 'ran', cell: ({ ran }) => String(ran), isNumber: true },
    { head: 'passed', cell: ({ passRate }) => formatShare(passRate), isNumber: true },
    { head: 'first try', cell: ({ firstPassRate }) => formatShare(firstPassRate), isNumber: true },
    { head: 'flaky', cell: ({ flaky }) => flaky && String(flaky), isNumber: true },
    { head: 'used', cell: ({ used }) => used && String(used), isNumber: true },
    { head: 'median', cell: ({ times: { median } }) => formatDuration(median), isNumber: true },
    { head: '95 %', cell: ({ times: { p95 } }) => formatDuration(p95), isNumber: true },
    { head: 'cost', cell: ({ costUsd }) => formatMoney(costUsd), isNumber: true },
  ];
  const head = lines.flatMap(([name, text]) => (text === '' ? [] : [`${safeText(`${name}: ${text}`)}\n`])).join('');
  return gates.length === 0 ? head : `${head}\n${renderTable(columns, gates, screen)}`;
}

/** A table of days that have runs. */
export function renderDays(days: readonly DailySummary[], screen: Screen = {}): string {
  const columns: Column<DailySummary>[] = [
    { head: 'day', cell: ({ date }) => date },
    { head: 'runs', cell: ({ totalWorkflows }) => String(totalWorkflows), isNumber: true },
    { head: 'completed', cell: ({ completedWorkflows }) => String(completedWorkflows), isNumber: true },
    { head: 'failed', cell: ({ failedWorkflows }) => String(failedWorkflows), isNumber: true },
    { head: 'success', cell: ({ successRate }) => formatShare(successRate), isNumber: true },
    { head: 'time', cell: ({ totalDuration }) => formatDuration(totalDuration), isNumber: true },
    { head: 'on average', cell: ({ averageDuration }) => formatDuration(averageDuration), isNumber: true },
    { head: 'most used', cell: ({ mostUsedWorkflow }) => mostUsedWorkflow },
  ];
  return renderTable(columns, days, screen);
}

/** `Last runs (5): 80 % completed, …` */
export function historyTitle(entries: readonly HistoryEntry[]): string {
  const { successRate, times, costUsd } = summarizeRuns(entries);
  const median = formatDuration(times.median);
  const facts = joinTexts([
    successRate === undefined ? '' : `${formatShare(successRate)} completed`,
    median === '' ? '' : `a completed run took ${median} (median)`,
    costUsd === undefined ? '' : `they cost ${formatMoney(costUsd)}`,
  ]);
  return `Last runs (${entries.length})${facts && `: ${facts}`}`;
}

function timesText({ median, p95 }: Times): string {
  const text = formatDuration(median);
  return text && `median ${text}, 95 % below ${formatDuration(p95)}`;
}

/** `2026-11-05 14:02`, in UTC. */
function timeText(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}
