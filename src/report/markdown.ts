import type { FileChange } from '../run/files.ts';
import { forMarkdown, inlineCode, inlineCodeCell, truncateBytes } from '../untrusted/escape.ts';

/** Default limits of a quoted text, and of a name, path or pointer, in bytes before they are escaped. */
const MAX_TEXT = 1_500;
const MAX_NAME = 300;

/** Untrusted text as one line of Markdown, also in a table; `…` marks a cut. */
export function quote(text: string, maxBytes = MAX_TEXT): string {
  return forMarkdown(cut(text, maxBytes));
}

/** Untrusted text as a code span. */
export function code(text: string, maxBytes = MAX_NAME): string {
  return inlineCode(cutCode(text, maxBytes));
}

/** {@link code} in a table. */
export function codeCell(text: string, maxBytes = MAX_NAME): string {
  return inlineCodeCell(cutCode(text, maxBytes));
}

/** Cuts a text and replaces tabs and `##[command]`, which GitHub's runner obeys anywhere in a line of a log. */
function cutCode(text: string, maxBytes: number): string {
  return cut(text, maxBytes).replaceAll('\t', ' ').replaceAll('##[', '## [');
}

/** The start of a text; `…` marks a cut. */
export function cut(text: string, maxBytes: number): string {
  const short = truncateBytes(text, maxBytes);
  return short.length < text.length ? `${short}…` : short;
}

/** A row of a table; cells are Markdown. */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The first two lines of a table. */
export function tableHead(headings: readonly string[]): string {
  return `${tableRow(headings)}\n${tableRow(headings.map(() => '---'))}`;
}

/** Rows of a table of facts, without those that have no value. Values are Markdown. */
export function factRows(facts: readonly (readonly [name: string, cell: string | undefined])[]): string[] {
  return facts.flatMap(([name, cell]) => (cell ? [tableRow([name, cell])] : []));
}

/** A list of changed files. */
export function changeItems(changes: readonly FileChange[]): string[] {
  const verbOf = ({ before, after }: FileChange) =>
    after === null ? 'deleted' : before === null ? 'added' : 'changed';
  return changes.map((change) => `- ${verbOf(change)} ${code(change.path, 1_024)}`);
}

/** A part of a document: shown whole, with fewer pieces, or not at all. Omitted pieces are counted. */
export interface Section {
  /** Named if it is left out: `the issues`. */
  readonly title: string;
  /** Sections of a higher weight are shortened first. */
  readonly weight: number;
  /** Markdown before the pieces (a heading, the head of a table, the start of a fence) and after them. */
  readonly head?: string;
  readonly foot?: string;
  /** Lines, rows or blocks, which are never cut. */
  readonly pieces: readonly string[];
}

/** Bytes of the line that counts the omitted pieces of a section. */
const NOTE_BYTES = 60;

/**
 * Renders sections as one document of at most `maxBytes` of UTF-8. Pieces are omitted from the end of the section with the
 * highest weight on, and never cut, so fences, rows and tags stay whole. Sections without pieces are omitted.
 */
export function fitSections(sections: readonly Section[], maxBytes: number): string {
  const parts = sections
    .filter(({ pieces }) => pieces.length > 0)
    .map((section) => ({ section, count: section.pieces.length }));
  const reserve = parts.reduce((bytes, { section }) => bytes + sizeOf(section.title) + 1, 30);
  let total = parts.reduce(
    (bytes, { section }) => bytes + frameSize(section) + section.pieces.reduce((sum, piece) => sum + sizeOf(piece), 0),
    reserve,
  );
  for (const part of parts.toSorted((a, b) => b.section.weight - a.section.weight)) {
    if (total <= maxBytes) break;
    total += NOTE_BYTES;
    while (total > maxBytes && part.count > 0) total -= sizeOf(part.section.pieces[--part.count]!);
    if (part.count === 0) total -= NOTE_BYTES + frameSize(part.section);
  }
  const missing = parts.filter(({ count }) => count === 0).map(({ section }) => section.title);
  const texts = parts.filter(({ count }) => count > 0).map(({ section, count }) => renderSection(section, count));
  if (missing.length > 0) texts.push(`_Left out, too large: ${missing.join(', ')}._`);
  return `${texts.join('\n\n')}\n`;
}

/** Bytes of a text and its line break. */
function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}

function frameSize({ head = '', foot = '' }: Section): number {
  return sizeOf(head) + sizeOf(foot) + 2;
}

function renderSection({ head, foot, pieces }: Section, count: number): string {
  const body = [head, ...pieces.slice(0, count), foot].filter((text) => text !== undefined).join('\n');
  return count === pieces.length ? body : `${body}\n\n_… and ${pieces.length - count} more._`;
}
