import type { HistoryEntry } from '../../history/entry.ts';
import { costText } from '../amounts.ts';
import { durationText } from '../wording.ts';
import { table, time, toned, wide, type Say } from './elements.ts';
import { toneOfRun } from './overview.ts';

/** Runs that are drawn, and runs in the table. */
const [DRAWN, LISTED] = [50, 20];
/** Pixels. */
const [BAR, HEIGHT] = [16, 120];

/** Earlier runs of the pipeline: their durations and costs as SVG, and a table. @param entries the newest first */
export function trends(entries: readonly HistoryEntry[], say: Say): string {
  if (entries.length === 0) return '';
  const drawn = entries.slice(0, DRAWN).toReversed();
  const charts = [durations(drawn, say), costs(drawn, say)].filter((one) => one !== '');
  const rows = entries
    .slice(0, LISTED)
    .map((entry) => [
      `${entry.run}`,
      say(entry.subject),
      toned(toneOfRun(entry.status), entry.status),
      time(entry.started),
      durationText(entry.ms),
      costText(entry.cost),
      `${entry.passed} of ${entry.gates}`,
      entry.failure === undefined
        ? ''
        : say(`${entry.failure.gate}: ${entry.failure.message ?? entry.failure.kind ?? ''}`),
    ]);
  const heads = ['Run', 'Subject', 'Status', 'Started', 'Working time', 'Cost', 'Passed', 'Failure'];
  return [...charts, table('The newest runs', heads, rows)].join('\n');
}

function durations(entries: readonly HistoryEntry[], say: Say): string {
  const most = Math.max(1, ...entries.map(({ ms }) => ms));
  const bars = entries.map(({ run, subject, status, ms }, at) => {
    const height = Math.max(2, (ms / most) * HEIGHT);
    const title = say(`run ${run} of ${subject}: ${status}, ${durationText(ms)}`);
    return `<rect class="${toneOfRun(status)}" x="${at * BAR}" y="${(HEIGHT - height + 20).toFixed(1)}" width="${BAR - 4}" height="${height.toFixed(1)}"><title>${title}</title></rect>`;
  });
  return chart('Working time of the newest runs', `longest ${durationText(most)}`, entries.length, bars);
}

function costs(entries: readonly HistoryEntry[], say: Say): string {
  const known = entries.flatMap(({ cost }, at) => (cost === undefined ? [] : [{ cost, at }]));
  const most = Math.max(0, ...known.map(({ cost }) => cost));
  if (known.length < 2 || most === 0) return '';
  const points = known.map(
    ({ cost, at }) => `${at * BAR + BAR / 2},${(20 + HEIGHT - (cost / most) * HEIGHT).toFixed(1)}`,
  );
  return chart('Cost of the newest runs', say(`highest ${costText(most)}`), entries.length, [
    `<polyline points="${points.join(' ')}"/>`,
  ]);
}

/** @param label fixed words */
function chart(label: string, scale: string, runs: number, shapes: readonly string[]): string {
  const [width, height] = [Math.max(220, runs * BAR), HEIGHT + 24];
  const svg = [
    `<svg class="chart" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<title>${label}</title>`,
    `<text x="0" y="13">${scale}</text>`,
    ...shapes,
    '</svg>',
  ].join('\n');
  return `<h3>${label}</h3>\n${wide(label, svg)}`;
}
