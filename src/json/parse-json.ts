import { isJsonObject, type JsonValue } from './json.ts';
import { findJsonError } from './json-scan.ts';
import { describeSyntaxError } from './json-syntax-error.ts';
import { sizeStructure } from './json-structure.ts';

/** A remark about a document; fits the issues of a verdict. */
export interface JsonIssue {
  readonly severity: 'error' | 'notice';
  readonly message: string;
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer?: string;
}

/** A parsed document, or why it could not be parsed. */
export type ParsedJson =
  | { readonly ok: true; readonly value: JsonValue; readonly notices: JsonIssue[] }
  | {
      readonly ok: false;
      /** `missing`: only white space. `too-large`: over one of the {@link JsonLimits}. */
      readonly kind: 'malformed' | 'too-large' | 'missing';
      readonly issue: JsonIssue;
      /** What to do, in one sentence for the document's author. */
      readonly advice: string;
      readonly plain: PlainIssue;
    };

/** What is wrong with a document, without its text: only the keys that lead there, as far as they are known. */
export interface PlainIssue {
  readonly message: string;
  readonly path: ReadonlyArray<string | number>;
}

/** Size limits of a document. */
export interface JsonLimits {
  /** Bytes. Default 256 MiB, at most what fits in one string (about 512 MiB). */
  readonly maxBytes?: number;
  /** Nesting of objects and arrays. Default 200, at most 1,000. */
  readonly maxDepth?: number;
  /** Accepts lone surrogates: in our own documents a truncated text may end in one. Default: refused. */
  readonly loneSurrogates?: true;
}

export const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
export const DEFAULT_MAX_DEPTH = 200;
const HIGHEST_MAX_BYTES = 500 * 1024 * 1024;
const HIGHEST_MAX_DEPTH = 1_000;
/** Maximum number of listed numbers that lost digits; the rest is counted. */
const MAX_NOTICES = 5;
const ADVICE = 'Write one JSON value (RFC 8259) in UTF-8, and nothing around it.';

/**
 * Read untrusted JSON. Never throws for any bytes, and never repairs: a document that is not exactly one JSON value
 * (RFC 8259) is refused, with the line and column of what is wrong.
 *
 * Stricter than `JSON.parse` if that would hide something: a duplicate key, a key `__proto__`, half of a surrogate pair
 * (`"\ud800"`: RFC 8785 has no form for it), and a number that no double can represent (`1e999`) are refused with their
 * pointer. Whole numbers beyond 2^53, which lose digits, are read with a notice. A byte order mark is skipped. Other
 * keys (`constructor`, `toString`) are plain data; look them up with `Object.hasOwn`.
 *
 * Memory in addition to the bytes: the text, the value, and a little. A 100 MB array of objects takes about 0.6 GiB in
 * all.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits = {}): ParsedJson {
  const maxBytes = Math.min(limits.maxBytes ?? DEFAULT_MAX_BYTES, HIGHEST_MAX_BYTES);
  const maxDepth = Math.min(limits.maxDepth ?? DEFAULT_MAX_DEPTH, HIGHEST_MAX_DEPTH);
  if (bytes.length > maxBytes) {
    const message = `the document has ${bytes.length.toLocaleString('en')} bytes; at most ${maxBytes.toLocaleString('en')} are read`;
    return refused(
      'too-large',
      { message },
      'Put large data in files that the gate hands on, and name them in the value.',
    );
  }
  const decoded = decode(bytes);
  if (!decoded.ok) return decoded.refusal;
  const { text } = decoded;
  const structure = sizeStructure(bytes, maxDepth);
  if (structure.depth > maxDepth) {
    const message = `objects and arrays are nested more than ${maxDepth} deep`;
    return refused(
      'too-large',
      { message: `${message}${atOffset(bytes, structure.offset)}` },
      `Nest at most ${maxDepth} deep.`,
    );
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return syntaxError(text, error);
  }
  return inspect(value, text, structure.keys, limits.loneSurrogates !== true && text.includes('\\u'));
}

function refused(
  kind: 'malformed' | 'too-large' | 'missing',
  issue: Omit<JsonIssue, 'severity'>,
  advice = ADVICE,
  { message = issue.message, path = [] }: Partial<PlainIssue> = {},
): ParsedJson {
  return { ok: false, kind, issue: { severity: 'error', ...issue }, advice, plain: { message, path: [...path] } };
}

function decode(bytes: Uint8Array): { ok: true; text: string } | { ok: false; refusal: ParsedJson } {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    const message = 'the document is UTF-16, not UTF-8';
    const advice = 'Write UTF-8; in Windows PowerShell use `Out-File -Encoding utf8` instead of `>`.';
    return { ok: false, refusal: refused('malformed', { message }, advice) };
  }
  try {
    // The decoder drops a byte order mark.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (/^[ \t\r\n]*$/.test(text.slice(0, 4_096)) && text.trim() === '') {
      return { ok: false, refusal: refused('missing', { message: 'the document is empty' }) };
    }
    return { ok: true, text };
  } catch {
    const offset = validPrefix(bytes);
    const message = `byte 0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')} is not UTF-8${atOffset(bytes, offset)}`;
    const plain = `a byte is not UTF-8${atOffset(bytes, offset)}`;
    return { ok: false, refusal: refused('malformed', { message }, ADVICE, { message: plain }) };
  }
}

/** Length of the longest valid UTF-8 prefix. Found by bisection, since it is only needed for a message. */
function validPrefix(bytes: Uint8Array): number {
  const decodes = (end: number, stream: boolean): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream });
      return true;
    } catch {
      return false;
    }
  };
  let valid = 0;
  for (let beyond = bytes.length + 1; beyond - valid > 1;) {
    const middle = (valid + beyond) >>> 1;
    if (decodes(middle, true)) valid = middle;
    else beyond = middle;
  }
  // Up to three bytes of an incomplete character.
  while (valid > 0 && !decodes(valid, false)) valid -= 1;
  return valid;
}

/** ` at line 3, byte 7`. In bytes, since there is no text in which to count characters. */
function atOffset(bytes: Uint8Array, offset: number): string {
  let line = 1;
  let start = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line += 1;
    start = at + 1;
  }
  return ` at line ${line}, byte ${offset - start + 1}`;
}

function syntaxError(text: string, thrown: unknown): ParsedJson {
  const error = findJsonError(text);
  if (error === undefined) {
    // The two parsers disagree; the engine's result is used.
    const message = thrown instanceof Error ? thrown.message.slice(0, 500) : 'the document could not be read';
    return refused('malformed', { message }, ADVICE, { message: 'the document is not valid JSON' });
  }
  const { message, plain, advice } = describeSyntaxError(text, error);
  return refused('malformed', { message }, advice ?? ADVICE, { message: plain, path: error.path });
}

/** Find problems that `JSON.parse` silently accepts. */
function inspect(value: JsonValue, text: string, keysInText: number, surrogates: boolean): ParsedJson {
  const found: Findings = { keys: 0, imprecise: 0, notices: [], path: [], surrogates };
  const refusal = visit(value, found, 0);
  if (refusal !== undefined)
    return refused('malformed', { message: refusal, pointer: pointerTo(found.path) }, ADVICE, { path: found.path });
  if (found.keys !== keysInText) {
    const duplicate = findJsonError(text, { duplicates: true });
    if (duplicate !== undefined) {
      const { message, plain, advice } = describeSyntaxError(text, duplicate);
      const { path } = duplicate;
      const pointer = pointerTo(path);
      return refused('malformed', { message, pointer }, advice ?? ADVICE, { message: plain, path });
    }
  }
  if (found.imprecise > found.notices.length) {
    const message = `${found.imprecise - found.notices.length} more whole numbers beyond 2^53 may have lost digits`;
    found.notices.push({ severity: 'notice', message });
  }
  return { ok: true, value, notices: found.notices };
}

interface Findings {
  keys: number;
  imprecise: number;
  readonly notices: JsonIssue[];
  /** Position of the visit, or where it ended. */
  readonly path: Array<string | number>;
  /** Whether to search for lone surrogates: only an escape can bring one through the decoder. */
  readonly surrogates: boolean;
}

/** Recursion is safe: the depth was checked. Returns what is wrong, and leaves the path at that position. */
function visit(value: JsonValue, found: Findings, depth: number): string | undefined {
  if (typeof value === 'string') return found.surrogates && !value.isWellFormed() ? LONE_SURROGATE : undefined;
  if (typeof value === 'number') return visitNumber(value, found, depth);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      found.path[depth] = index;
      const wrong = visit(value[index]!, found, depth + 1);
      if (wrong !== undefined) return wrong;
    }
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      found.path[depth] = key;
      found.keys += 1;
      const wrong = badKey(key, found) ?? visit(value[key]!, found, depth + 1);
      if (wrong !== undefined) return wrong;
    }
  }
  found.path.length = depth;
  return undefined;
}

const LONE_SURROGATE = 'a text holds half of a surrogate pair (\\ud800-\\udfff), which is not a character';

function badKey(key: string, found: Findings): string | undefined {
  if (key === '__proto__') return 'the key `__proto__` is not allowed';
  return found.surrogates && !key.isWellFormed() ? LONE_SURROGATE : undefined;
}

function visitNumber(value: number, found: Findings, depth: number): string | undefined {
  if (!Number.isFinite(value)) {
    found.path.length = depth;
    return 'a number is too large for a double (IEEE 754)';
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    found.imprecise += 1;
    if (found.notices.length < MAX_NOTICES) {
      const pointer = pointerTo(found.path.slice(0, depth));
      const message = `a whole number beyond 2^53 is read as ${value} and may have lost digits; write it as a text to keep them`;
      found.notices.push({ severity: 'notice', message, pointer });
    }
  }
  return undefined;
}

/** A pointer, at most as long as a verdict can hold. */
export function pointerTo(path: ReadonlyArray<string | number>): string {
  const pointer = path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return pointer.toWellFormed().slice(0, 4_096);
}
