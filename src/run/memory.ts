import { digestOf, hexOf } from '../json/digest.ts';
import { forTerminal } from '../untrusted/escape.ts';
import { cutText } from '../verdict/texts.ts';

/** Documents for agents: `.gateline/memory/<name>.md`, Markdown that git and an editor hold. */
export const MEMORY_FOLDER = '.gateline/memory';
/** Made for each attempt: what was done before it. */
export const HANDOFF = 'handoff';
/** What people chose of what agents learned. */
export const PATTERNS = 'learned-patterns';
/** Completed tasks, and what agents learned. */
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
/** Items of one text by an agent that are read. */
const MAX_ITEMS = 50;
/** A document does not grow beyond this many characters by itself. */
const MAX_DOCUMENT = 256 * 1024;

/** What an agent wrote to `GATELINE_LEARNINGS`: the items of its lists; in a text without lists, its paragraphs. */
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

/** Not of the title. */
function headingOf(line: string): string | undefined {
  return line.startsWith('##') ? line.replace(/^#+/, '').trim() || undefined : undefined;
}

/** On one line, without what changes how the rest of a document is shown. */
function cleanLine(text: string, limit: number): string {
  const line = forTerminal(text).replace(/\s+/g, ' ').replaceAll('<!--', '&lt;!--');
  return cutText(line.replace(/^[\s>#*+-]+/, '').trim(), limit);
}

/** A comment after an item: who changes the words of the item keeps it. */
const NOTE = /<!-- learned ([0-9a-f]{12}) -->/g;

/** The same for the same words, whatever their case and white space. */
export function itemId({ text }: Item): string {
  return hexOf(digestOf(text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim())).slice(0, 12);
}

/** Ids of the items of a document: by their words, and by the comments after them. */
export function knownItems(document: string): ReadonlySet<string> {
  return new Set([...itemsOf(document).map(itemId), ...[...document.matchAll(NOTE)].map(([, id]) => id!)]);
}

/** Items that a document does not have, each once. */
export function newItems<T extends Item>(items: readonly T[], document: string): T[] {
  const known = new Set(knownItems(document));
  return items.filter((item) => !known.has(itemId(item)) && known.add(itemId(item)));
}

/**
 * A document with the items that it does not have, each at the end of its section. All other lines stay as they are.
 * @param mark before the text of an item: `[x] `
 * @param isNoted with the comment that {@link knownItems} reads
 */
export function addItems(document: string, items: readonly Item[], mark = '', isNoted = false): string {
  const lines = document.trimEnd().split(/\r?\n/);
  let size = document.length;
  for (const item of newItems(items, document)) {
    const line = `- ${mark}${item.text}${isNoted ? ` <!-- learned ${itemId(item)} -->` : ''}`;
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
