import { isJsonObject, type JsonValue } from '../json/json.ts';

/** A value for a message: texts quoted and cut at `limit` characters; for lists and objects, their size. */
export function shortValue(value: JsonValue, limit = 60): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, limit));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? 'an empty object' : 'an object';
  return String(value);
}

/** A value from a rule: as JSON, cut. */
export function ruleValue(value: JsonValue, limit = 60): string {
  return cut(JSON.stringify(value), limit);
}

/** `a`, `a or b`, `a, b or c`; items beyond `most` are counted. */
export function listed(items: readonly string[], word: 'and' | 'or', most = 8): string {
  const shown = items.length > most ? [...items.slice(0, most), `${items.length - most} more`] : items;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} ${word} ${shown.at(-1)}`;
}

/** Text of at most `limit` UTF-16 units, cut between characters. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  return `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`.toWellFormed();
}

/** `1 item`, `2 items`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
