import { foldRun } from '../src/run/state/fold.ts';
import type { GatelineRecord } from '../src/run/records/record.ts';
import { unitsOf } from '../src/run/records/unit.ts';
import type { Pipeline } from '../src/pipeline/pipeline.ts';
import { runSummaryLines } from '../src/report/terminal/run-summary.ts';
import { statusTable } from '../src/report/terminal/status-table.ts';
import type { Tone } from '../src/report/text.ts';

/** Two calls of `gateline run` on examples/web-tests, according to their records. */
export interface Recording {
  readonly subject: string;
  /** Commands and remarks before the first call and between the two. */
  readonly typed: readonly [string, string];
  readonly records: readonly GatelineRecord[];
}

/** Part of a line in one tone. */
interface Piece {
  readonly tone: Tone | undefined;
  readonly text: string;
}

const COLUMNS = 104;
const [CHARACTER, LINE, PADDING] = [7.83, 20, 18];
/** Mark pieces while they pass through the table: private use characters, which no text of a run contains. */
const [OPEN, CLOSE] = ['\uE000', '\uE001'];

/** The lines of the picture: what the terminal showed, command by command. */
export function linesOf(recording: Recording, pipeline: Pipeline): Piece[][] {
  const [first, second] = recording.typed;
  return [
    ...first.split('\n').map(typed),
    ...shown(recording, pipeline, 1),
    [],
    ...second.split('\n').map(typed),
    ...shown(recording, pipeline, Infinity),
  ];
}

function typed(line: string): Piece[] {
  return [{ tone: line.startsWith('#') ? 'quiet' : 'strong', text: line.startsWith('#') ? line : `$ ${line}` }];
}

function shown(recording: Recording, pipeline: Pipeline, lastCall: number): Piece[][] {
  const records = recording.records.filter((record) => record.runAttempt <= lastCall);
  const identity = { pipeline: pipeline.id, subject: recording.subject };
  const now = records.at(-1)!.at;
  const state = foldRun(unitsOf(pipeline), { records, problems: [] }, identity, { now });
  const paint = (tone: Tone, text: string): string => `${OPEN}${tone}:${text}${CLOSE}`;
  const lines = [...statusTable(state, pipeline, { width: COLUMNS, paint }).trimEnd().split('\n'), ''];
  return [...lines, ...runSummaryLines(state).flatMap(wrapped)].map(piecesOf);
}

function wrapped(line: string): string[] {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1)!;
    if (last.length + word.length + 1 > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

function piecesOf(line: string): Piece[] {
  const parts = line.split(new RegExp(`${OPEN}(\\w+):([^${CLOSE}]*)${CLOSE}`));
  const pieces: Piece[] = [];
  for (let at = 0; at < parts.length; at += 3) {
    pieces.push({ tone: undefined, text: parts[at]! });
    if (at + 2 < parts.length) pieces.push({ tone: parts[at + 1] as Tone, text: parts[at + 2]! });
  }
  return pieces.filter(({ text }) => text !== '');
}

/** The picture: text in a frame, in colours that follow the reader's light or dark setting. */
export function svgOf(lines: readonly (readonly Piece[])[]): string {
  const width = Math.ceil(COLUMNS * CHARACTER + PADDING * 2);
  const height = lines.length * LINE + PADDING * 2;
  const rows = lines.map((pieces, index) => {
    const spans = pieces.map(({ tone, text }) =>
      tone === undefined ? escaped(text) : `<tspan class="${tone}">${escaped(text)}</tspan>`,
    );
    return `  <text x="${PADDING}" y="${PADDING + LINE * (index + 0.75)}">${spans.join('')}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
  <title id="title">gateline run fails at one gate; run again, it continues from there</title>
  <style>
    rect { fill: #f6f8fa; stroke: #d0d7de; }
    text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre; }
    .good { fill: #1a7f37; } .bad { fill: #cf222e; } .warning { fill: #9a6700; } .quiet { fill: #59636e; } .strong { font-weight: 600; }
    @media (prefers-color-scheme: dark) {
      rect { fill: #0d1117; stroke: #3d444d; }
      text { fill: #f0f6fc; }
      .good { fill: #3fb950; } .bad { fill: #f85149; } .warning { fill: #d29922; } .quiet { fill: #9198a1; }
    }
  </style>
  <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" />
${rows.join('\n')}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
