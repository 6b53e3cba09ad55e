import { showUnseen } from '../json/visible.ts';

/** U+200B. Inserted into a mention or a reference so that GitHub does not activate it. */
const BREAK = '\u200b';

/** Every character with a meaning inside a line of GitHub Flavored Markdown or HTML. */
const INLINE_SYNTAX = /[\\`*_[\]<>&$~|]/g;

/** Forbidden line beginnings: headings, lists, quotes, rules, underlines of headings, rows of tables. */
const LINE_START = /^(?:[#+\-=:]|\d{1,9}(?=[.)]))/;

/**
 * A URL of any scheme, or one without a scheme that GitHub links. The scheme is bounded so that a long word costs no
 * more than a short one.
 */
const URL_LIKE = /(?:[a-z][a-z0-9+.-]{0,31}:\/\/|www\.)[^\s<>`|"]+/gi;

/** Punctuation that belongs to the sentence rather than the URL. */
const AFTER_URL = /[.,;:!?'()[\]*_~]$/;

/** `GH-12`, GitHub's other spelling of `#12`. */
const GH_REFERENCE = /\b(GH-)(?=\d)/gi;

/**
 * Untrusted text as one line of GitHub Flavored Markdown that shows exactly that text and has no effect: no mention,
 * reference, closing keyword, link, image, HTML, comment, emphasis, math, footnote, heading or list. Safe at the start
 * of a line, in a list item, in a heading and in a table cell.
 *
 * Syntax is written as character references (`&#42;`), which cannot become syntax again. Substitutions, beyond those of
 * {@link showUnseen}: white space is trimmed and each run becomes one space; URLs become code; U+200B follows `@`, `#`
 * and `GH-`, because GitHub links those after Markdown, where no escape helps; and {@link inlineCode}'s inside a URL.
 * Commit ids stay: GitHub links only those that exist, and notifies no user.
 */
export function forMarkdown(text: string): string {
  const line = oneLine(showUnseen(text)).trim();
  let result = '';
  let from = 0;
  for (const match of line.matchAll(URL_LIKE)) {
    const url = withoutTrailing(match[0]);
    if (url.length < 5) continue;
    result += prose(line.slice(from, match.index), from === 0) + inlineCode(url);
    from = match.index + url.length;
  }
  return result + prose(line.slice(from), from === 0);
}

/**
 * {@link forMarkdown} for a cell of a table: the same text. A separate function, so that call sites show their context.
 */
export function forMarkdownCell(text: string): string {
  return forMarkdown(text);
}

/**
 * Untrusted text as a code span, in which GitHub activates nothing. Its delimiter is longer than any run of backticks
 * inside. Substitutions, beyond those of {@link showUnseen}: a line break becomes a space, and U+200B is inserted into
 * `<!--`, so that a forged marker is not found in the source of a comment either. Empty text gives an empty string,
 * because Markdown has no empty code span. In a table use {@link inlineCodeCell}.
 */
export function inlineCode(text: string): string {
  const line = breakComments(showUnseen(text).replaceAll('\n', ' '));
  if (line === '') return '';
  const delimiter = '`'.repeat(longestRunOfBackticks(line) + 1);
  const pad = /^[` ]|[` ]$/.test(line) && line.trim() !== '' ? ' ' : '';
  return `${delimiter}${pad}${line}${pad}${delimiter}`;
}

/**
 * {@link inlineCode} for a cell of a table, where a `|` must be escaped even in code. U+200B goes between a backslash
 * and a `|`, which GitHub cannot show together in a cell's code.
 */
export function inlineCodeCell(text: string): string {
  return inlineCode(text.replaceAll('\t', ' ')).replaceAll('\\|', `\\${BREAK}|`).replaceAll('|', '\\|');
}

/**
 * Untrusted text as a fenced code block that ends with a line break, with a fence longer than any run of backticks
 * inside. `lang` names the language and is reduced to letters, digits and `+#_.-`. Substitutions: as for
 * {@link inlineCode}, but line breaks stay. Must begin at the start of a line.
 */
export function codeFence(text: string, lang = ''): string {
  const body = breakComments(showUnseen(text)).replace(/\n$/, '');
  const fence = '`'.repeat(Math.max(3, longestRunOfBackticks(body) + 1));
  return `${fence}${lang.replace(/[^A-Za-z0-9+#_.-]/g, '')}\n${body}\n${fence}\n`;
}

/**
 * Untrusted text for a terminal: escape sequences (colours, OSC titles and links, cursor moves), carriage returns
 * and bidirectional overrides are shown instead of obeyed. Line breaks and tabs stay.
 */
export function forTerminal(text: string): string {
  return showUnseen(text);
}

/**
 * Untrusted text as a label of a Mermaid diagram, quotes included. Everything but letters, digits, spaces and `.,_-`
 * becomes one of Mermaid's entity codes (`#35;`), so that Mermaid, Markdown and HTML see no syntax. White space as in
 * {@link forMarkdown}.
 */
export function forMermaid(text: string): string {
  const line = oneLine(showUnseen(text)).trim();
  const label = line.replace(/[^\p{L}\p{M}\p{N} .,_-]/gu, (char) => `#${char.codePointAt(0)};`);
  return `"${label === '' ? ' ' : label}"`;
}

/** What HTML and SVG write for a character that has a meaning there. */
const HTML_REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Untrusted text as content or as a quoted attribute of HTML or SVG. Characters nobody sees: as {@link showUnseen}. */
export function forHtml(text: string): string {
  return showUnseen(text).replace(/[&<>"']/g, (char) => HTML_REFERENCES[char]!);
}

/**
 * The longest prefix of a text whose UTF-8 has at most `maxBytes` bytes; never half a character. GitHub's limits are in
 * bytes. Half of a surrogate pair is treated as U+FFFD: 3 bytes.
 */
export function truncateBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const room = new Uint8Array(Math.max(0, Math.min(maxBytes, text.length * 3)));
  return text.slice(0, new TextEncoder().encodeInto(text, room).read);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function prose(text: string, atStart: boolean): string {
  let safe = text.replace(GH_REFERENCE, `$1${BREAK}`).replace(/[@#]/g, `$&${BREAK}`);
  const start = atStart ? LINE_START.exec(safe)?.[0] : undefined;
  if (start === undefined) return safe.replace(INLINE_SYNTAX, characterReference);
  const last = /^\d/.test(start) ? start.length : 0;
  safe = safe.slice(last + 1).replace(INLINE_SYNTAX, characterReference);
  return start.slice(0, last) + characterReference(text.charAt(last)) + safe;
}

function characterReference(char: string): string {
  return `&#${char.codePointAt(0)};`;
}

function withoutTrailing(url: string): string {
  let end = url.length;
  while (end > 0 && AFTER_URL.test(url.charAt(end - 1))) end -= 1;
  return url.slice(0, end);
}

function breakComments(text: string): string {
  return text.replaceAll('<!--', `<${BREAK}!--`);
}

function longestRunOfBackticks(text: string): number {
  let longest = 0;
  for (const run of text.matchAll(/`+/g)) longest = Math.max(longest, run[0].length);
  return longest;
}
