/**
 * Characters that a terminal may interpret or hide and that `JSON.stringify` leaves unchanged: DEL, C1 controls,
 * direction marks and overrides, zero-width characters, separators, tags.
 */
const UNSEEN =
  /[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/**
 * A value as JSON text for `--json`: indented by two spaces, with a line break at the end. Nothing is lost, but
 * characters that a terminal would interpret or hide are written as `\uXXXX`, which every JSON parser decodes.
 */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replace(UNSEEN, escaped)}\n`;
}

function escaped(character: string): string {
  let result = '';
  for (let at = 0; at < character.length; at += 1)
    result += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return result;
}
