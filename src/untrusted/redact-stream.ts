import type { SecretMatch } from './tokens.ts';

/** Redacts text that arrives in pieces. */
export interface RedactedStream {
  /** @returns the text that is safe to show by now: usually all whole lines */
  push(piece: string): string;
  /** @returns the rest */
  end(): string;
}

/** A line or a private key is held back up to this length. */
const MAX_BUFFER = 96 * 1024;
/** In a longer line, a token of up to this length is not cut. */
const MAX_TOKEN = 16 * 1024;

/**
 * A stream that never lets part of a secret through, however it is split: text is held back to the end of its line, a
 * private key to its end.
 */
export function createRedactedStream(
  redact: (text: string) => string,
  find: (text: string) => readonly SecretMatch[],
): RedactedStream {
  let buffer = '';
  const release = (length: number): string => {
    const text = redact(buffer.slice(0, length));
    buffer = buffer.slice(length);
    return text;
  };
  return {
    push(piece) {
      buffer += piece;
      const lines = endOfLines(buffer);
      const end = endOfLines(buffer.slice(0, findOpenKey(buffer.slice(0, lines)) ?? lines));
      if (buffer.length - end <= MAX_BUFFER) return release(end);
      const limit = buffer.length - MAX_TOKEN;
      const cutSecret = find(buffer).find((match) => match.start < limit && limit < match.end);
      return release(cutSecret?.start || limit);
    },
    end: () => release(buffer.length),
  };
}

function endOfLines(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
}

/** The offset of a private key whose end has not arrived yet. */
function findOpenKey(text: string): number | undefined {
  const begin = text.lastIndexOf('-----BEGIN ');
  if (begin < 0 || !/^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(text.slice(begin, begin + 80))) return undefined;
  return /-----END [A-Z0-9 ]{1,60}-----/.test(text.slice(begin)) ? undefined : begin;
}
