import { showUnseen } from '../json/visible.ts';

/**
 * Rows as CSV (RFC 4180, lines end with `\r\n`), the names of the columns first. Values are texts,
 * numbers, truth values and lists of texts. Texts are untrusted: one that a
 * spreadsheet would take for a formula gets an apostrophe before it, and control characters are shown.
 */
export function* csvLines(columns: readonly string[], rows: Iterable<object>): Generator<string> {
  yield `${columns.join(',')}\r\n`;
  for (const row of rows) {
    const values = new Map<string, unknown>(Object.entries(row));
    yield `${columns.map((name) => cell(values.get(name))).join(',')}\r\n`;
  }
}

/** How formulas begin in spreadsheets; some programs skip white space before them, and take the wide forms. */
const FORMULA = /^\s*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]/;

function cell(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = showUnseen(Array.isArray(value) ? value.join(' ') : (value as string)).replace(/\s+/g, ' ');
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
