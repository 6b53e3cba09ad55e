import { Buffer } from 'node:buffer';
import { listOf } from '../text.ts';
import { linkTo } from './markdown.ts';

/**
 * Maximum size of a job summary from Gateline, in UTF-8 bytes. GitHub drops a step's whole summary above 1 MiB
 * (https://docs.github.com/actions/reference/workflow-commands-for-github-actions, "Step isolation and limits"); the
 * rest is for other writers in the same step.
 */
export const SUMMARY_LIMIT = 900 * 1_024;

/**
 * Maximum size of a comment from Gateline, in UTF-8 bytes: GitHub's limit is 65,536 characters, and a text never has
 * more characters than bytes.
 */
export const COMMENT_LIMIT = 65_000;

/** A line, row or block that is shown whole or not at all. */
export interface Piece {
  /** Safe Markdown. */
  readonly text: string;
  /** About something that passed: left out before anything else. */
  readonly passed?: boolean;
}

/** A part of a report. It is shown completely, with fewer pieces, or not at all; omissions are counted. */
export interface Section {
  /** Its name in the note if it is left out: `the timeline`. Fixed words. */
  readonly title: string;
  /** The higher, the earlier it is left out. */
  readonly weight: number;
  /** A Markdown heading, `### Gates`; '' for none. */
  readonly heading: string;
  /** Makes it foldable: the line that stays visible. Fixed words, no markup. */
  readonly fold?: string;
  /** Text before the pieces: the head of a table, the beginning of a fence. */
  readonly head?: string;
  /** One per line. */
  readonly pieces: readonly Piece[];
  /** Text after the pieces: the end of a fence. */
  readonly foot?: string;
}

/** A section that is shown whole or not at all. */
export function block(title: string, weight: number, text: string, heading = ''): Section {
  return { title, weight, heading, pieces: text === '' ? [] : [{ text }] };
}

/** Bytes reserved for the line that counts a section's omissions, and for the address in it. */
const NOTE = 80;

interface SectionPart {
  readonly section: Section;
  readonly kept: boolean[];
  readonly sizes: readonly number[];
  readonly frame: number;
  dropped: number;
  gone: boolean;
}

/**
 * Sections as one Markdown text of at most `maxBytes` UTF-8 bytes that ends with a line break. If that is too little,
 * pieces about passed gates are left out first, then other pieces, the heaviest section first and each from its end,
 * then whole sections. Never cuts a piece, so never inside a fence, a table or a tag; omissions are counted, with a
 * link to the complete report. Sections without pieces are not shown.
 * @param whole address of a page with the complete report
 */
export function fitSummary(sections: readonly Section[], maxBytes: number, whole?: string): string {
  const parts = sections.filter(({ pieces }) => pieces.length > 0).map(partOf);
  const link = linkTo('full text', whole);
  const where = link === 'full text' ? '' : `; ${link}`;
  const note = NOTE + Buffer.byteLength(where);
  const heaviestFirst = parts.toSorted((a, b) => b.section.weight - a.section.weight);
  let total = parts.reduce((sum, part) => sum + part.frame + part.sizes.reduce((a, b) => a + b, 0), note);
  const shed = (part: SectionPart, droppable: (piece: Piece) => boolean): void => {
    for (let at = part.sizes.length - 1; at >= 0 && total > maxBytes; at -= 1) {
      if (!part.kept[at] || !droppable(part.section.pieces[at]!)) continue;
      part.kept[at] = false;
      total -= part.sizes[at]!;
      if (part.dropped === 0) total += note;
      part.dropped += 1;
    }
    if (part.gone || part.dropped < part.sizes.length) return;
    part.gone = true;
    total += Buffer.byteLength(part.section.title) + 2 - part.frame - note;
  };
  for (const part of heaviestFirst) shed(part, (piece) => piece.passed === true);
  for (const part of heaviestFirst) shed(part, () => true);
  const gone = parts.filter((part) => part.gone).map(({ section }) => section.title);
  const texts = parts.filter((part) => !part.gone).map((part) => textOf(part, where));
  if (gone.length > 0) texts.push(`_Left out, too large: ${listOf(gone, gone.length)}${where}._`);
  const text = `${texts.join('\n\n')}\n`;
  return Buffer.byteLength(text) <= maxBytes ? text : '';
}

function partOf(section: Section): SectionPart {
  const sizes = section.pieces.map(({ text }) => Buffer.byteLength(text) + 1);
  const frame = Buffer.byteLength(framed(section, '', '')) + 2;
  return { section, kept: sizes.map(() => true), sizes, frame, dropped: 0, gone: false };
}

function textOf(part: SectionPart, where: string): string {
  const { section } = part;
  const shown = section.pieces.filter((_, at) => part.kept[at]).map(({ text }) => text);
  const left = section.pieces.filter((_, at) => !part.kept[at]);
  if (left.length === 0) return framed(section, shown.join('\n'), '');
  const passed = left.filter((piece) => piece.passed === true).length;
  const of = passed === 0 ? '' : passed === left.length ? ', all of them passed' : `, ${passed} of them passed`;
  return framed(section, shown.join('\n'), `\n\n_… and ${left.length} more${of}${where}._`);
}

function framed(section: Section, body: string, note: string): string {
  const { heading, fold, head, foot } = section;
  const start = head === undefined ? '' : `${head}\n`;
  const inner = `${start}${start === '' ? body.replace(/^\n+/, '') : body}${foot === undefined ? '' : `\n${foot}`}${note}`;
  const folded = fold === undefined ? inner : `<details><summary>${fold}</summary>\n\n${inner}\n\n</details>`;
  return heading === '' ? folded : `${heading}\n\n${folded}`;
}
