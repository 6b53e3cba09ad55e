import { truncateBytes } from '../../untrusted/escape.ts';
import { formatBytes } from '../amounts.ts';

/** A value of a unit as far as a page shows it: redacted, not escaped. */
export interface Excerpt {
  /** `output`, `request`, `stdout`, … */
  readonly name: string;
  readonly text: string;
  /** What is left out, and where it is; undefined: nothing. */
  readonly note?: string;
}

/** Bytes of all excerpts of a page, of the largest and of the smallest. */
const [MAX_PAGE, MAX_EXCERPT, MIN_EXCERPT] = [2 * 1_024 ** 2, 64 * 1_024, 1_024];

/** Bytes that a page shows of one value, by the number of values: a page of 1,000 gates must stay readable. */
export function excerptSize(values: number): number {
  return Math.max(MIN_EXCERPT, Math.min(MAX_EXCERPT, Math.floor(MAX_PAGE / Math.max(1, values))));
}

/** The start of a value; the end of a log, where the reason for a failure mostly is. @param command prints all of it */
export function createExcerpt(name: string, text: string, maxBytes: number, command?: string): Excerpt {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { name, text };
  const isLog = name === 'stdout' || name === 'stderr';
  const part = isLog ? Buffer.from(text).subarray(-maxBytes).toString() : truncateBytes(text, maxBytes);
  // The first character of the end may be cut in two.
  const shown = part.replace(/^\ufffd+/, '');
  const size = formatBytes(Buffer.byteLength(shown));
  const rest = command === undefined ? '' : `: \`${command}\` prints all`;
  return { name, text: shown, note: `The ${isLog ? 'last' : 'first'} ${size} of ${formatBytes(bytes)}${rest}` };
}
