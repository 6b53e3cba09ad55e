import type { SecretMatch } from './tokens.ts';

/** Redaction of text that comes in pieces. */
export interface RedactedStream {
  /** Takes the next piece. @returns the text that is safe to show: usually all whole lines */
  push(piece: string): string;
  /** The rest. */
  end(): string;
}

/** A line, or a private key, is held back up to this length. */
const MAX_HELD = 96 * 1024;
/** A token of up to this length is not cut in a longer line. */
const MAX_TOKEN = 16 * 1024;

/**
 * A stream that never lets part of a secret through, however it is split: text is held back to the end of its line, a
 * private key to its end.
 */
export function createRedactedStream(
  redact: (text: string) => string,
  find: (text: string) => readonly SecretMatch[],
): RedactedStream {
  let held = '';
  const release = (length: number): string => {
    const text = redact(held.slice(0, length));
    held = held.slice(length);
    return text;
  };
  return {
    push(piece) {
      held += piece;
      const lines = lineEnd(held);
      const end = lineEnd(held.slice(0, openKeyAt(held.slice(0, lines)) ?? lines));
      if (held.length - end <= MAX_HELD) return release(end);
      const limit = held.length - MAX_TOKEN;
      const across = find(held).find((match) => match.start < limit && limit < match.end);
      return release(across?.start || limit);
    },
    end: () => release(held.length),
  };
}

function lineEnd(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
}

/** Where a private key begins whose end has not come yet. */
function openKeyAt(text: string): number | undefined {
  const begin = text.lastIndexOf('-----BEGIN ');
  if (begin < 0 || !/^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(text.slice(begin, begin + 80))) return undefined;
  return /-----END [A-Z0-9 ]{1,60}-----/.test(text.slice(begin)) ? undefined : begin;
}
