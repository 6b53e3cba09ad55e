import { attemptsOf, spansOf, type Attempt, type Span } from '../../history/attempts.ts';
import { durationText, toneOf } from '../wording.ts';
import type { Tone } from '../text.ts';
import type { ReportContent } from './content.ts';
import { wide, type Say } from './elements.ts';

/** Pixels. */
const [LABELS, CHART, ROW, TOP] = [190, 700, 22, 24];
/** More attempts are not drawn. */
const MOST_ROWS = 500;
const MOST_CHARACTERS = 26;

/**
 * When each attempt began and ended, as SVG: a bar each. The time between two calls of a run is left out; a line
 * marks it.
 */
export function timeline({ state, records, now, redact }: ReportContent, say: Say): string {
  const attempts = attemptsOf(records, state);
  const spans = spansOf(attempts, state, now);
  const total = Math.max(
    1,
    spans.reduce((sum, { from, to }) => sum + to - from, 0),
  );
  const running = new Set([...state.units.values()].filter(({ status }) => status === 'running').map(({ key }) => key));
  const drawn = attempts.flatMap((attempt) => timesOf(attempt, running, now) ?? []);
  if (drawn.length === 0 || spans.length === 0) return '';
  const shown = drawn.slice(0, MOST_ROWS);
  const scale = (at: number, runAttempt: number): number => (placeOf(at, runAttempt, spans) / total) * CHART;
  const rows = shown.map(({ attempt, from, to, tone, status }, index) => {
    const x = LABELS + scale(from, attempt.runAttempt);
    const width = Math.max(2, scale(to, attempt.runAttempt) - scale(from, attempt.runAttempt));
    const y = TOP + index * ROW;
    const name = cut(redact(attempt.key));
    const title = `${attempt.key}: ${status}, ${durationText(to - from)}`;
    return `<g><title>${say(title)}</title><text x="0" y="${y + 14}">${say(name)}</text><rect class="${tone}" x="${x.toFixed(1)}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW - 8}"/></g>`;
  });
  const height = TOP + shown.length * ROW + 8;
  const breaks = spans.slice(1).map(({ from, runAttempt }) => {
    const x = (LABELS + scale(from, runAttempt)).toFixed(1);
    return `<line x1="${x}" x2="${x}" y1="${TOP}" y2="${height}"/>`;
  });
  const svg = [
    `<svg class="chart" width="${LABELS + CHART + 10}" height="${height}" viewBox="0 0 ${LABELS + CHART + 10} ${height}" role="img" aria-label="Attempts over time">`,
    '<title>Attempts over time</title>',
    `<text x="${LABELS}" y="14">0s</text><text x="${LABELS + CHART}" y="14" text-anchor="end">${durationText(total)}</text>`,
    ...breaks,
    ...rows,
    '</svg>',
  ].join('\n');
  const more = drawn.length - shown.length;
  return `${wide('Timeline', svg)}${more > 0 ? `\n<p class="note">${more} more attempts are not drawn.</p>` : ''}`;
}

/** After redaction: half of a secret would not be found. */
function cut(name: string): string {
  return name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS - 1)}…` : name;
}

interface Drawn {
  readonly attempt: Attempt;
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
  readonly status: string;
}

function timesOf(attempt: Attempt, running: ReadonlySet<string>, now: string): Drawn | undefined {
  const { started, ended, key } = attempt;
  if (ended !== undefined) {
    const [from, to] = [Date.parse(ended.startedAt), Date.parse(ended.at)];
    const { status } = ended.verdict;
    return to < from ? undefined : { attempt, from, to, tone: toneOf(status), status };
  }
  if (started === undefined) return undefined;
  const from = Date.parse(started.at);
  if (!running.has(key)) return { attempt, from, to: from, tone: 'bad', status: 'interrupted' };
  return { attempt, from, to: Math.max(from, Date.parse(now)), tone: 'strong', status: 'running' };
}

/** Milliseconds since the run began, without the time between its calls. */
function placeOf(at: number, runAttempt: number, spans: readonly Span[]): number {
  let before = 0;
  for (const span of spans) {
    if (span.runAttempt === runAttempt) return before + Math.min(Math.max(at - span.from, 0), span.to - span.from);
    before += span.to - span.from;
  }
  return before;
}
