import type { JsonValue } from '../json/json.ts';

/**
 * The value of a text from a command line: `true`, `false`, `null` or a number only if that is exactly how JSON prints
 * it. So `1.10`, `007`, `1e3` and `1234e05` stay texts: versions and ids lose no characters.
 */
export function readScalar(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}
