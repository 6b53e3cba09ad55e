import { digestOf, hexOf } from '../json/digest.ts';

/** One line of a document: something learned, under the heading that it belongs to. */
export interface MemoryEntry {
  /** The heading above it. Default `Learnings`. */
  readonly category: string;
  /** One line. */
  readonly text: string;
  /** Written with a tick in a box: `- [x] text`. */
  readonly isDone?: true;
}

/** An entry as it is in a document. */
export interface DocumentEntry extends MemoryEntry {
  /** Eight hex digits, made from category and text without case and white space: the same for the same entry. */
  readonly id: string;
  /** Its line in the document, from 1. */
  readonly line: number;
}

/** Limits of a document. What would exceed one is left out, and named. */
export const DOCUMENT_LIMITS = { entries: 500, bytes: 65_536, text: 1_000, category: 80 } as const;

/** The category of an entry without one. */
export const DEFAULT_CATEGORY = 'Learnings';

/*
 * Marks of Markdown before a text and around a heading. Whoever reads the document does not take them for a part of the
 * text: with them, an entry would not be the same when it is read, and would be added again.
 */
const BEFORE_TEXT = /^(?:[\s>#*+-]|\[[ xX]\](?=\s|$))+/g;
const AROUND_HEADING = /^[\s#]+|(?:\s+#+)+\s*$/g;

/** An entry as people and agents wrote it: on one line, without control characters, and not longer than allowed. */
export function cleanEntry({ category, text, ...rest }: MemoryEntry): MemoryEntry | undefined {
  const line = oneLineOf(text, BEFORE_TEXT, DOCUMENT_LIMITS.text);
  const heading = oneLineOf(category, AROUND_HEADING, DOCUMENT_LIMITS.category);
  return line === '' ? undefined : { ...rest, category: heading === '' ? DEFAULT_CATEGORY : heading, text: line };
}

/** Characters that end a line, or that change how the rest of it is shown. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

function oneLineOf(text: string, marks: RegExp, most: number): string {
  const line = text.toWellFormed().replaceAll(UNSHOWN, ' ').replaceAll(/\s+/g, ' ').trim();
  // `<!--` would hide what follows it on GitHub.
  const shown = first(line, most).replaceAll(marks, '').replaceAll('<!--', '&lt;!--');
  return first(shown, most).replaceAll(marks, '').trim();
}

function first(text: string, most: number): string {
  return [...text].slice(0, most).join('');
}

/** The id of an entry. */
export function entryId({ category, text }: MemoryEntry): string {
  const folded = [category, text].map((part) => fold(part.normalize('NFKC')));
  return hexOf(digestOf(folded.join('\n'))).slice(0, 8);
}

/** The entries of a document: the items of its lists. Text between them is for people, and kept. */
export function entriesOf(document: string): DocumentEntry[] {
  return itemsOf(document).map((item) => ({ ...item, id: entryId(item) }));
}

function itemsOf(document: string): Omit<DocumentEntry, 'id'>[] {
  const found: Omit<DocumentEntry, 'id'>[] = [];
  let category = DEFAULT_CATEGORY;
  for (const [index, line] of linesOf(document).entries()) {
    category = headingIn(line) ?? category;
    const text = /^[-*+]\s/.test(line)
      ? line
          .slice(1)
          .trim()
          .replace(/^\[[ xX]\](?:\s+|$)/, '')
      : '';
    if (text !== '') found.push({ category, text, line: index + 1 });
  }
  return found;
}

/** The text of a heading, not of the title. Trimmed before it is searched: agents write lines of a megabyte. */
function headingIn(line: string): string | undefined {
  if (!/^##+\s/.test(line)) return undefined;
  const text = line.replace(/^#+/, '').trim().replace(/\s#+$/, '').trimEnd();
  return text === '' ? undefined : text;
}

/** The result of {@link withEntries}. */
export interface Added {
  readonly document: string;
  readonly added: readonly MemoryEntry[];
  /** Entries that were there already, in the same words. */
  readonly known: number;
  /** Entries for which there is no room. */
  readonly left: readonly MemoryEntry[];
}

/**
 * A document with more entries, each at the end of its category. All other lines stay as they are.
 * @param document its text; '' for a new one
 * @param title the first line of a new one
 */
export function withEntries(document: string, title: string, entries: readonly MemoryEntry[]): Added {
  let text = document === '' ? `# ${title}\n` : document;
  const before = entriesOf(text);
  const ids = new Set(before.map(({ id }) => id));
  const added: MemoryEntry[] = [];
  const left: MemoryEntry[] = [];
  let known = 0;
  for (const entry of entries.flatMap((one) => cleanEntry(one) ?? [])) {
    if (ids.has(entryId(entry))) {
      known += 1;
      continue;
    }
    const longer = withEntry(text, entry);
    if (ids.size >= DOCUMENT_LIMITS.entries || Buffer.byteLength(longer) > DOCUMENT_LIMITS.bytes) {
      left.push(entry);
      continue;
    }
    text = longer;
    ids.add(entryId(entry));
    added.push(entry);
  }
  return { document: added.length === 0 ? document : text, added, known, left };
}

function withEntry(document: string, { category, text, isDone }: MemoryEntry): string {
  const item = `- ${isDone ? '[x] ' : ''}${text}`;
  const lines = linesOf(document.trimEnd());
  const end = lineEndOf(document);
  const own = itemsOf(document).findLast((one) => fold(one.category) === fold(category));
  if (own !== undefined) return `${lines.toSpliced(own.line, 0, item).join(end)}${end}`;
  const heading = lines.findIndex((line) => fold(headingIn(line) ?? '') === fold(category));
  if (heading >= 0) return `${lines.toSpliced(heading + 1, 0, '', item).join(end)}${end}`;
  return `${[...lines, '', `## ${category}`, '', item].join(end)}${end}`;
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** A document without the entry of an id; `undefined`: it has none. */
export function withoutEntry(document: string, id: string): string | undefined {
  const entry = entriesOf(document).find((one) => one.id === id);
  return (
    entry &&
    linesOf(document)
      .toSpliced(entry.line - 1, 1)
      .join(lineEndOf(document))
  );
}

function lineEndOf(document: string): string {
  return document.includes('\r\n') ? '\r\n' : '\n';
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}
