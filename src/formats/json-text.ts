/** Half of a surrogate pair, as `JSON.stringify` writes it; also a backslash before such letters, which is harmless. */
const LONE_SURROGATE = /\\ud[89a-f]/;

/**
 * JSON as other systems read it. Texts of records may be cut inside a character: many readers, ours among them, refuse
 * half of one, so U+FFFD is written.
 */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent);
  return LONE_SURROGATE.test(text) ? JSON.stringify(value, wellFormed, indent) : text;
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
