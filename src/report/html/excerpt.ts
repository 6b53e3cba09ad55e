import { truncateBytes } from '../../untrusted/escape.ts';
import { formatBytes } from '../amounts.ts';

/** An excerpt of a value of a unit: redacted, not escaped. */
export interface Excerpt {
  /** `output`, `request`, `stdout`, … */
  readonly name: string;
  readonly text: string;
  /** How much is left out, and which command prints it; undefined: nothing is. */
  readonly note?: string;
}

/** Bytes of all excerpts of a page together, and limits of one. */
const [MAX_PAGE, MAX_EXCERPT, MIN_EXCERPT] = [2 * 1_024 ** 2, 64 * 1_024, 1_024];

/** Bytes of an excerpt by the number of excerpts: a page of 1,000 gates must stay readable. */
export function excerptSize(values: number): number {
  return Math.max(MIN_EXCERPT, Math.min(MAX_EXCERPT, Math.floor(MAX_PAGE / Math.max(1, values))));
}

/** Creates an excerpt: the start of a value, or the end of a log, where failures are. @param command prints all of it */
export function createExcerpt(name: string, text: string, maxBytes: number, command?: string): Excerpt {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { name, text };
  const isLog = name === 'stdout' || name === 'stderr';
  const part = isLog ? Buffer.from(text).subarray(-maxBytes).toString() : truncateBytes(text, maxBytes);
  // The cut may have split a character.
  const shown = part.replace(/^\ufffd+/, '');
  const size = formatBytes(Buffer.byteLength(shown));
  const rest = command === undefined ? '' : `: \`${command}\` prints all`;
  return { name, text: shown, note: `The ${isLog ? 'last' : 'first'} ${size} of ${formatBytes(bytes)}${rest}` };
}
