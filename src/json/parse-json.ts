import { messageOf } from '../errors.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { pointerOf } from './pointer.ts';

/** A parsed document, or why there is none. `missing`: only white space. */
export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue; readonly notices: readonly JsonNotice[] }
  | ({ readonly ok: false; readonly kind: 'missing' | 'malformed' | 'too-large' } & JsonProblem);

/** A remark about a document that could be read. */
interface JsonNotice {
  readonly message: string;
  readonly pointer?: string;
}

interface JsonProblem {
  /** What is wrong and where. Quotes at most one character of the document, which may hold secrets. */
  readonly message: string;
  readonly pointer?: string;
  /** What to do: one sentence to the author of the document. */
  readonly advice: string;
}

/** Bytes: default 256 MiB. Nesting of objects and lists: default 200. Values: default a million. */
export interface JsonLimits {
  readonly maxBytes?: number;
  readonly maxDepth?: number;
  readonly maxValues?: number;
}

const ADVICE = 'Write one JSON value (RFC 8259) in UTF-8, and nothing around it.';
const BARE_ADVICE = 'Write the bare JSON value, or set `extract: json` to take it out of the text around it.';
/** Notices about numbers that lose digits; further ones are only counted. */
const MAX_NOTICES = 5;

/** Reads untrusted JSON. Never throws and never repairs. Keys are data, `__proto__` too: use `Object.hasOwn`. */
export function parseJson(bytes: Uint8Array, limits: JsonLimits = {}): ParsedJson {
  const { maxBytes = 256 * 1024 * 1024, maxDepth = 200, maxValues = 1_000_000 } = limits;
  if (bytes.length > maxBytes) {
    const message = `the document has ${bytes.length.toLocaleString('en')} bytes, more than ${maxBytes.toLocaleString('en')}`;
    return { ok: false, kind: 'too-large', message, advice: 'Put large data into files that the gate hands on.' };
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, kind: 'malformed', ...explainEncoding(bytes) };
  if (text.trim() === '') return { ok: false, kind: 'missing', message: 'the document is empty', advice: ADVICE };
  const { depth, values } = measure(bytes, maxDepth);
  if (depth > maxDepth) {
    const message = `objects and lists are nested more than ${maxDepth} deep`;
    return { ok: false, kind: 'too-large', message, advice: `Nest at most ${maxDepth} deep.` };
  }
  if (values > maxValues) {
    const message = `the document has more than ${maxValues.toLocaleString('en')} values`;
    return { ok: false, kind: 'too-large', message, advice: 'Put large data into files that the gate hands on.' };
  }
  try {
    return checkNumbers(JSON.parse(text) as JsonValue);
  } catch (error) {
    return { ok: false, kind: 'malformed', ...explainSyntaxError(text, messageOf(error)) };
  }
}

/** The text; undefined if the bytes are not UTF-8. A byte order mark is skipped. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function explainEncoding(bytes: Uint8Array): JsonProblem {
  if (/^(?:255,254|254,255)$/.test(bytes.subarray(0, 2).join())) {
    const advice = 'Write UTF-8; in Windows PowerShell use `Out-File -Encoding utf8` instead of `>`.';
    return { message: 'the document is UTF-16, not UTF-8', advice };
  }
  const text = new TextDecoder().decode(bytes);
  return { message: `a byte is not UTF-8${positionText(text, text.indexOf('\ufffd'))}`, advice: ADVICE };
}

/** How deep objects and lists nest, counted to one above the limit, and an upper bound of the number of values. */
function measure(bytes: Uint8Array, maxDepth: number): { readonly depth: number; readonly values: number } {
  const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
  let [open, depth, values] = [0, 0, 1];
  for (let at = 0; at < bytes.length && depth <= maxDepth; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) {
      for (at += 1; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
    } else if (byte === comma) values += 1;
    else if ((byte | 0x20) === 0x7b) {
      values += 1;
      open += 1;
      if (open > depth) depth = open;
    } else if ((byte | 0x20) === 0x7d) open -= 1;
  }
  return { depth, values };
}

/** Refuses numbers too large for a double, which have no JSON form. Reports whole numbers that lose digits. */
function checkNumbers(value: JsonValue): ParsedJson {
  const path: PropertyKey[] = [];
  const notices: JsonNotice[] = [];
  let infinitePointer: string | undefined;
  let unlisted = 0;
  const visit = (part: JsonValue): void => {
    if (typeof part === 'number') {
      if (!Number.isFinite(part)) infinitePointer ??= pointerOf(path);
      else if (Number.isInteger(part) && !Number.isSafeInteger(part)) {
        const message = 'a whole number beyond 2^53 may have lost digits; write it as a string to keep them';
        if (notices.length < MAX_NOTICES) notices.push({ message, pointer: pointerOf(path) });
        else unlisted += 1;
      }
    } else if (typeof part === 'object' && part !== null) {
      for (const key of Array.isArray(part) ? part.keys() : Object.keys(part)) {
        path.push(key);
        visit((part as JsonObject)[key]!);
        path.pop();
      }
    }
  };
  visit(value);
  if (unlisted > 0) notices.push({ message: `${unlisted} more whole numbers beyond 2^53 may have lost digits` });
  if (infinitePointer === undefined) return { ok: true, value, notices };
  const message = 'a number does not fit into a double (IEEE 754)';
  return { ok: false, kind: 'malformed', message, pointer: infinitePointer, advice: 'Write it as a string.' };
}

/** Common mistakes: a pattern for the text at the error, and the message. */
const MISTAKES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^-?(?:NaN|Infinity|undefined)\b/, 'JSON has no NaN, Infinity and undefined: write null'],
  [/^(?:None|True|False)\b/, 'this is Python: write null, true or false'],
  [/^['‘’“”„]/, 'keys and strings are written in `"`'],
  [/^(?:\/\/|\/\*|#)/, 'JSON has no comments'],
];

/** V8's error in words that quote at most one character, with its position, which Node 20 does not always print. */
function explainSyntaxError(text: string, message: string): JsonProblem {
  const position = positionOf(text, message);
  const [before, after] = [text.slice(0, position), text.slice(position ?? text.length).slice(0, 100)];
  const explain = (what: string, advice = ADVICE) => ({ message: `${what}${positionText(text, position)}`, advice });
  if (/^\s*(?:```|~~~)/.test(text)) return explain('a Markdown fence is around the JSON', BARE_ADVICE);
  if (message.includes('after JSON')) {
    if (/^[[{]/.test(after)) return explain('a second JSON value follows the first', 'Write one list of the values.');
    return explain(`${/^[`~]/.test(after) ? 'a Markdown fence' : 'text'} follows the JSON value`, BARE_ADVICE);
  }
  const mistake = MISTAKES.find(([pattern]) => pattern.test(after));
  if (mistake !== undefined) return explain(mistake[1]);
  if (/^[\p{L}*>]/u.test(after) && before.trim() === '') return explain('prose is before the JSON', BARE_ADVICE);
  if (/^[\]}]/.test(after) && before.trimEnd().endsWith(',')) return explain('JSON has no trailing commas');
  const words = /^Unexpected token '.'/su.exec(message)?.[0] ?? message.replace(/ in JSON at position .*$/s, '');
  return explain(words.toWellFormed());
}

/**
 * The offset of V8's error. Where its message has none, for an unexpected token, a binary search finds it: the shortest
 * prefix with that error ends there.
 */
function positionOf(text: string, message: string): number | undefined {
  const position = / at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (message.startsWith('Unexpected end')) return text.length;
  if (text.length > 1024 * 1024) return undefined;
  let [before, end] = [0, text.length];
  while (end - before > 1) {
    const middle = (before + end) >>> 1;
    if (hasUnexpectedToken(text.slice(0, middle))) end = middle;
    else before = middle;
  }
  return before;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
  } catch (error) {
    return /^Unexpected token|^"undefined"/.test(messageOf(error));
  }
  return false;
}

/** ` (line 3, column 7)`, counted from 1; empty without a position. */
function positionText(text: string, position: number | undefined): string {
  if (position === undefined) return '';
  const before = text.slice(0, position);
  return ` (line ${before.split('\n').length}, column ${position - before.lastIndexOf('\n')})`;
}
