import { csvLines } from '../../history/csv.ts';
import { dailySummaries, type DailySummary } from '../../history/statistics/daily.ts';
import { DEFAULT_TIMEZONE } from '../../history/statistics/days.ts';
import type { HistoryFilter, HistorySource } from '../../history/query.ts';
import { gatesOf, runsOf } from '../../history/query.ts';
import type { Unreadable } from '../../history/read.ts';
import { gateStatistics, runStatistics } from '../../history/statistics/statistics.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { dailyTable, flakyLines, gateStatsTable, runStatsLines } from '../../report/terminal/stats-table.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { lookOf } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { printPieces } from '../output/print-pieces.ts';
import { say } from '../output/say.ts';
import { filterOf } from './filter.ts';
import { noteUnreadable } from './history.ts';
import { openHistory } from './sources.ts';

/** `gateline stats`: success rates, times and cost of earlier runs and their gates, or summaries of days. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const isDaily = options['daily'] === true;
  const gate = textOption(options, 'gate');
  if (isDaily && gate !== undefined)
    throw new GatelineError('OPTION_CONFLICT', '--daily is about runs, not about gates');
  if (options['csv'] && !isDaily) throw new GatelineError('OPTION_CONFLICT', '--csv: only with --daily');
  if (options['csv'] && options['json']) throw new GatelineError('OPTION_CONFLICT', '--json and --csv: choose one');
  const { source, loaded } = await openHistory(invocation);
  const timezone = loaded?.pipeline.timezone ?? DEFAULT_TIMEZONE;
  const filter = filterOf(options, world.now(), timezone);
  return isDaily ? showDays(invocation, source, filter, timezone) : showAll(invocation, source, filter, gate);
}

function showDays(
  { world, options }: CommandInvocation,
  source: HistorySource,
  filter: HistoryFilter,
  timezone: string,
): ExitCode {
  const unreadable: Unreadable = { lines: 0 };
  const days = dailySummaries(runsOf(source, filter, unreadable), timezone);
  if (options['json']) printJson(world, { format: 'gateline-daily/1', timezone, days, unreadable: unreadable.lines });
  else if (options['csv']) printPieces(world, csvLines(DAY_COLUMNS, days.map(withText)));
  else if (days.length > 0) world.out.write(dailyTable(days, lookOf(world)));
  else say(world.err, 'No runs.');
  noteUnreadable(world, unreadable.lines);
  return EXIT_CODES.ok;
}

const DAY_COLUMNS: readonly (keyof DailySummary)[] = [
  'date',
  'totalWorkflows',
  'completedWorkflows',
  'failedWorkflows',
  'totalDuration',
  'averageDuration',
  'workflowBreakdown',
  'mostUsedWorkflow',
  'successRate',
];

function withText(day: DailySummary): object {
  return { ...day, workflowBreakdown: Object.entries(day.workflowBreakdown).map(([name, runs]) => `${name}:${runs}`) };
}

function showAll(
  { world, options }: CommandInvocation,
  source: HistorySource,
  filter: HistoryFilter,
  gate: string | undefined,
): ExitCode {
  const unreadable: Unreadable = { lines: 0 };
  const runs = runStatistics(runsOf(source, filter, unreadable));
  const { gates, flaky } = gateStatistics(gatesOf(source, filter, unreadable), { gate });
  if (options['json']) {
    const about = { format: 'gateline-stats/1', gate: gate ?? null, runs, gates, flaky, unreadable: unreadable.lines };
    printJson(world, nullsFor(about));
    return EXIT_CODES.ok;
  }
  if (runs.runs === 0) say(world.err, 'No runs.');
  else {
    if (gate === undefined) for (const line of runStatsLines(runs)) say(world.out, line);
    if (gates.length > 0) world.out.write(`${gate === undefined ? '\n' : ''}${gateStatsTable(gates, lookOf(world))}`);
    for (const line of flakyLines(flaky)) say(world.out, line);
  }
  noteUnreadable(world, unreadable.lines);
  return EXIT_CODES.ok;
}

/** Unknown values are `null` in JSON. */
function nullsFor(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(nullsFor);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, nullsFor(one)]));
}
