/** A secret in a text. `label`: the name of a variable, or the kind of a token (`GitHub token`). */
export interface SecretMatch {
  /** The value of a named variable; else it looks like a known kind of token. */
  readonly isNamed: boolean;
  readonly label: string;
  readonly secret: string;
  /** Offsets, its context (`Authorization: Bearer `) included. */
  readonly start: number;
  readonly end: number;
}

/** Returns the text that replaces a secret. Parameters as in {@link SecretMatch}. */
export type Replace = (secret: string, label: string, start: number, end: number) => string;

interface TokenMatch {
  /** What identifies the secret and stays (`Authorization: Bearer `). */
  readonly context: string;
  readonly secret: string;
  /** The characters before the match, at most 6. */
  readonly before: string;
}

/**
 * The shape of one kind of token: its name, a pattern whose group 1 is the context and whose rest is the secret, and a
 * further condition. A pattern costs linear time: past its prefix it fails within a constant number of characters.
 */
type TokenShape = readonly [label: string, source: string, accept?: (match: TokenMatch) => boolean];

/** At least `count` of these characters. V8 runs out of stack on `[x]{20,}` for some million characters. */
function atLeast(count: number, characters: string): string {
  return `[${characters}]{${count}}[${characters}]*`;
}

/** Words in upper and lower case. The flag `i` would apply to the whole pattern. */
function anyCase(...words: string[]): string {
  return `(?:${words.join('|').replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)})`;
}

/** Between a name and its value: `: `, `=`, `": "`, `\": \"`, one space. */
const SEPARATOR = String.raw`[\\"' \t:=>,]{1,12}`;
const WORD = 'A-Za-z0-9_-';
const VALUE = 'A-Za-z0-9._~+/=-';
const AUTHORIZATION = `(?:${anyCase('authorization')}${SEPARATOR})?${anyCase('bearer', 'basic', 'token')}[ \\t]{1,4}`;
const AWS_NAME = anyCase('secret[_-]?access[_-]?key', 'session[_-]?token');
/** RFC 7468 and PGP, also with escaped line breaks. */
const KEY_LABEL = '[A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----';
const WHOLE_KEY = `(?:(?!-----BEGIN)[^]){0,65536}?-----END ${KEY_LABEL}`;
const CUT_KEY = String.raw`[A-Za-z0-9+/=\s\\]{0,16384}`;

const SHAPES: readonly TokenShape[] = [
  ['private key', `()-----BEGIN ${KEY_LABEL}(?:${WHOLE_KEY}|${CUT_KEY})`, ({ secret }) => /[\w+/]{16}/.test(secret)],
  ['GitHub token', `()(?:gh[pour]|github_pat)_${atLeast(20, 'A-Za-z0-9_')}`, looksRandom],
  // Since 2026 an installation token may be `ghs_`, an id and a JWT.
  ['GitHub token', `()ghs_${atLeast(20, `.${WORD}`)}`, looksRandom],
  ['GitLab token', `()gl[a-z]{2,5}-${atLeast(20, `=.${WORD}`)}`, looksRandom],
  ['npm token', `()npm_${atLeast(36, 'A-Za-z0-9')}`, looksRandom],
  ['PyPI token', `()pypi-${atLeast(50, WORD)}`, looksRandom],
  ['AWS key id', '()(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])'],
  ['AWS secret', `(${AWS_NAME}${SEPARATOR})${atLeast(40, 'A-Za-z0-9/+=')}`],
  ['Slack token', `()(?:xox[a-z]|xapp)-${atLeast(10, 'A-Za-z0-9-')}`, looksRandom],
  ['Slack webhook', `(hooks\\.slack\\.com/(?:services|workflows)/)${atLeast(20, `/${WORD}`)}`],
  ['API key', `()sk-(?:[a-z]{2,8}-${atLeast(16, WORD)}|${atLeast(32, WORD)})`, looksRandom],
  ['Google key', `()AIza[${WORD}]{35}(?![${WORD}])`, looksRandom],
  ['Google secret', `()(?:GOCSPX-|ya29\\.)${atLeast(20, WORD)}`, looksRandom],
  ['Stripe key', `()(?:[rs]k_live|whsec)_${atLeast(16, 'A-Za-z0-9+/=')}`, looksRandom],
  ['SendGrid key', `()SG\\.[${WORD}]{22}\\.[${WORD}]{43}`],
  ['Hugging Face token', `()hf_${atLeast(34, 'A-Za-z0-9')}`, looksRandom],
  ['Vault token', `()hv[sbr]\\.${atLeast(24, WORD)}`, looksRandom],
  ['age key', '()AGE-SECRET-KEY-1[A-Z0-9]{58}'],
  ['JWT', `()eyJ${atLeast(6, WORD)}(?:\\.[${WORD}]*){0,4}`, ({ secret }) => /\.[^.]{4}/.test(secret)],
  ['authorization', `(${AUTHORIZATION})${atLeast(8, VALUE)}`, isAuthorization],
  ['API key', `(${anyCase('x-api-key', 'private-token')}${SEPARATOR})${atLeast(16, VALUE)}`, hasDigit],
  ['password in a URL', `(://[^\\s/?#:"'<>]{0,256}:)[^\\s/?#"'<>]{1,1024}(?=@)`, isPassword],
  ['token in a URL', `(://)[${WORD}]{20,256}(?=@)`, hasDigit],
];

/** Documented examples (AWS, jwt.io), placeholders, references to variables, and what was masked before. */
const PLACEHOLDER =
  /example|placeholder|change[-_]?me|your[-_]|dummy|redacted|1234567890abc|eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l|^(?:\$?\{.*\}|\$\w+|%\w+%|\*+)$/i;
const COMMON_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd?|secret|token|admin|root|user(?:name)?|postgres|mysql|guest|test|foo|bar)$/i;

function isPlaceholder({ secret }: TokenMatch): boolean {
  if (secret.startsWith('-----')) return false;
  return PLACEHOLDER.test(secret) || new Set(secret.slice(-16)).size < 4;
}

function looksRandom({ secret, before }: TokenMatch): boolean {
  // After `***` too: a secret that ends with a backslash takes that of an escape.
  const isWordStart = /(?:^|[^A-Za-z0-9_-]|(?:\\|\*{3})[nrtbfv]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})$/.test(before);
  return /\d/.test(secret) && (isWordStart || /[A-Z]/.test(secret));
}

function hasDigit({ secret }: TokenMatch): boolean {
  return /\d/.test(secret);
}

function isPassword({ context, secret }: TokenMatch): boolean {
  return !COMMON_PASSWORD.test(secret) && context !== `://${secret}:`;
}

/** Prose such as `Basic authentication` and `Bearer authentication` has no secret. */
function isAuthorization({ context, secret }: TokenMatch): boolean {
  if (/^a/i.test(context)) return /\d/.test(secret) || secret.length >= 16;
  if (/^basic/i.test(context)) return Buffer.from(secret, 'base64').includes(':');
  return /^bearer/i.test(context) && secret.length >= 16 && /\d/.test(secret);
}

const PATTERN = new RegExp(SHAPES.map(([, source]) => `(${source})`).join('|'), 'g');

/**
 * Replaces the tokens of well-known shapes in a text: those of GitHub, clouds and model providers, private keys,
 * passwords in URLs, authorization headers. Examples and placeholders stay.
 */
export function replaceTokens(text: string, replace: Replace): string {
  return text.replace(PATTERN, (whole: string, ...groups: unknown[]) => {
    const index = SHAPES.findIndex((_, at) => groups[2 * at] !== undefined);
    const [label, , accept] = SHAPES[index]!;
    const context = groups[2 * index + 1] as string;
    // A dot at the end belongs to the sentence.
    const secret = whole.slice(context.length).replace(/(?<!\.)\.+$/, '');
    const offset = groups[2 * SHAPES.length] as number;
    const match = { context, secret, before: text.slice(Math.max(0, offset - 6), offset) };
    if (isPlaceholder(match) || accept?.(match) === false) return whole;
    const end = context.length + secret.length;
    return context + replace(secret, label, offset, offset + end) + whole.slice(end);
  });
}
