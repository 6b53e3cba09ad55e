import type { UnitKey } from '../../pipeline/pipeline.ts';
import { forHtml } from '../../untrusted/escape.ts';
import { cut } from '../markdown.ts';
import { STATUS_TONES, type Status } from '../unit-texts.ts';

/** At most this many bytes of a text, before it is escaped: reasons and messages have at most 4,096 characters. */
const MAX_TEXT = 4_096;
/** At most this many rows of a table; the table of gates has all. */
const MAX_ROWS = 200;

/** Escapes untrusted text; `…` marks a cut. */
export function escapeText(text = '', maxBytes = MAX_TEXT): string {
  return forHtml(cut(text, maxBytes));
}

/** {@link escapeText}, with text between backticks as code. */
export function escapeSentence(text?: string, maxBytes?: number): string {
  return escapeText(text, maxBytes).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** Parts of HTML, a line each, without empty ones. */
export function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

/** Terms and their values, which are HTML; the empty ones are left out. */
export function facts(style: 'facts' | 'figures', values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).filter(([, html]) => html !== '');
  const rows = pairs.map(([term, html]) => `<div><dt>${term}</dt><dd>${html}</dd></div>`);
  return rows.length === 0 ? '' : `<dl class="${style}">${rows.join('')}</dl>`;
}

/** Columns that are aligned to the right, and wide columns. */
const NUMBERS = /^(?:Score|Time|Cost|Tokens|Saved|Passed|Exit code)$/;
const TEXTS = /^(?:Message|Why|Reason|By|Task or failure)$/;

/**
 * Rows as a table; the first column names the row. Columns without texts and tables without rows are left out.
 * @param columns the HTML of a cell, by the head of its column
 */
export function table<Row>(
  caption: string,
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
  maxRows = MAX_ROWS,
): string {
  if (rows.length === 0) return '';
  const shown = rows.slice(0, maxRows);
  const filled = Object.entries(columns)
    .map(([head, cell]) => ({ head, cells: shown.map(cell) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
    .map((column) => ({ ...column, style: styleOf(column.head) }));
  const heads = filled.map(({ head, style }) => `<th scope="col"${style}>${head}</th>`).join('');
  const body = shown.map((_, row) => {
    const [first, ...rest] = filled.map(({ cells, style }) => `${style}>${cells[row]}`);
    return `<tr><th scope="row"${first}</th>${rest.map((cell) => `<td${cell}</td>`).join('')}</tr>`;
  });
  const more = rows.length > maxRows ? `\n<p class="note">… and ${rows.length - maxRows} more.</p>` : '';
  const html = `<table><caption>${caption}</caption>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody></table>`;
  return scrollable(caption, html) + more;
}

const styleOf = (head: string) => (NUMBERS.test(head) ? ' class="number"' : TEXTS.test(head) ? ' class="text"' : '');

/** Content that scrolls sideways on its own, also by keyboard, so that the page does not. */
export function scrollable(label: string, html: string): string {
  return `<div class="wide" role="group" tabindex="0" aria-label="${label}">${html}</div>`;
}

/** Content that is closed until a reader opens it; printed, it is open. */
export function details(summary: string, body: string): string {
  return body === '' ? '' : `<details><summary>${summary}</summary>\n${body}\n</details>`;
}

/** A status as word, shape and colour. */
export function statusMark(status: Status): string {
  return `<span class="status ${STATUS_TONES[status]}">${statusShape(status)}${status}</span>`;
}

export function statusShape(status: Status, attributes = ''): string {
  return `<svg class="shape" aria-hidden="true"${attributes}><use href="#shape-${status}"/></svg>`;
}

/** Ids of the elements of units, for links. */
export type Links = ReadonlyMap<UnitKey, string>;

/** The key of a unit as a link to its element. */
export function unitLink(links: Links, key: UnitKey): string {
  const id = links.get(key);
  return id === undefined ? escapeText(key) : `<a href="#${id}">${escapeText(key)}</a>`;
}

/** `2026-11-05 14:02 UTC` as a time element. */
export function time(iso: string | undefined): string {
  if (iso === undefined) return '';
  const text = escapeText(iso);
  return `<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
