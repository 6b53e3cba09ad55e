import { isJsonObject, type JsonValue } from '../json/json.ts';

/** A value for a message: a string quoted and cut, a list by its length, an object as such. */
export function valueText(value: JsonValue, limit = 60): string {
  if (typeof value === 'string') return JSON.stringify(cutText(value, limit));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? 'an empty object' : 'an object';
  return String(value);
}

/** `a`, `a or b`, `a, b or c`, `a, b and 4 more`. @param most further names are only counted */
export function listNames(names: readonly string[], most = 3, word: 'and' | 'or' = 'and'): string {
  const shown = names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} ${word} ${shown.at(-1)}`;
}

/** At most `limit` UTF-16 code units, cut between characters. */
export function cutText(text: string, limit: number): string {
  const cut = text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
  return cut.toWellFormed();
}

/** `1 gate`, `1,200 gates`. */
export function countOf(count: number, noun: string): string {
  return `${groupDigits(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1,200.5`. Not by `Intl`, which takes longer than all the rest of a table. */
export function groupDigits(number: number, decimals = 0): string {
  const [whole, fraction] = number.toFixed(decimals).split('.');
  const groups = whole!.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}
