import { Buffer } from 'node:buffer';
import { truncateBytes } from '../../untrusted/escape.ts';

/** Bytes that are shown of one value. */
export const MOST_OF_A_VALUE = 64 * 1_024;
/** Lines that are shown of one log: its last. */
export const MOST_LINES = 200;
/** Bytes of one page. */
export const MOST_OF_A_PAGE = 20 * 1_000_000;
/** Bytes of a page that what comes after the gates, and the lines about what was left out, may take. */
const KEPT_FREE = 2_000_000;

/** A text within its bounds; `left` says in words what is not there. */
export interface Bounded {
  readonly text: string;
  readonly left: string | undefined;
}

/** The beginning of a value. */
export function boundedValue(text: string): Bounded {
  const cut = truncateBytes(text, MOST_OF_A_VALUE);
  return { text: cut, left: cut.length === text.length ? undefined : 'Only the first 64 KiB are shown.' };
}

/** The end of a log: the reason for a failure is mostly there. */
export function boundedLog(text: string): Bounded {
  const lines = text.replace(/\n$/, '').split('\n');
  const tail = lines.slice(-MOST_LINES).join('\n');
  const bytes = Buffer.from(tail);
  // Half a character at the cut becomes U+FFFD.
  const cut = bytes.length <= MOST_OF_A_VALUE ? tail : bytes.subarray(-MOST_OF_A_VALUE).toString();
  if (cut !== tail) return { text: cut, left: 'Only the last 64 KiB are shown.' };
  return { text: tail, left: lines.length > MOST_LINES ? `Only the last ${MOST_LINES} lines are shown.` : undefined };
}

/** The bytes of a page that are left. */
export class Room {
  #left: number;

  /** @param most bytes of the page */
  constructor(most = MOST_OF_A_PAGE) {
    this.#left = most - Math.min(KEPT_FREE, most / 2);
  }

  /** Takes the bytes of a text, if there are so many. */
  take(html: string): boolean {
    const bytes = Buffer.byteLength(html);
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}
