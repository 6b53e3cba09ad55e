import stringWidth from 'string-width';
import { forTerminal } from '../untrusted/escape.ts';
import { firstNames } from '../errors/first-names.ts';

/** The meaning of a piece of text; the caller chooses its appearance. */
export type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'strong';

/** Colours a text that is already safe. The default leaves it unchanged. */
export type Paint = (tone: Tone, text: string) => string;

/** No colour. */
export const plain: Paint = (_tone, text) => text;

const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Text beyond this length is ignored: no line shows it. */
const LONGEST = 4_096;

/**
 * Untrusted text as one line for terminals and logs: control sequences are shown, not obeyed, and white space is
 * reduced to single spaces. GitHub's runner executes `##[command]` anywhere in a line, so a space is inserted. It
 * executes `::command::` only at the start of a line, also after white space, so no line may begin with untrusted text.
 */
export function oneLine(text: string): string {
  return forTerminal(text.slice(0, LONGEST).replace(/\s+/g, ' ').trim()).replaceAll('##[', '## [');
}

/**
 * A safe text in at most `columns` columns of a terminal, with `…` for omissions. Wide characters (CJK, emoji) take two
 * columns.
 */
export function fit(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let result = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const width = stringWidth(segment);
    if (used + width > columns - 1) break;
    result += segment;
    used += width;
  }
  return columns < 1 ? '' : result + ELLIPSIS;
}

/** A word. Text in backticks is kept together: a command with a line break cannot be copied. */
const PIECE = /[^\s`]*(?:`[^`]*`[^\s`]*)+|\S+/g;

/** The beginnings of lines in {@link wrapWords}, and how to treat a word that is too long for a line. */
export interface WrapOptions {
  /** Prefix of the first line; part of its width. */
  readonly first?: string;
  /** Prefix of each further line. */
  readonly further?: string;
  /** Cut such a word with `…`, so that no line is wider; default: it is kept whole. */
  readonly cut?: boolean;
}

/** A safe text as lines of at most `columns` columns, wrapped between words. */
export function wrapWords(text: string, columns: number, options: WrapOptions = {}): string[] {
  const { first = '', further = '', cut = false } = options;
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const piece of text.match(PIECE) ?? []) {
    const joined = isEmpty ? line + piece : `${line} ${piece}`;
    // GitHub's runner executes `::command::` at the start of a line, also after white space.
    if (isEmpty || widthOf(joined) <= columns || (piece.startsWith('::') && !cut)) line = joined;
    else {
      lines.push(line);
      line = further + piece.replace(/^::/, ': :');
    }
    isEmpty = false;
  }
  lines.push(line);
  return cut ? lines.map((one) => fit(one, columns)) : lines;
}

/**
 * A safe text of several lines for a terminal: wider lines are wrapped between words, and continue two columns further
 * in.
 * @param columns 0: not a terminal, nothing is wrapped
 */
export function wrapLines(text: string, columns: number): string {
  if (columns <= 0) return text;
  const wrap = (line: string): string[] => {
    if (widthOf(line) <= columns) return [line];
    const indent = /^ */.exec(line)![0];
    return wrapWords(line, columns, { first: indent, further: `${indent}  ` });
  };
  return text.split('\n').flatMap(wrap).join('\n');
}

/** Columns that a safe text takes in a terminal. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** A safe text padded with spaces to that many columns. */
export function pad(text: string, columns: number, side: 'left' | 'right' = 'right'): string {
  const spaces = ' '.repeat(Math.max(0, columns - stringWidth(text)));
  return side === 'right' ? text + spaces : spaces + text;
}

/** `a, b, c and 4 more`. */
export function listOf(names: readonly string[], shown = 5): string {
  if (names.length > shown) return firstNames(names, shown);
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `1 gate`, `2 gates`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** `340 bytes`, `12 KiB`, `3.4 MiB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < 1_048_576 ? `${grouped(bytes / 1_024, 0)} KiB` : `${grouped(bytes / 1_048_576, 1)} MiB`;
}

/** A number with that many decimals, its thousands separated by commas. */
export function grouped(number: number, decimals: number): string {
  const [whole = '', fraction] = number.toFixed(decimals).split('.');
  const groups = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}
