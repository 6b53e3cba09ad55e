import { durationText } from '../../wording.ts';
import { costText } from '../../amounts.ts';
import { keptSubject, type HistoryEntry } from '../../../history/entry.ts';
import { codeCell, linkTo, row, tableHead } from '../../markdown/markdown.ts';
import type { RunReportInput } from '../report-input.ts';
import { block, type Section } from '../../markdown/section.ts';
import { ownHistory } from '../own-history.ts';
import { trendOf, type Series, type Trend } from './trend.ts';

/** Runs in the table, the latest first. */
const SHOWN_RUNS = 10;

const ARROWS = { up: '▲', down: '▼', same: '▬' } as const;

/**
 * The last runs with their trend, and how often each gate passed at the first attempt. This run is the latest one.
 * Empty without other runs.
 */
export function historySections(input: RunReportInput): Section[] {
  const { facts, state } = input;
  const subject = keptSubject(state.subject);
  const past = (input.history ?? []).filter(
    ({ entry }) => entry.runId !== facts?.runId && entry.pipeline === state.pipeline && entry.subject === subject,
  );
  if (past.length === 0) return [];
  const trend = trendOf(facts === undefined ? past : [...past, ownHistory(input)]);
  const rows = trend.runs
    .toReversed()
    .slice(0, SHOWN_RUNS)
    .map(({ entry }) => entry);
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
    ...(trend.runs.some(({ entry }) => entry.cost !== undefined)
      ? [row(['Cost', bars(trend.cost), seriesText(trend.cost, costText)])]
      : []),
  ];
  return `${tableHead(['', `${lastRuns(trend.runs.length)}, oldest first`, ''])}\n${rows.join('\n')}`;
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
  const { commit = '', branch = '' } = entry;
  return row([
    linkTo(String(entry.run), page) + (entry.attempt > 1 ? ` (${entry.attempt})` : ''),
    ...(loops ? [entry.iteration === undefined ? '' : String(entry.iteration)] : []),
    entry.status,
    `${entry.passed + entry.skipped} of ${entry.gates}`,
    String(entry.reused),
    durationText(entry.ms),
    costText(entry.cost),
    [codeCell(branch, 100), codeCell(commit.slice(0, 7))].filter((text) => text !== '').join(' at '),
  ]);
}

function gatesSection(trend: Trend): Section {
  const left = trend.runs.some(({ gates }) => (gates?.left ?? 1) > 0);
  return {
    title: 'how often each gate passed at the first attempt',
    weight: 7,
    heading: '',
    fold: `Gates in these runs: passed at the first attempt${left ? ' (the gates of some runs were not kept)' : ''}`,
    head: tableHead(['Gate', 'First attempt passed:', 'Median time:', 'Runs, oldest first']),
    pieces: trend.gates.map(({ key, ran, firstTime, medianMs, results }) => ({
      text: row([codeCell(key, 130), ran === 0 ? '' : `${firstTime} of ${ran}`, durationText(medianMs), results]),
      passed: ran === firstTime,
    })),
  };
}
