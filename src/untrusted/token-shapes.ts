/** A secret's position in a text. */
export interface TokenMatch {
  /** Which secret: a name of `secrets:`, or the kind of a token (`github-token`). */
  readonly name: string;
  /** The part to mask: UTF-16 offsets, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** Where its identifying context begins (`Authorization:`); at most `start`. */
  readonly from: number;
}

/**
 * The shape of one kind of token. Group 1, if matched, is context that stays; the rest is the secret.
 *
 * Each pattern costs linear time, because past its prefix it can fail only within a constant number of characters:
 * longer parts are greedy and optional, and checks of the whole match are in `accept`. Those parts are written
 * `[x]{20}[x]*`, because V8 runs out of stack on `[x]{20,}` for some million characters.
 */
interface TokenShape {
  readonly name: string;
  readonly source: string;
  readonly accept?: (match: RegExpExecArray, text: string) => boolean;
}

/** Text allowed between a name and its value: `: `, `=`, `": "`, `\": \"`, `>`, one space. */
const SEPARATOR = String.raw`[\\"' \t:=>,]{1,12}`;
const SCHEME = `(?:${[anyCase('bearer'), anyCase('token'), anyCase('basic')].join('|')})`;

const SHAPES: readonly TokenShape[] = [
  { name: 'github-token', source: 'gh[pour]_[A-Za-z0-9_]{20}[A-Za-z0-9_]*', accept: looksRandom },
  // Since 2026 an installation token may be `ghs_`, an id and a JWT, with dots, of about 520 characters.
  { name: 'github-token', source: 'ghs_[A-Za-z0-9_.-]{20}[A-Za-z0-9_.-]*', accept: looksRandom },
  { name: 'github-token', source: 'github_pat_[A-Za-z0-9_]{20}[A-Za-z0-9_]*' },
  {
    name: 'gitlab-token',
    source: 'gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-[A-Za-z0-9_=.-]{20}[A-Za-z0-9_=.-]*',
    accept: looksRandom,
  },
  { name: 'npm-token', source: 'npm_[A-Za-z0-9]{36}[A-Za-z0-9]*' },
  { name: 'pypi-token', source: 'pypi-[A-Za-z0-9_-]{50}[A-Za-z0-9_-]*' },
  { name: 'aws-key-id', source: '(?:AKIA|ASIA)[A-Z0-9]{16}' },
  {
    name: 'aws-secret',
    source: `((?:${['secret', 'access', 'key'].map(anyCase).join('[_-]?')}|${['session', 'token'].map(anyCase).join('[_-]?')})${SEPARATOR})[A-Za-z0-9/+=]{40}[A-Za-z0-9/+=]*`,
  },
  { name: 'slack-token', source: '(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10}[A-Za-z0-9-]*', accept: looksRandom },
  { name: 'slack-webhook', source: '(hooks\\.slack\\.com/(?:services|workflows)/)[A-Za-z0-9_/-]{20}[A-Za-z0-9_/-]*' },
  {
    name: 'api-key',
    source: 'sk-(?:(?:proj|svcacct|admin|ant|or)-[A-Za-z0-9_-]{16}[A-Za-z0-9_-]*|[A-Za-z0-9]{32}[A-Za-z0-9]*)',
    accept: looksRandom,
  },
  { name: 'google-key', source: 'AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])', accept: looksRandom },
  { name: 'google-secret', source: 'GOCSPX-[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*', accept: looksRandom },
  { name: 'google-token', source: 'ya29\\.[A-Za-z0-9_-]{20}[A-Za-z0-9_-]*', accept: looksRandom },
  { name: 'stripe-key', source: '[rs]k_(?:live|test)_[A-Za-z0-9]{10}[A-Za-z0-9]*', accept: looksRandom },
  { name: 'stripe-secret', source: 'whsec_[A-Za-z0-9+/=]{24}[A-Za-z0-9+/=]*', accept: looksRandom },
  { name: 'sendgrid-key', source: 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}' },
  { name: 'huggingface-token', source: 'hf_[A-Za-z0-9]{34}[A-Za-z0-9]*', accept: looksRandom },
  { name: 'vault-token', source: 'hv[sbr]\\.[A-Za-z0-9_-]{24}[A-Za-z0-9_-]*', accept: looksRandom },
  { name: 'age-key', source: 'AGE-SECRET-KEY-1[A-Z0-9]{58}' },
  { name: 'jwt', source: 'eyJ[A-Za-z0-9_-]{6}[A-Za-z0-9_-]*(?:\\.[A-Za-z0-9_-]*){0,4}', accept: isJwt },
  {
    name: 'authorization',
    source: `((?:${[anyCase('authorization'), anyCase('x-api-key'), anyCase('private-token')].join('|')})${SEPARATOR}${SCHEME}[ \\t]{1,4})[A-Za-z0-9._~+/=-]{8}[A-Za-z0-9._~+/=-]*`,
  },
  {
    name: 'api-key',
    source: `((?:${anyCase('x-api-key')}|${anyCase('private-token')})${SEPARATOR})[A-Za-z0-9._~+/=-]{16}[A-Za-z0-9._~+/=-]*`,
    accept: hasDigit,
  },
  {
    name: 'bearer',
    source: `(${anyCase('bearer')}[ \\t]{1,4})[A-Za-z0-9._~+/=-]{16}[A-Za-z0-9._~+/=-]*`,
    accept: hasDigit,
  },
  { name: 'basic', source: `(${anyCase('basic')}[ \\t]{1,4})[A-Za-z0-9+/=]{8}[A-Za-z0-9+/=]*`, accept: isBasic },
  {
    name: 'url-password',
    source: String.raw`(:\/\/[^\s/?#:"'<>]{0,256}:)[^\s/?#"'<>]{1,1024}(?=@)`,
    accept: isPassword,
  },
  { name: 'url-token', source: String.raw`(:\/\/)[A-Za-z0-9_-]{20,256}(?=@)` },
];

/** Matches where any shape could match: one test for short texts instead of one per shape. */
export const ANY_TOKEN_SOURCE = [...SHAPES.map((shape) => shape.source), '-----BEGIN '].join('|');

const PATTERNS = SHAPES.map((shape) => ({ ...shape, pattern: new RegExp(shape.source, 'g') }));

/** Every token of a known shape in a text, except private keys. In no particular order. */
export function* findTokens(text: string): Generator<TokenMatch> {
  for (const { name, pattern, accept } of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      if (accept !== undefined && !accept(match, text)) continue;
      const start = match.index + (match[1]?.length ?? 0);
      yield { name, from: match.index, start, end: withoutDots(text, match.index + match[0].length) };
    }
  }
}

/** Trailing dots belong to the sentence, not to the token. */
function withoutDots(text: string, end: number): number {
  let last = end;
  while (text.charAt(last - 1) === '.') last -= 1;
  return last;
}

function secretOf(match: RegExpExecArray): string {
  return match[0].slice(match[1]?.length ?? 0);
}

function hasDigit(match: RegExpExecArray): boolean {
  return /\d/.test(secretOf(match));
}

/** A token begins here: not in the middle of a word, but after an escape (`\n`, `%3D`, `\u003d`) it does. */
function startsToken(match: RegExpExecArray, text: string): boolean {
  if (match.index === 0) return true;
  return /(?:[^A-Za-z0-9_-]|\\[nrtbfv]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})$/.test(
    text.slice(Math.max(0, match.index - 6), match.index),
  );
}

/** `highs_and_lows_of_the_market` does not, `xghs_4fK…` does. */
function looksRandom(match: RegExpExecArray, text: string): boolean {
  return startsToken(match, text) || (/\d/.test(match[0]) && /[A-Z]/.test(match[0]));
}

/** Header, payload and perhaps a signature; base64 followed by an ellipsis is not one. */
function isJwt(match: RegExpExecArray): boolean {
  const [, payload, ...rest] = match[0].split('.');
  return payload !== undefined && payload.length >= 4 && (rest.length > 0 || payload.startsWith('eyJ'));
}

/** `Basic` and base64 that contains a colon; not `Basic authentication`. */
function isBasic(match: RegExpExecArray): boolean {
  return Buffer.from(secretOf(match), 'base64').includes(0x3a);
}

/** Not `${PASSWORD}`, `$PASSWORD`, `{password}`, nor masked text. */
function isPassword(match: RegExpExecArray): boolean {
  return !/^(?:\$?\{[^}]*\}|\$[A-Z_]+|\*+)$/.test(secretOf(match));
}

/** Explicit, because the sources are joined with case-sensitive ones. */
function anyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}
