import { forMarkdown, forMarkdownCell, inlineCode, inlineCodeCell, truncateBytes } from '../../untrusted/escape.ts';

/** Maximum bytes of a quoted text, before it is escaped. */
const QUOTED = 1_500;

/** Maximum bytes of a name, path or pointer, before it is escaped. */
const NAMED = 300;

/** Longer addresses are not linked. */
const LONGEST_ADDRESS = 2_048;

/** Untrusted text as one line of escaped Markdown; `…` marks a cut. */
export function said(untrusted: string, maxBytes = QUOTED): string {
  return forMarkdown(cut(untrusted, maxBytes));
}

/** {@link said} for a table cell. */
export function saidInCell(untrusted: string, maxBytes = QUOTED): string {
  return forMarkdownCell(cut(untrusted, maxBytes));
}

/**
 * Untrusted text as a code span; `…` marks a cut. GitHub's runner executes `##[command]` anywhere in a line, so a space
 * is inserted.
 */
export function code(untrusted: string, maxBytes = NAMED): string {
  return inlineCode(spaced(untrusted, maxBytes));
}

/** {@link code} for a table cell. */
export function codeCell(untrusted: string, maxBytes = NAMED): string {
  return inlineCodeCell(spaced(untrusted, maxBytes));
}

/**
 * A link, or only its text if the address may not be linked (see {@link webAddress}).
 * @param label safe Markdown without links
 */
export function linkTo(label: string, address: string | undefined): string {
  const url = webAddress(address);
  return url === undefined ? label : `[${label}](${url})`;
}

/**
 * An address as the destination of a Markdown link: https only, without user and password; `undefined` for any other.
 */
export function webAddress(address: string | undefined): string | undefined {
  if (address === undefined || address.length > LONGEST_ADDRESS || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  return url.href.replace(/[^A-Za-z0-9\-._~:/?#@=%+,;&]/g, percentEncoded).replaceAll('&', '&amp;');
}

/**
 * The address of a file's line below a base such as `https://github.com/o/r/blob/<sha>/`; `undefined` without a base.
 */
export function fileAddress(base: string | undefined, file: string, line?: number): string | undefined {
  if (base === undefined) return undefined;
  const path = file.toWellFormed().split('/').map(encodeURIComponent).join('/');
  return `${base.replace(/\/*$/, '/')}${path}${line === undefined ? '' : `#L${line}`}`;
}

/** A table row. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The first two lines of a table. A heading that ends in `:` is aligned to the right, without the colon. */
export function tableHead(headings: readonly string[]): string {
  const right = headings.map((heading) => heading.endsWith(':'));
  const names = headings.map((heading, at) => (right[at] ? heading.slice(0, -1) : heading));
  return `${row(names)}\n${row(right.map((isRight) => (isRight ? '---:' : '---')))}`;
}

function spaced(untrusted: string, maxBytes: number): string {
  return cut(untrusted, maxBytes).replaceAll('\t', ' ').replaceAll('##[', '## [');
}

function percentEncoded(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

function cut(text: string, maxBytes: number): string {
  const short = truncateBytes(text, maxBytes);
  return short.length < text.length ? `${short}…` : short;
}
