import { isJsonObject, type JsonValue } from '../json/json.ts';

/** A value for a message: a string quoted and cut, of lists and objects the size. */
export function valueText(value: JsonValue, limit = 60): string {
  if (typeof value === 'string') return JSON.stringify(cutText(value, limit));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? 'an empty object' : 'an object';
  return String(value);
}

/** `a`, `a or b`, `a, b or c`; items beyond `most` are counted. */
export function listText(items: readonly string[], word: 'and' | 'or', most = 8): string {
  const shown = items.length > most ? [...items.slice(0, most), `${items.length - most} more`] : items;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} ${word} ${shown.at(-1)}`;
}

/** At most `limit` UTF-16 units, cut between characters. */
export function cutText(text: string, limit: number): string {
  const cut = text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
  return cut.toWellFormed();
}

/** `1 item`, `2 items`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
