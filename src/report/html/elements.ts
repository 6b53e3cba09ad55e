import { forHtml, truncateBytes } from '../../untrusted/escape.ts';
import type { Tone } from '../text.ts';
import { MOST_OF_A_VALUE } from './bounds.ts';

/** Makes untrusted text content of the page: redacted, at most 64 KiB of it, and escaped. */
export type Say = (text: string) => string;

/** @param redact removes secrets */
export function sayWith(redact: (text: string) => string): Say {
  return (text) => forHtml(truncateBytes(redact(text), MOST_OF_A_VALUE));
}

/** A part of the page with its heading. Its id is a fixed word. */
export function section(id: string, title: string, body: string): string {
  if (body === '') return '';
  return `<section id="${id}" aria-labelledby="${id}-title">\n<h2 id="${id}-title">${title}</h2>\n${body}\n</section>\n`;
}

/** Facts as terms and their values, of which the empty are left out. Values are HTML. */
export function facts(pairs: readonly (readonly [term: string, value: string])[]): string {
  const rows = pairs.filter(([, value]) => value !== '').map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`);
  return rows.length === 0 ? '' : `<dl>\n${rows.join('\n')}\n</dl>`;
}

/** A table that scrolls on narrow pages. Cells are HTML; the first of each row is its header. */
export function table(caption: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const head = heads.map((name) => `<th scope="col">${name}</th>`).join('');
  const body = rows.map(
    ([first = '', ...cells]) =>
      `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  );
  const inner = `<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table>`;
  return wide(caption, inner);
}

/** Content that scrolls sideways by itself, by keyboard, too. @param label fixed words */
export function wide(label: string, html: string): string {
  return `<div class="wide" role="region" tabindex="0" aria-label="${label}">${html}</div>`;
}

/** A long part, closed until it is asked for. Both are HTML. */
export function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n${body}\n</details>`;
}

/** A word in the colour of its meaning. */
export function toned(tone: Tone, html: string): string {
  return `<span class="${tone}">${html}</span>`;
}

/** A time for people and for programs. */
export function time(iso: string | undefined): string {
  if (iso === undefined) return '';
  const safe = forHtml(iso);
  return `<time datetime="${safe}">${safe.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`;
}
