import { eastAsianWidth } from 'get-east-asian-width';
import { forTerminal } from '../untrusted/escape.ts';

/** The meaning of a text, for its color. */
export type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'strong';
/** Colors a safe text. */
export type Paint = (tone: Tone, text: string) => string;

export const plain: Paint = (_tone, text) => text;

const SGR: Readonly<Record<Tone, number>> = { good: 32, bad: 31, warning: 33, quiet: 2, strong: 1 };
/** Colors by ECMA-48, which every terminal has. */
export const ansi: Paint = (tone, text) => `\u001b[${SGR[tone]}m${text}\u001b[0m`;

export interface Screen {
  /** Columns of the terminal. Default: 0, a log, where only the limits of columns cut. */
  readonly width?: number;
  /** Default: no colors. */
  readonly paint?: Paint;
}

/** An untrusted text with its tone. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

export interface Column<Row> {
  readonly head: string;
  /** `0` and undefined are shown as an empty cell. */
  readonly cell: (row: Row) => string | Cell | 0 | undefined;
  /** Aligned to the right. Default: false. */
  readonly isNumber?: boolean;
  /** Largest width in columns of the terminal. Default: 40. */
  readonly max?: number;
}

const GAP = '  ';
const MIN_WIDTH = 20;

/**
 * Renders rows as a table. Control sequences in texts are escaped. Empty columns are left out, and without rows the result
 * is empty. Texts that do not fit are cut with `…`, those of the last columns first.
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

/** Most texts are ASCII, which is safe, with one column for each character. */
const ASCII = /^[\x20-\x7e]*$/;
/** Longer texts are cut: no line shows more. */
const MAX_LENGTH = 4_096;

/** Untrusted text as one line for a terminal or a log, with white space joined. */
export function safeText(text: string): string {
  return safeLine(text.replace(/\s+/g, ' ').trim());
}

/** An untrusted line with its white space. `##[command]` is escaped, which GitHub's runner obeys anywhere in a line. */
export function safeLine(line: string, maxLength = MAX_LENGTH): string {
  if (ASCII.test(line) && line.length < maxLength && !line.includes('##[')) return line;
  return forTerminal(line.slice(0, maxLength)).replaceAll('\n', ' ').replaceAll('##[', '## [');
}

/** Characters of one column each: no marks, nothing invisible or wide. */
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\u02ff…]*$/;

let segmenter: Intl.Segmenter | undefined;

/** Splits a text into graphemes. The segmenter is created when it is needed, because that takes 15 ms. */
function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Graphemes that are wide although their first code point is not: variation selector 16, flags. */
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
