import { durationText } from '../../wording.ts';
import { costText } from '../../amounts.ts';
import { historyEntryOf, type HistoryEntry } from '../history-entry.ts';
import { codeCell, linkTo, row, tableHead } from '../../markdown/markdown.ts';
import type { RunReportInput } from '../report-input.ts';
import { block, type Section } from '../../markdown/section.ts';
import { iterationText } from './run-headline.ts';
import { trendOf, type Series, type Trend } from './trend.ts';

/** Runs in the table, the latest first. */
const SHOWN_RUNS = 10;

const ARROWS = { up: '▲', down: '▼', same: '▬' } as const;

/**
 * The last runs with their trend, and how often each gate passed at the first attempt. This run is the latest one.
 * Empty without other runs.
 */
export function historySections(input: RunReportInput): Section[] {
  const past = (input.history ?? []).filter(
    ({ runId, pipeline, subject }) =>
      runId !== input.facts?.runId && pipeline === input.state.pipeline && subject === input.state.subject,
  );
  if (past.length === 0) return [];
  const { facts } = input;
  const trend = trendOf(facts === undefined ? past : [...past, historyEntryOf({ ...input, facts })]);
  const rows = trend.entries.toReversed().slice(0, SHOWN_RUNS);
  const loops = rows.some(({ iteration }) => iteration !== undefined);
  const columns = ['Run', ...(loops ? ['Iteration:'] : []), 'Result', 'Gates:', 'Reused:', 'Time:', 'Cost:', 'Of'];
  return [
    block('the trend', 4, trendText(trend), '### History'),
    {
      title: 'the last runs',
      weight: 7,
      heading: '',
      fold: lastRuns(rows.length),
      head: tableHead(columns),
      pieces: rows.map((entry) => ({ text: runRow(entry, input, loops) })),
    },
    gatesSection(trend),
  ];
}

function trendText(trend: Trend): string {
  const rate = trend.passRate === undefined ? '' : `${Math.round(trend.passRate)} % passed`;
  const rows = [
    row(['Results', trend.results, rate]),
    row(['Time', bars(trend.duration), seriesText(trend.duration, durationText)]),
    ...(trend.entries.some(({ spent }) => spent.costUsd !== undefined)
      ? [row(['Cost', bars(trend.cost), seriesText(trend.cost, costText)])]
      : []),
  ];
  return `${tableHead(['', `${lastRuns(trend.entries.length)}, oldest first`, ''])}\n${rows.join('\n')}`;
}

function lastRuns(number: number): string {
  return number === 1 ? 'The last run' : `The last ${number} runs`;
}

function bars({ spark }: Series): string {
  return `\`${spark}\``;
}

function seriesText({ latest, median, change }: Series, text: (number: number) => string): string {
  const now = latest === undefined ? 'not known' : text(latest);
  return median === undefined || change === undefined
    ? now
    : `${now} ${ARROWS[change]} against ${text(median)}, the previous median`;
}

function runRow(entry: HistoryEntry, { links }: RunReportInput, loops: boolean): string {
  const page = links?.runs === undefined ? undefined : `${links.runs.replace(/\/*$/, '')}/${entry.runId}`;
  const { all, done, reused } = entry.units;
  return row([
    linkTo(String(entry.runNumber), page) + (entry.runAttempt > 1 ? ` (${entry.runAttempt})` : ''),
    ...(loops ? [entry.iteration === undefined ? '' : iterationText(entry.iteration)] : []),
    entry.conclusion,
    `${done} of ${all}`,
    String(reused),
    durationText(entry.durationMs),
    costText(entry.spent.costUsd),
    [codeCell(entry.branch, 100), codeCell(entry.sha.slice(0, 7))].filter((text) => text !== '').join(' at '),
  ]);
}

function gatesSection(trend: Trend): Section {
  const left = trend.entries.some(({ gatesLeftOut }) => gatesLeftOut > 0);
  return {
    title: 'how often each gate passed at the first attempt',
    weight: 7,
    heading: '',
    fold: `Gates in these runs: passed at the first attempt${left ? ' (large runs: not all gates were kept)' : ''}`,
    head: tableHead(['Gate', 'First attempt passed:', 'Median time:', 'Runs, oldest first']),
    pieces: trend.gates.map(({ key, ran, firstTime, medianMs, results }) => ({
      text: row([codeCell(key, 130), ran === 0 ? '' : `${firstTime} of ${ran}`, durationText(medianMs), results]),
      passed: ran === firstTime,
    })),
  };
}
