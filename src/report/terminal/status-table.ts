import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { statusRows, type StatusRow } from '../status-rows.ts';
import { fit, oneLine, pad, plain, widthOf, wrapWords, type Paint } from '../text.ts';
import { toneOf } from '../wording.ts';

/** Options of a table. */
export interface TableOptions {
  /**
   * Columns of the terminal; nothing is wider. Default 0: no limit except 300 columns for a reason (logs). At least 20.
   */
  readonly width?: number;
  readonly paint?: Paint;
  /** Wrap reasons that are too long onto further lines, between words. Default false: they are cut. */
  readonly wrap?: boolean;
  /** The current time, ISO 8601: to show how long running gates have been running. */
  readonly now?: string;
  /** What else to say about units, after their reasons. */
  readonly notes?: ReadonlyMap<UnitKey, string>;
}

const LONGEST_REASON = 300;
const LONGEST_NAME = 40;
const NARROWEST = 20;
/** If less room than this is left, a reason goes on its own line. */
const ROOM_FOR_REASON = 24;
const GAP = '  ';
/** Prefix of a reason below its row. */
const WHY = '    why: ';

/**
 * The state of a run as a table for terminals and logs: number, gate (legs below, groups with headings), status, how it
 * was reached (ran, reused, skipped), score, time, reason. Ends with a line break. Text from agents is escaped.
 */
export function statusTable(
  state: RunState,
  pipeline: Pick<Pipeline, 'gates' | 'groups'>,
  options: TableOptions = {},
): string {
  const rows = statusRows(state, pipeline, options.now).map((row) => withMessage(withNote(row, options.notes)));
  const head = {
    heading: false,
    key: undefined,
    depth: 0,
    number: '#',
    name: 'gate',
    status: undefined,
    how: 'how',
    score: 'score',
    time: 'time',
    reason: 'why',
    message: '',
  };
  const width = options.width === undefined || options.width <= 0 ? Infinity : Math.max(options.width, NARROWEST);
  const layout = layOut([head, ...rows], width);
  const paint = options.paint ?? plain;
  const lines = [paint('quiet', drawRow(head, 'status', layout, plain).trimEnd())];
  for (const row of rows) {
    if (row.heading) lines.push(paint('strong', fit(headingText(row), width)));
    else {
      const [reason = '', ...further] = reasonLines(row, layout, options.wrap === true && width !== Infinity);
      lines.push(
        drawRow({ ...row, reason: layout.reason === 0 ? '' : reason }, row.status ?? '', layout, paint).trimEnd(),
      );
      if (layout.reason > 0) lines.push(...further.map((line) => ' '.repeat(layout.before) + line));
      else if (row.reason !== '') lines.push(...[reason, ...further].map((line) => paint('quiet', line)));
    }
  }
  return `${lines.join('\n')}\n`;
}

/** A group's line is longer than the columns before the time. */
function headingText({ name, time }: StatusRow): string {
  return time === '' ? name : `${name}, ${time}`;
}

function withNote(row: StatusRow, notes?: TableOptions['notes']): StatusRow {
  const note = (row.key !== undefined && notes?.get(row.key)) || '';
  return { ...row, reason: [row.reason, oneLine(note)].filter((text) => text !== '').join('; ') };
}

/** The reason and the agent's line in one column. */
function withMessage(row: StatusRow): StatusRow {
  return { ...row, reason: [row.reason, row.message].filter((text) => text !== '').join(': ') };
}

/** The lines of a row's reason: in its column, or below the row. */
function reasonLines({ reason }: StatusRow, layout: Layout, wrap: boolean): string[] {
  const text = fit(reason, LONGEST_REASON);
  const below = layout.reason === 0;
  if (!wrap) return [below ? fit(`${WHY}${text}`, layout.total) : fit(text, layout.reason)];
  return below
    ? wrapWords(text, layout.total, { first: WHY, further: '      ', cut: true })
    : wrapWords(text, layout.reason, { cut: true });
}

/** Width of each column. `reason: 0`: it goes below the row. */
interface Layout {
  readonly number: number;
  readonly name: number;
  readonly status: number;
  readonly how: number;
  readonly score: number;
  readonly time: number;
  readonly reason: number;
  readonly total: number;
  /** Columns before the reason. */
  readonly before: number;
}

function layOut(rows: readonly StatusRow[], width: number): Layout {
  const drawn = rows.filter((row) => !row.heading);
  const widest = (text: (row: StatusRow) => number): number => Math.max(...drawn.map(text));
  const columns = {
    number: widest((row) => row.number.length),
    name: Math.min(
      LONGEST_NAME,
      widest((row) => widthOf(indented(row))),
    ),
    status: widest((row) => (row.status ?? 'status').length),
    how: widest((row) => row.how.length),
    score: widest((row) => row.score.length),
    time: widest((row) => row.time.length),
  };
  const taken = Object.values(columns).reduce((a, b) => a + b) + GAP.length * 6;
  const left = Math.min(LONGEST_REASON, width - taken);
  return { ...columns, reason: left >= ROOM_FOR_REASON ? left : 0, total: width, before: taken };
}

function drawRow(row: StatusRow, status: string, layout: Layout, paint: Paint): string {
  const cells = [
    pad(row.number, layout.number, 'left'),
    pad(fit(indented(row), layout.name), layout.name),
    pad(status, layout.status),
    pad(row.how, layout.how),
    pad(row.score, layout.score, 'left'),
    pad(row.time, layout.time, 'left'),
  ];
  if (layout.reason > 0) cells.push(fit(row.reason, layout.reason));
  if (widthOf(cells.join(GAP).trimEnd()) > layout.total)
    return fit(cells.filter((_, at) => at < 3).join(GAP), layout.total);
  if (row.status !== undefined)
    cells[2] = paint(toneOf(row.status), cells[2]!.trimEnd()) + ' '.repeat(layout.status - status.length);
  return cells.join(GAP);
}

function indented(row: StatusRow): string {
  return '  '.repeat(row.depth) + row.name;
}
