/**
 * Invisible characters that change how text is shown: C0 and C1 controls (except tab and line feed), soft hyphen,
 * zero-width characters, bidirectional marks, overrides and isolates (CVE-2021-42574, "Trojan Source"), line and
 * paragraph separators, Hangul and Khmer fillers, interlinear annotation, tag characters and the variation selectors
 * that emoji do not use.
 */
const INVISIBLE = new RegExp(
  String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]`,
  'gu',
);

/** Breaks mentions and references, which GitHub links after Markdown, where no escape helps. */
const ZERO_WIDTH_SPACE = '\u200b';
const INLINE_SYNTAX = /[\\`*_[\]<>&$~|]/g;
/** Headings, lists, quotes, rules, underlines of headings, rows of tables. */
const LINE_START = /^(?:[#+\-=:]|\d{1,9}(?=[.)]))/;
/** A URL of any scheme, or one that begins with `www.`, which GitHub links too. */
const URL_LIKE = /(?:[a-z][a-z0-9+.-]{0,31}:\/\/|www\.)[^\s<>`|"]+/gi;
/** Belongs to the sentence rather than to the URL before it. */
const TRAILING_PUNCTUATION = /(?<![.,;:!?'()[\]*_~])[.,;:!?'()[\]*_~]+$/;

/**
 * Untrusted text as one line of GitHub Flavored Markdown that shows exactly that text and has no effect: no mention,
 * reference, closing keyword, link, image, HTML, comment, emphasis, math, heading or list. Safe at the start of a line, in
 * a list item, in a heading and in a table cell. White space is joined, and URLs become code. Commit ids stay: GitHub
 * links only those that exist, and notifies nobody.
 */
export function forMarkdown(text: string): string {
  const line = showInvisible(text).replace(/\s+/g, ' ').trim();
  let result = '';
  let from = 0;
  for (const { 0: match, index } of line.matchAll(URL_LIKE)) {
    const url = match.replace(TRAILING_PUNCTUATION, '');
    if (url.length < 5) continue;
    result += escapeProse(line.slice(from, index), from === 0) + inlineCode(url);
    from = index + url.length;
  }
  return result + escapeProse(line.slice(from), from === 0);
}

/** Escapes by character references (`&#42;`), which cannot become syntax again. */
function escapeProse(text: string, isLineStart: boolean): string {
  const reference = (char: string): string => `&#${char.codePointAt(0)};`;
  const inert = text.replace(/\bGH-(?=\d)|[@#]/gi, `$&${ZERO_WIDTH_SPACE}`);
  const start = isLineStart ? (LINE_START.exec(inert)?.[0] ?? '') : '';
  // Of `12.` the dot is escaped, of `#` the sign itself.
  const head = /^\d/.test(start) ? start.length + 1 : start.length;
  const marker = head === 0 ? '' : inert.slice(0, head - 1) + reference(inert.charAt(head - 1));
  return marker + inert.slice(head).replace(INLINE_SYNTAX, reference);
}

/**
 * Untrusted text as a code span on one line, in which GitHub activates nothing. U+200B in `<!--` keeps a forged marker
 * from being found in the source. Empty text gives an empty string. In a table use {@link inlineCodeCell}.
 */
export function inlineCode(text: string): string {
  const line = breakComments(showInvisible(text).replaceAll('\n', ' '));
  if (line === '') return '';
  const delimiter = '`'.repeat(longestBackticks(line) + 1);
  const pad = /^[` ]|[` ]$/.test(line) && line.trim() !== '' ? ' ' : '';
  return `${delimiter}${pad}${line}${pad}${delimiter}`;
}

/** {@link inlineCode} for a table cell, where `|` is escaped even in code, and `\|` cannot be shown. */
export function inlineCodeCell(text: string): string {
  return inlineCode(text.replaceAll('\t', ' ')).replaceAll('\\|', `\\${ZERO_WIDTH_SPACE}|`).replaceAll('|', '\\|');
}

/** Untrusted text as a fenced code block, to be put at the start of a line; it ends with a line break. */
export function codeFence(text: string, lang = ''): string {
  const body = breakComments(showInvisible(text)).replace(/\n$/, '');
  const fence = '`'.repeat(Math.max(3, longestBackticks(body) + 1));
  return `${fence}${lang.replace(/[^A-Za-z0-9+#_.-]/g, '')}\n${body}\n${fence}\n`;
}

/** Untrusted text for a terminal: control sequences, carriage returns and overrides are shown, not obeyed. */
export function forTerminal(text: string): string {
  return showInvisible(text);
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
  return showInvisible(text).replace(/[&<>"']/g, (char) => HTML_REFERENCES[char]!);
}

/** The message of a workflow command (`::error::…`), as `@actions/core` escapes it. */
export function forCommandMessage(text: string): string {
  return showInvisible(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
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
  const room = new Uint8Array(Math.max(0, Math.min(maxBytes, text.length * 3)));
  return text.slice(0, new TextEncoder().encodeInto(text, room).read);
}

function breakComments(text: string): string {
  return text.replaceAll('<!--', `<${ZERO_WIDTH_SPACE}!--`);
}

function longestBackticks(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/**
 * Text in which nothing is hidden: each invisible character becomes readable. C0 controls become their picture (`␛` for
 * ESC, `␀` for NUL), everything else `<U+202E>`, and half of a surrogate pair becomes U+FFFD. Tab and line feed stay;
 * CR LF becomes LF. The joiners U+200C and U+200D stay between two characters outside ASCII, where scripts and emoji
 * need them.
 */
function showInvisible(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(INVISIBLE, visibleForm);
}

function visibleForm(char: string, offset: number, text: string): string {
  const code = char.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  if ((code === 0x200c || code === 0x200d) && isJoiner(text, offset)) return char;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

function isJoiner(text: string, offset: number): boolean {
  return text.charCodeAt(offset - 1) > 0x7f && text.charCodeAt(offset + 1) > 0x7f;
}
