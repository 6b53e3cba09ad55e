import { digestOf, hexOf } from '../json/digest.ts';
import { forTerminal } from '../untrusted/escape.ts';
import { cutText } from '../verdict/texts.ts';

/** Folder of documents for agents: `<name>.md`, in the repository. */
export const MEMORY_FOLDER = '.gateline/memory';
/** Name of the document that is made for each attempt: what was done before it. */
export const HANDOFF = 'handoff';
/** Name of the document of learnings that people promoted. */
export const PATTERNS = 'learned-patterns';
/** Name of the document of completed tasks and learnings. */
export const PROGRESS = 'progress';

/** Path of a document, relative to the workspace. */
export function documentPath(name: string): string {
  return `${MEMORY_FOLDER}/${name}.md`;
}

/** An item of a list in a document. */
export interface Item {
  /** The heading above it. */
  readonly heading: string;
  /** One line. */
  readonly text: string;
}

const DEFAULT_HEADING = 'Learnings';
/** Items that are read of one text by an agent. */
const MAX_ITEMS = 50;
/** Characters beyond which Gateline adds nothing to a document. */
const MAX_DOCUMENT = 256 * 1024;

/** Learnings in the file of `GATELINE_LEARNINGS`: the items of its lists, or its paragraphs if it has no list. */
export function readLearnings(text: string): Item[] {
  const items = itemsOf(text);
  const paragraphs = text.split(/\n\s*\n/).filter((paragraph) => !/^\s*(?:#|$)/.test(paragraph));
  const all = items.length > 0 ? items : paragraphs.map((line) => ({ heading: DEFAULT_HEADING, text: line }));
  return all.slice(0, MAX_ITEMS).flatMap(({ heading, text: line }) => {
    const clean = cleanLine(line, 1_000);
    return clean === '' ? [] : [{ heading: cleanLine(heading, 80) || DEFAULT_HEADING, text: clean }];
  });
}

function itemsOf(document: string): Item[] {
  let heading = DEFAULT_HEADING;
  return document.split(/\r?\n/).flatMap((line) => {
    heading = headingOf(line) ?? heading;
    const text = /^[-*+] (?:\[[ xX]\] )?(.*)$/.exec(line)?.[1]?.replace(NOTE, '').trim();
    return text ? [{ heading, text }] : [];
  });
}

/** The text of a heading below the title; undefined for any other line. */
function headingOf(line: string): string | undefined {
  return line.startsWith('##') ? line.replace(/^#+/, '').trim() || undefined : undefined;
}

/** One line, without Markdown that would change how the rest of the document is shown. */
function cleanLine(text: string, limit: number): string {
  const line = forTerminal(text).replace(/\s+/g, ' ').replaceAll('<!--', '&lt;!--');
  return cutText(line.replace(/^[\s>#*+-]+/, '').trim(), limit);
}

/** A comment after an item identifies it even if somebody changes its words. */
const NOTE = /<!-- learned ([0-9a-f]{12}) -->/g;

/** Identifies an item by its words, regardless of case and white space: 12 hex digits. */
export function itemId({ text }: Item): string {
  return hexOf(digestOf(text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim())).slice(0, 12);
}

/** Ids of the items of a document: by their words, and in the comments after them. */
export function itemIds(document: string): ReadonlySet<string> {
  return new Set([...itemsOf(document).map(itemId), ...[...document.matchAll(NOTE)].map(([, id]) => id!)]);
}

/** The items that a document lacks, each once. */
export function newItems<T extends Item>(items: readonly T[], document: string): T[] {
  const ids = new Set(itemIds(document));
  return items.filter((item) => !ids.has(itemId(item)) && ids.add(itemId(item)));
}

/**
 * A document with the items that it lacks, each at the end of the section of its heading. All other lines stay as they
 * are.
 * @param mark goes before the text of an item: `[x] `. Default: nothing
 * @param hasIds whether a comment with its id follows each item. Default: false
 */
export function addItems(document: string, items: readonly Item[], mark = '', hasIds = false): string {
  const lines = document.trimEnd().split(/\r?\n/);
  let size = document.length;
  for (const item of newItems(items, document)) {
    const line = `- ${mark}${item.text}${hasIds ? ` <!-- learned ${itemId(item)} -->` : ''}`;
    size += line.length;
    if (size > MAX_DOCUMENT) break;
    const start = lines.findIndex((other) => headingOf(other)?.toLowerCase() === item.heading.toLowerCase());
    if (start < 0) {
      lines.push('', `## ${item.heading}`, line);
      continue;
    }
    const next = lines.findIndex((other, index) => index > start && headingOf(other) !== undefined);
    let end = next < 0 ? lines.length : next;
    while (lines[end - 1]?.trim() === '') end -= 1;
    lines.splice(end, 0, line);
  }
  return `${lines.join('\n')}\n`;
}
