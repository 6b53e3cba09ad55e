import { showUnseen } from './visible.ts';

/** U+200B. GitHub links mentions and references after Markdown, where no escape helps; this stops it. */
const BREAK = '\u200b';
const INLINE_SYNTAX = /[\\`*_[\]<>&$~|]/g;
/** Headings, lists, quotes, rules, underlines of headings, rows of tables. */
const LINE_START = /^(?:[#+\-=:]|\d{1,9}(?=[.)]))/;
/** A URL of any scheme, or one without that GitHub links. */
const URL_LIKE = /(?:[a-z][a-z0-9+.-]{0,31}:\/\/|www\.)[^\s<>`|"]+/gi;
/** Belongs to the sentence rather than to the URL before it. */
const AFTER_URL = /(?<![.,;:!?'()[\]*_~])[.,;:!?'()[\]*_~]+$/;

/**
 * Untrusted text as one line of GitHub Flavored Markdown that shows exactly that text and has no effect: no mention,
 * reference, closing keyword, link, image, HTML, comment, emphasis, math, heading or list. Safe at the start of a line, in
 * a list item, in a heading and in a table cell. White space is joined, and URLs become code. Commit ids stay: GitHub
 * links only those that exist, and notifies nobody.
 */
export function forMarkdown(text: string): string {
  const line = showUnseen(text).replace(/\s+/g, ' ').trim();
  let result = '';
  let from = 0;
  for (const { 0: match, index } of line.matchAll(URL_LIKE)) {
    const url = match.replace(AFTER_URL, '');
    if (url.length < 5) continue;
    result += proseMarkdown(line.slice(from, index), from === 0) + inlineCode(url);
    from = index + url.length;
  }
  return result + proseMarkdown(line.slice(from), from === 0);
}

/** Character references (`&#42;`) cannot become syntax again. */
function proseMarkdown(text: string, isLineStart: boolean): string {
  const reference = (char: string): string => `&#${char.codePointAt(0)};`;
  const inert = text.replace(/\bGH-(?=\d)|[@#]/gi, `$&${BREAK}`);
  const start = isLineStart ? (LINE_START.exec(inert)?.[0] ?? '') : '';
  // Of `12.` the dot is escaped, of `#` the sign itself.
  const head = /^\d/.test(start) ? start.length + 1 : start.length;
  const marker = head === 0 ? '' : inert.slice(0, head - 1) + reference(inert.charAt(head - 1));
  return marker + inert.slice(head).replace(INLINE_SYNTAX, reference);
}

/**
 * Untrusted text as a code span, in which GitHub activates nothing; on one line. U+200B in `<!--` keeps a forged marker
 * from being found in the source. Empty text gives an empty string. In a table use {@link inlineCodeCell}.
 */
export function inlineCode(text: string): string {
  const line = breakComments(showUnseen(text).replaceAll('\n', ' '));
  if (line === '') return '';
  const delimiter = '`'.repeat(longestBackticks(line) + 1);
  const pad = /^[` ]|[` ]$/.test(line) && line.trim() !== '' ? ' ' : '';
  return `${delimiter}${pad}${line}${pad}${delimiter}`;
}

/** {@link inlineCode} for a table cell, where `|` is escaped even in code, and `\|` cannot be shown. */
export function inlineCodeCell(text: string): string {
  return inlineCode(text.replaceAll('\t', ' ')).replaceAll('\\|', `\\${BREAK}|`).replaceAll('|', '\\|');
}

/** Untrusted text as a fenced code block, to be put at the start of a line; it ends with a line break. */
export function codeFence(text: string, lang = ''): string {
  const body = breakComments(showUnseen(text)).replace(/\n$/, '');
  const fence = '`'.repeat(Math.max(3, longestBackticks(body) + 1));
  return `${fence}${lang.replace(/[^A-Za-z0-9+#_.-]/g, '')}\n${body}\n${fence}\n`;
}

/** Untrusted text for a terminal: control sequences, carriage returns and overrides are shown, not obeyed. */
export function forTerminal(text: string): string {
  return showUnseen(text);
}

const HTML_REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Untrusted text as content or as a quoted attribute of HTML or SVG. */
export function forHtml(text: string): string {
  return showUnseen(text).replace(/[&<>"']/g, (char) => HTML_REFERENCES[char]!);
}

/** The message of a workflow command (`::error::…`), as `@actions/core` escapes it. */
export function forCommandMessage(text: string): string {
  return showUnseen(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** A property of a workflow command (`file=…`). */
export function forCommandProperty(text: string): string {
  return forCommandMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Any text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The longest prefix of at most `maxBytes` bytes of UTF-8, in whole characters: GitHub's limits are in bytes. */
export function truncateBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const room = new Uint8Array(Math.max(0, Math.min(maxBytes, text.length * 3)));
  return text.slice(0, new TextEncoder().encodeInto(text, room).read);
}

function breakComments(text: string): string {
  return text.replaceAll('<!--', `<${BREAK}!--`);
}

function longestBackticks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
