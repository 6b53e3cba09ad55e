/**
 * Invisible characters that change how text is shown: C0 and C1 controls (except tab and line feed), soft hyphen,
 * zero-width characters, bidirectional marks, overrides and isolates (CVE-2021-42574, "Trojan Source"), line and
 * paragraph separators, Hangul and Khmer fillers, interlinear annotation, tag characters and the variation selectors
 * that emoji do not use.
 */
const UNSEEN = new RegExp(
  String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]`,
  'gu',
);

/**
 * Text in which nothing is hidden: each invisible character becomes readable. C0 controls become their picture (`␛` for
 * ESC, `␀` for NUL), everything else `<U+202E>`, and half of a surrogate pair becomes U+FFFD. Tab and line feed stay;
 * CR LF becomes LF. The joiners U+200C and U+200D stay between two characters outside ASCII, where scripts and emoji
 * need them.
 */
export function showUnseen(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(UNSEEN, picture);
}

function picture(char: string, offset: number, text: string): string {
  const code = char.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  if ((code === 0x200c || code === 0x200d) && joins(text, offset)) return char;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

function joins(text: string, offset: number): boolean {
  return text.charCodeAt(offset - 1) > 0x7f && text.charCodeAt(offset + 1) > 0x7f;
}
