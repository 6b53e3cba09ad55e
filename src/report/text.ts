import stringWidth from 'string-width';
import { forTerminal } from '../untrusted/escape.ts';

/** What a piece of text means; the caller decides how it looks. */
export type Tone = 'good' | 'bad' | 'warning' | 'quiet' | 'strong';

/** Puts colour on a text that is already safe. The default leaves it as it is. */
export type Paint = (tone: Tone, text: string) => string;

/** No colour. */
export const plain: Paint = (_tone, text) => text;

const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** More than this of a text is never looked at: no line shows it. */
const LONGEST = 4_096;

/**
 * Untrusted text as one line for terminals and logs: nothing in it is obeyed, and white space is single spaces. GitHub's
 * runner obeys `##[command]` anywhere in a line, so that gets a space; it obeys `::command::` at the start of a line only,
 * after white space too, so nobody begins a line with untrusted text.
 */
export function oneLine(text: string): string {
  return forTerminal(text.slice(0, LONGEST).replace(/\s+/g, ' ').trim()).replaceAll('##[', '## [');
}

/**
 * A safe text in at most `columns` columns of a terminal, with `…` where something was left out. Wide characters (CJK,
 * emoji) take two columns.
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

/** A word, with what is in backticks kept whole: a command that is broken cannot be copied. */
const PIECE = /[^\s`]*(?:`[^`]*`[^\s`]*)+|\S+/g;

/** Where lines of {@link wrapWords} begin, and how a word that is too long for one is broken. */
export interface WrapOptions {
  /** Put before the first line; part of its width. */
  readonly first?: string;
  /** Put before each further line. */
  readonly further?: string;
  /** Cut such a word with `…`, so that no line is ever wider; default: it is left whole. */
  readonly cut?: boolean;
}

/** A safe text as lines of at most `columns` columns, broken between words. */
export function wrapWords(text: string, columns: number, options: WrapOptions = {}): string[] {
  const { first = '', further = '', cut = false } = options;
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const piece of text.match(PIECE) ?? []) {
    const joined = isEmpty ? line + piece : `${line} ${piece}`;
    // GitHub's runner obeys `::command::` at the start of a line, after white space too.
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
 * A safe text of several lines for a terminal: lines that are wider than it are broken between words, and go on two
 * columns further in.
 * @param columns 0: no terminal, nothing is broken
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

/** A safe text filled up with spaces to that many columns. */
export function pad(text: string, columns: number, side: 'left' | 'right' = 'right'): string {
  const spaces = ' '.repeat(Math.max(0, columns - stringWidth(text)));
  return side === 'right' ? text + spaces : spaces + text;
}

/** `a, b, c and 4 more`. */
export function listOf(names: readonly string[], shown = 5): string {
  if (names.length > shown) return `${names.slice(0, shown).join(', ')} and ${names.length - shown} more`;
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `1 gate`, `2 gates`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
