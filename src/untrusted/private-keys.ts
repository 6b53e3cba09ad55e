import type { TokenMatch } from './token-shapes.ts';

/**
 * Maximum distance to search for the end of a private key, in UTF-16 units; the longest real ones have about 20,000.
 */
export const MAX_KEY_LENGTH = 65_536;

/** Number of characters masked after the start of a truncated key. */
const MAX_CUT_KEY_LENGTH = 16_384;

const MARKER = /-----(BEGIN|END) ([A-Z0-9 ]{0,40})-----/g;

/** Base64, line breaks, and both in JSON escapes. */
const CUT_KEY_BODY = new RegExp(String.raw`[A-Za-z0-9+/=\s\\]{0,${MAX_CUT_KEY_LENGTH}}`, 'y');

/**
 * PEM and PGP private keys (RFC 7468), marker to marker, also where line breaks are escaped; truncated ones as far as
 * they go.
 */
export function* findPrivateKeys(text: string): Generator<TokenMatch> {
  if (!text.includes('-----BEGIN ')) return;
  const markers = [...text.matchAll(MARKER)];
  for (const [index, marker] of markers.entries()) {
    if (!beginsKey(marker)) continue;
    const next = markers[index + 1];
    const end = next?.[1] === 'END' ? next.index + next[0].length : Infinity;
    const start = marker.index;
    yield {
      name: 'private-key',
      from: start,
      start,
      end: end - start <= MAX_KEY_LENGTH ? end : endOfCutKey(text, marker),
    };
  }
}

/** Start of a key whose end may still follow in later text. `undefined`: there is none. */
export function openKeyAt(text: string): number | undefined {
  if (!text.includes('-----BEGIN ')) return undefined;
  let last: RegExpExecArray | undefined;
  for (const marker of text.matchAll(MARKER)) last = marker;
  if (last === undefined || !beginsKey(last) || text.length - last.index > MAX_KEY_LENGTH) return undefined;
  return last.index;
}

function beginsKey(marker: RegExpExecArray): boolean {
  return marker[1] === 'BEGIN' && marker[2]!.includes('PRIVATE KEY');
}

function endOfCutKey(text: string, marker: RegExpExecArray): number {
  CUT_KEY_BODY.lastIndex = marker.index + marker[0].length;
  const body = CUT_KEY_BODY.exec(text)![0];
  return marker.index + marker[0].length + body.trimEnd().length;
}
