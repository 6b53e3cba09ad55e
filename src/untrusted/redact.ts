import type { JsonValue } from '../json/json.ts';
import { findPrivateKeys } from './private-keys.ts';
import { redactedJson, type RedactedJson } from './redact-json.ts';
import { createRedactedStream, type RedactedStream } from './redact-stream.ts';
import { formsOf, MIN_SECRET_LENGTH, type SecretForm } from './secret-forms.ts';
import { ANY_TOKEN_SOURCE, findTokens, type TokenMatch } from './token-shapes.ts';

export type { TokenMatch, RedactedJson, RedactedStream };

/** Replacement for a secret. */
export const MASK = '***';

/** Masking can reveal a token (`…<secret>AIza…` starts one only then); this many passes check for that. */
const MAX_PASSES = 16;

/** This many characters of each form are in the pattern; the rest is compared after a match. */
const KEY_LENGTH = 32;

/** Sources of the values to mask. */
export interface RedactorOptions {
  /** Name → value, of every secret passed to a gate. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Removes secrets from texts and JSON values: the values of named secrets in every form of
 * {@link file://./secret-forms.ts}, and tokens of well-known shapes. Each becomes {@link MASK}; secrets that touch or
 * overlap become one. Redacting redacted text changes nothing.
 *
 * Every function costs time linear in its input (some 100 MB/s).
 */
export interface Redactor {
  /** Names of secrets that are not searched for because their values are shorter than 3 characters. Worth a warning. */
  readonly tooShort: readonly string[];
  readonly redactText: (text: string) => string;
  /** Strings, keys and numbers of a JSON value; see {@link redactedJson}. */
  readonly redactJson: (value: JsonValue) => RedactedJson;
  /**
   * What {@link redactText} would mask in the unchanged text, by position. A position may be found under several names.
   */
  readonly find: (text: string) => TokenMatch[];
  /** For text that comes in pieces; see {@link createRedactedStream}. */
  readonly createStream: () => RedactedStream;
  /** A redactor that also masks these texts, in the same forms. */
  readonly alsoFor: (texts: readonly string[]) => Redactor;
}

/** Creates a {@link Redactor}. Without secrets it masks only tokens of known shapes. */
export function createRedactor(options: RedactorOptions): Redactor {
  const secrets = Object.entries(options.secrets);
  const known = new KnownForms(secrets);
  const anything = new RegExp([...known.sources, ANY_TOKEN_SOURCE].join('|'));

  const find = (text: string): TokenMatch[] => {
    if (!anything.test(text)) return [];
    const found = [...known.find(text), ...findTokens(text), ...findPrivateKeys(text)];
    return found.sort((a, b) => a.start - b.start || a.end - b.end);
  };
  const redactText = (text: string): string => {
    let now = text;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const next = masked(now, find(now));
      if (next === now) return now;
      now = next;
    }
    return now;
  };
  return {
    tooShort: secrets.filter(([, value]) => value.length < MIN_SECRET_LENGTH).map(([name]) => name),
    redactText,
    redactJson: (value) => redactedJson(value, redactText, known.numbers),
    find,
    createStream: () => createRedactedStream({ redactText, find, multiline: known.multiline, longest: known.longest }),
    alsoFor: (texts) => {
      const more = texts.map((text, at) => [`redacted text ${at + 1}`, text] as const);
      return createRedactor({ secrets: { ...options.secrets, ...Object.fromEntries(more) } });
    },
  };
}

/** The forms of all named secrets, searchable in one pass. */
class KnownForms {
  readonly sources: readonly string[];
  readonly numbers: ReadonlySet<number>;
  readonly multiline: readonly string[];
  readonly longest: number;
  private readonly pattern: RegExp | undefined;
  private readonly byKey = new Map<string, { readonly name: string; readonly form: SecretForm }[]>();
  private readonly keyLengths: readonly number[];

  constructor(secrets: readonly (readonly [string, string])[]) {
    const all = secrets.flatMap(([name, value]) => formsOf(value).map((form) => ({ name, form })));
    for (const one of all) {
      const key = one.form.text.slice(0, KEY_LENGTH);
      this.byKey.set(key, [...(this.byKey.get(key) ?? []), one]);
    }
    const keys = [...this.byKey.keys()].sort((a, b) => b.length - a.length);
    this.keyLengths = [...new Set(keys.map((key) => key.length))];
    this.sources = keys.map((key) => key.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
    this.pattern = keys.length === 0 ? undefined : new RegExp(this.sources.join('|'), 'g');
    this.multiline = [...new Set(all.map(({ form }) => form.text))].filter((text) => /[\r\n]/.test(text));
    this.longest = all.reduce((longest, { form }) => Math.max(longest, form.text.length), 0);
    this.numbers = new Set(secrets.flatMap(([, value]) => numberOf(value)));
  }

  /** By position; overlapping matches of one name are joined. */
  *find(text: string): Generator<TokenMatch> {
    if (this.pattern === undefined) return;
    let last: TokenMatch | undefined;
    this.pattern.lastIndex = 0;
    for (let match = this.pattern.exec(text); match !== null; match = this.pattern.exec(text)) {
      const at = match.index;
      this.pattern.lastIndex = at + 1;
      for (const found of this.at(text, at)) {
        if (last !== undefined && last.name === found.name && found.start <= last.end) {
          last = joined(last, found);
        } else {
          if (last !== undefined) yield last;
          last = found;
        }
      }
      this.pattern.lastIndex = at + 1;
    }
    if (last !== undefined) yield last;
  }

  private *at(text: string, at: number): Generator<TokenMatch> {
    for (const length of this.keyLengths) {
      for (const { name, form } of this.byKey.get(text.slice(at, at + length)) ?? []) {
        if (!text.startsWith(form.text, at)) continue;
        const start = form.left && isBase64(text, at - 1) ? at - 1 : at;
        let end = at + form.text.length;
        if (form.right && isBase64(text, end)) end += 1;
        if (/[^*]/.test(form.text)) yield { name, from: start, start, end };
      }
    }
  }
}

function joined(a: TokenMatch, b: TokenMatch): TokenMatch {
  const start = Math.min(a.start, b.start);
  return { name: a.name, from: start, start, end: Math.max(a.end, b.end) };
}

function isBase64(text: string, at: number): boolean {
  return /[A-Za-z0-9+/_-]/.test(text.charAt(at));
}

function numberOf(value: string): number[] {
  const text = value.trim();
  const isNumber = text.length >= MIN_SECRET_LENGTH && /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text);
  return isNumber ? [Number(text)] : [];
}

function masked(text: string, findings: readonly TokenMatch[]): string {
  const pieces: string[] = [];
  let done = 0;
  let end = -1;
  for (const finding of findings) {
    if (finding.start > end) {
      if (end >= 0) done = end;
      pieces.push(text.slice(done, finding.start), MASK);
    }
    end = Math.max(end, finding.end);
  }
  if (end < 0) return text;
  pieces.push(text.slice(end));
  return pieces.join('');
}
