import { findPrivateKeys, MAX_KEY_LENGTH, openKeyAt } from './private-keys.ts';
import type { TokenMatch } from './token-shapes.ts';

/** Redaction of text that comes in pieces. */
export interface RedactedStream {
  /** Takes the next piece and returns the text that is safe to show already: usually all complete lines. */
  readonly push: (piece: string) => string;
  /** The rest; the stream can be used again afterwards. */
  readonly flush: () => string;
}

/** A stream's data from its redactor. */
interface StreamRules {
  readonly redactText: (text: string) => string;
  readonly find: (text: string) => TokenMatch[];
  /** Forms of secrets that contain line breaks. */
  readonly multiline: readonly string[];
  /** Length of the longest form. */
  readonly longest: number;
}

/** A token up to this length is never cut. */
const LONGEST_TOKEN = 16_384;

/** Possible continuation of a token that was longer than the stream's buffer. */
const TOKEN_REST = /^[A-Za-z0-9_.+/=%-]+/;

/**
 * A stream that never outputs part of a secret, however it is split: text is held back to the end of its line, in a
 * secret of several lines or a private key to the end of that, and in a line of more than 96 KiB far enough that no
 * secret is cut. Holds a bounded amount of text. For lines below that limit, the joined pieces equal `redactText` of
 * the whole.
 */
export function createRedactedStream(rules: StreamRules): RedactedStream {
  const hold = Math.max(LONGEST_TOKEN, rules.longest);
  const limit = MAX_KEY_LENGTH + 2 * hold;
  let pending = '';
  let insideToken = false;

  const take = (count: number): string => {
    const ready = pending.slice(0, count);
    pending = pending.slice(count);
    return rules.redactText(ready);
  };
  const push = (piece: string): string => {
    let fresh = piece;
    if (insideToken) {
      fresh = piece.replace(TOKEN_REST, '');
      insideToken = fresh === '';
    }
    pending += fresh;
    let shown = /[\r\n]/.test(fresh) ? take(endOfLines(pending, rules.multiline)) : '';
    while (pending.length > limit) {
      const cut = cutInLine(pending, pending.length - hold, rules.find);
      if (cut > 0) {
        shown += take(cut);
      } else {
        shown += '***';
        pending = '';
        insideToken = true;
      }
    }
    return shown;
  };
  const flush = (): string => {
    insideToken = false;
    return take(pending.length);
  };
  return { push, flush };
}

/** End of the last line before which no multi-line secret is open. */
function endOfLines(text: string, multiline: readonly string[]): number {
  const keys = [...findPrivateKeys(text)].toReversed();
  let cut = lineEnd(text, openKeyAt(text) ?? text.length);
  for (let before = -1; before !== cut;) {
    before = cut;
    for (const { start, end } of keys) {
      if (start < cut && cut < end) cut = lineEnd(text, start);
    }
    for (const form of multiline) cut = lineEnd(text, cut - openPart(text, cut, form));
  }
  return cut;
}

function lineEnd(text: string, upTo: number): number {
  if (upTo <= 0) return 0;
  return Math.max(text.lastIndexOf('\n', upTo - 1), text.lastIndexOf('\r', upTo - 1)) + 1;
}

/**
 * Number of characters before `cut` that begin a form, including its line breaks, which continues after it, as far as
 * text is available; 0 for none.
 */
function openPart(text: string, cut: number, form: string): number {
  for (let length = Math.min(form.length - 1, cut); length > 0; length -= 1) {
    const ends = form[length - 1] === '\n' || form[length - 1] === '\r';
    const start = cut - length;
    if (ends && text.startsWith(form.slice(0, text.length - start), start)) return length;
  }
  return 0;
}

/** The last position up to `wish` that is neither in a secret nor in its identifying context. */
function cutInLine(text: string, wish: number, find: (text: string) => TokenMatch[]): number {
  let cut = Math.min(wish, openKeyAt(text) ?? wish);
  const findings = find(text).sort((a, b) => b.end - a.end);
  for (let before = -1; before !== cut;) {
    before = cut;
    for (const { from, end } of findings) {
      if (from < cut && cut < end) cut = from;
    }
  }
  const low = text.charCodeAt(cut);
  return low >= 0xdc00 && low <= 0xdfff && cut > 0 ? cut - 1 : cut;
}
