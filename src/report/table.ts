import { eastAsianWidth } from 'get-east-asian-width';
import { forTerminal } from '../untrusted/escape.ts';

/** What a piece of text means; the paint decides how it looks. */
export type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'strong';
/** Colours a text that is safe already. */
export type Paint = (tone: Tone, text: string) => string;

export const plain: Paint = (_tone, text) => text;

const SGR: Readonly<Record<Tone, number>> = { good: 32, bad: 31, warning: 33, quiet: 2, strong: 1 };
/** The colours of ECMA-48, which every terminal has. */
export const ansi: Paint = (tone, text) => `\u001b[${SGR[tone]}m${text}\u001b[0m`;

export interface Screen {
  /** Columns of the terminal. Default 0: a log, nothing is cut but reasons of more than 300 columns. */
  readonly width?: number;
  /** Default: no colour. */
  readonly paint?: Paint;
}

/** A text from anybody, and how it looks. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

export interface Column<Row> {
  readonly head: string;
  /** A number that is 0 or unknown is not shown. */
  readonly cell: (row: Row) => string | Cell | 0 | undefined;
  /** Numbers: to the right. */
  readonly isNumber?: boolean;
  /** The most columns of the terminal. Default 40. */
  readonly max?: number;
}

const GAP = '  ';
const MIN_WIDTH = 20;

/**
 * Rows as a table with a line break after each line. Texts may come from anybody: control sequences are shown, not
 * obeyed. A column without texts is left out, and so is a table without rows; what does not fit is cut with `…`, the last columns first.
 */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], screen: Screen = {}): string {
  if (rows.length === 0) return '';
  const { width = 0, paint = plain } = screen;
  const total = width > 0 ? Math.max(width, MIN_WIDTH) : Infinity;
  const filled = columns
    .map((column) => ({ ...column, cells: rows.map((row) => safeCell(column.cell(row))) }))
    .filter(({ cells }) => cells.some(({ text }) => text !== ''))
    .map((column) => ({ ...column, width: columnWidth(column) }));
  const renderLine = (cellOf: (column: (typeof filled)[number]) => Cell): string => {
    let line = '';
    let left = total;
    for (const column of filled) {
      const space = Math.min(column.width, left);
      if (space < 1) break;
      const { text, tone } = cellOf(column);
      const short = fitWidth(text, space);
      const padding = ' '.repeat(space - widthOf(short));
      const painted = tone === undefined || short === '' ? short : paint(tone, short);
      line += (column.isNumber ? padding + painted : painted + padding) + GAP;
      left -= space + GAP.length;
    }
    return `${line.trimEnd()}\n`;
  };
  const head = renderLine(({ head }) => ({ text: head, tone: 'quiet' }));
  return head + rows.map((_, row) => renderLine(({ cells }) => cells[row]!)).join('');
}

function safeCell(cell: string | Cell | 0 | undefined): Cell {
  if (!cell || typeof cell === 'string') return { text: safeText(cell || '') };
  return { ...cell, text: safeText(cell.text) };
}

function columnWidth({ head, cells, max = 40 }: { head: string; cells: readonly Cell[]; max?: number }): number {
  return cells.reduce((widest, { text }) => Math.max(widest, Math.min(max, widthOf(text))), widthOf(head));
}

/** Most texts are ASCII: safe, and one column for each character. */
const ASCII = /^[\x20-\x7e]*$/;
/** Text beyond this length is ignored: no line shows it. */
const MAX_LENGTH = 4_096;

/** Text from anybody as one line for a terminal or a log, its white space joined. */
export function safeText(text: string): string {
  return safeLine(text.replace(/\s+/g, ' ').trim());
}

/** A line that an agent printed, with its white space. GitHub's runner obeys `##[command]` anywhere in a line. */
export function safeLine(line: string, maxLength = MAX_LENGTH): string {
  if (ASCII.test(line) && line.length < maxLength && !line.includes('##[')) return line;
  return forTerminal(line.slice(0, maxLength)).replaceAll('\n', ' ').replaceAll('##[', '## [');
}

/** Each character takes one column: no marks, nothing invisible or wide. */
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\u02ff…]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The data of a segmenter takes 15 ms to load, and few calls need it. */
function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Its code point is narrow or of one of two letters, and the whole is a picture: variation selector 16, a flag. */
const PICTURE = /[\ufe0f\u{1f1e6}-\u{1f1ff}]/u;

/** Columns of a safe text: wide characters (CJK, emoji) take two, and spacing marks (Devanagari, Tamil) one of their own. */
function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return graphemesOf(text).reduce((sum, grapheme) => {
    const marks = grapheme.match(/\p{Mc}/gu)?.length ?? 0;
    return sum + (PICTURE.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0)!) + marks);
  }, 0);
}

/** A safe text in at most that many columns. */
function fitWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let result = '';
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    used += widthOf(grapheme);
    if (used > columns - 1) break;
    result += grapheme;
  }
  return `${result}…`;
}
