import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { pointerOf, pointerSegments, valueAt } from '../json/pointer.ts';
import { createRedactedStream, type RedactedStream } from './redact-stream.ts';
import { replaceTokens, type Replace, type SecretMatch } from './tokens.ts';

/** Replaces a secret. */
const MASK = '***';

/** Shorter values are too common to be replaced inside other words. */
const MIN_LENGTH = 8;
/** Replacing shorter values even as whole words would make any text unreadable. */
const MIN_WORD_LENGTH = 3;
/** Redactions that are listed; further ones are only made. */
const MAX_LISTED = 100;

/** A value without secrets (the same object if it had none), and where they were: at most 100 pointers. */
export interface RedactedJson {
  readonly value: JsonValue;
  readonly redacted: readonly { readonly pointer: string; readonly label: string }[];
}

/** Replaces secrets by {@link MASK}: values of named variables in all usual spellings, and tokens of known shapes. */
export interface Redactor {
  /** `shown`: for terminals, logs and reports; there, values under 8 characters are replaced as whole words too. */
  readonly text: (text: string, use?: 'stored' | 'shown') => string;
  /** Strings and keys, and numbers whose digits are a whole secret. */
  readonly json: (value: JsonValue) => RedactedJson;
  /** For text that comes in pieces, as `shown`. */
  readonly createStream: () => RedactedStream;
  /** In the order of the text. */
  readonly find: (text: string) => SecretMatch[];
  /** Names of variables whose values are under 8 characters: they are not protected in what is stored. */
  readonly shortSecrets: readonly string[];
}

/** @param secrets name → value of every variable that holds a secret */
export function createRedactor(secrets: Readonly<Record<string, string>>): Redactor {
  const named = Object.entries(secrets)
    .map(([name, value]) => ({ name, value, length: value.trim().length }))
    .sort((a, b) => b.length - a.length);
  const long = named.filter(({ length }) => length >= MIN_LENGTH);
  const short = named.filter(({ length }) => length > 0 && length < MIN_LENGTH);
  const replaceLong = createReplacer(long.map(({ name, value }) => [name, alternatives(formsOf(value))]));
  const words = short.filter(({ length }) => length >= MIN_WORD_LENGTH);
  const replaceWords = createReplacer(
    words.map(({ name, value }) => [name, `(?<![A-Za-z0-9_])${alternatives([value.trim()])}(?![A-Za-z0-9_])`]),
  );
  const numbers = new Map(long.map(({ name, value }) => [value.trim(), name]));
  const replaceAll = (text: string, replace: Replace): string => replaceTokens(replaceLong(text, replace), replace);
  const mask = () => MASK;

  const redactor: Redactor = {
    shortSecrets: short.map(({ name }) => name),
    text: (text, use) => {
      const redacted = replaceAll(text, mask);
      return use === 'shown' ? replaceWords(redacted, mask) : redacted;
    },
    json: (value) => redactJson(value, replaceAll, (number) => numbers.get(String(number))),
    createStream: () => createRedactedStream((text) => redactor.text(text, 'shown'), redactor.find),
    find: (text) => {
      const matches: SecretMatch[] = [];
      const collect =
        (isNamed: boolean): Replace =>
        (secret, label, start, end) => {
          matches.push({ label, isNamed, secret, start, end });
          return secret;
        };
      replaceLong(text, collect(true));
      replaceTokens(text, collect(false));
      return matches.sort((a, b) => a.start - b.start);
    },
  };
  return redactor;
}

/** A function that replaces the matches of all patterns in one pass. */
function createReplacer(patterns: ReadonlyArray<readonly [name: string, source: string]>) {
  if (patterns.length === 0) return (text: string): string => text;
  const pattern = new RegExp(patterns.map(([, source]) => `(${source})`).join('|'), 'g');
  return (text: string, replace: Replace): string =>
    text.replace(pattern, (match: string, ...groups: unknown[]) => {
      const index = patterns.findIndex((_, at) => groups[at] !== undefined);
      const start = groups[patterns.length] as number;
      return replace(match, patterns[index]![0], start, start + match.length);
    });
}

function alternatives(texts: readonly string[]): string {
  const sorted = [...new Set(texts)].sort((a, b) => b.length - a.length);
  return `(?:${sorted.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')})`;
}

/** The spellings of a value: itself and each of its lines, in JSON (also inside JSON), in URLs and in base64. */
function formsOf(value: string): string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  const texts = [value, value.trim(), value.replaceAll('\r\n', '\n'), ...lines];
  const forms = texts.flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1);
    const ascii = json.replace(/[^\0-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const nested = JSON.stringify(json).slice(1, -1);
    const url = encodeURIComponent(text.toWellFormed());
    const lowerUrl = url.replace(/%../g, (code) => code.toLowerCase());
    return [text, json, ascii, nested, json.replaceAll('/', '\\/'), url, lowerUrl, url.replaceAll('%20', '+')];
  });
  return [...forms, ...base64Forms(value), ...base64Forms(value.trim())].filter((form) => form.length >= MIN_LENGTH);
}

/** The base64 characters that depend only on the value, after 0, 1 or 2 other bytes; in both alphabets. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((others) => {
    const bytes = Buffer.concat([new Uint8Array(others), Buffer.from(value)]);
    const form = bytes.toString('base64').slice(Math.ceil((others * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function redactJson(
  value: JsonValue,
  replaceAll: (text: string, replace: Replace) => string,
  nameOfNumber: (number: number) => string | undefined,
): RedactedJson {
  const redacted: Array<{ pointer: string; label: string }> = [];
  const path: PropertyKey[] = [];
  const report = (label: string): string => {
    if (redacted.length < MAX_LISTED) redacted.push({ pointer: pointerOf(path), label });
    return MASK;
  };
  const redactText = (text: string): string => replaceAll(text, (_, label) => report(label));
  const visit = (part: JsonValue): JsonValue => {
    if (typeof part === 'string') return redactText(part);
    if (typeof part === 'number') {
      const name = nameOfNumber(part);
      return name === undefined ? part : report(name);
    }
    if (Array.isArray(part)) {
      let copy: JsonValue[] | undefined;
      for (const [index, item] of part.entries()) {
        const next = visitChild(item, index);
        if (next !== item) (copy ??= [...part])[index] = next;
      }
      return copy ?? part;
    }
    return isJsonObject(part) ? visitObject(part) : part;
  };
  const visitChild = (child: JsonValue, key: PropertyKey): JsonValue => {
    path.push(key);
    const next = visit(child);
    path.pop();
    return next;
  };
  const visitObject = (object: JsonObject): JsonObject => {
    const keys = new Set<string>();
    const entries = Object.keys(object).map((key): [string, JsonValue] => {
      const text = redactText(key);
      let newKey = text;
      // Keys that become equal get a number, so that no value is lost.
      for (let count = 2; keys.has(newKey); count += 1) newKey = `${text} (${count})`;
      keys.add(newKey);
      return [newKey, visitChild(object[key]!, newKey)];
    });
    const isSame = entries.every(([key, child]) => Object.hasOwn(object, key) && object[key] === child);
    return isSame ? object : Object.fromEntries(entries);
  };
  return { value: visit(value), redacted };
}

/**
 * The value with {@link MASK} at each pointer; pointers to nothing are ignored.
 * @returns also the strings that were there, under made-up names: to be redacted wherever else they are
 */
export function redactPointers(value: JsonValue, pointers: readonly string[]) {
  const secrets: Record<string, string> = {};
  let result = value;
  for (const pointer of pointers) {
    for (const [index, text] of stringsIn(valueAt(value, pointer) ?? null).entries())
      secrets[`redact ${pointer} ${index}`] = text;
    if (valueAt(result, pointer) !== undefined) result = replaceAt(result, pointerSegments(pointer));
  }
  return { value: result, secrets };
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function replaceAt(value: JsonValue, [key, ...path]: readonly string[]): JsonValue {
  if (key === undefined) return MASK;
  if (Array.isArray(value)) return value.with(Number(key), replaceAt(value[Number(key)]!, path));
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(entries.map(([name, part]) => [name, name === key ? replaceAt(part, path) : part]));
}

/**
 * The secrets in the text of a file that it did not hold before, by line from 1.
 * @param before its earlier version
 * @param otherFiles earlier texts of files that may have been renamed to it: a token that one of them held is not new
 */
export function findSecrets(
  text: string,
  redactor: Redactor,
  before = '',
  otherFiles = '',
): { line: number; label: string }[] {
  const isNew = ({ secret, isNamed }: SecretMatch): boolean =>
    !before.includes(secret) && (isNamed || !otherFiles.includes(secret));
  const matches = redactor.find(text).filter(isNew);
  return matches.map(({ label, end }) => ({ line: text.slice(0, end).split('\n').length, label }));
}
