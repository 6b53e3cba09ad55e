/** Values shorter than this are not redacted: they would blank out ordinary text. */
export const MIN_SECRET_LENGTH = 3;

/** Lines of a secret shorter than this are not redacted alone (`{`, `---`, `"id":`). */
const MIN_LINE_LENGTH = 6;

/** In bytes. A shorter value is too common as a piece of base64 to be searched for. */
const MIN_BASE64_BYTES = 5;

/** Line lengths of `base64` (76, RFC 2045) and PEM (64, RFC 7468). */
const BASE64_LINE_LENGTHS = [76, 64];

/** A longer form is searched for in parts, so that a truncated one is found too, and comparing stays cheap. */
const MAX_FORM_LENGTH = 256;

/** One spelling of a secret, or part of a long one. */
export interface SecretForm {
  readonly text: string;
  /** The adjacent base64 characters contain some of its bits too. */
  readonly left: boolean;
  readonly right: boolean;
}

/**
 * Every spelling in which a secret's value is searched for: unchanged and trimmed, each of its lines, and each of these
 * inside JSON (once and twice, with and without `\u` escapes), a URL, a form and, for the whole value, base64 at all
 * three alignments in both alphabets. Long forms come in parts. Empty when the value is shorter than
 * {@link MIN_SECRET_LENGTH}.
 */
export function formsOf(value: string): SecretForm[] {
  const forms = new Map<string, SecretForm>();
  const add = (form: SecretForm): void => {
    for (const part of partsOf(form)) {
      if (part.text.length >= MIN_SECRET_LENGTH && !forms.has(part.text)) forms.set(part.text, part);
    }
  };
  for (const plain of plainForms(value)) {
    for (const text of escapedForms(plain)) add({ text, left: false, right: false });
  }
  for (const whole of new Set([value, value.trim()])) {
    if (whole.length >= MIN_SECRET_LENGTH) base64Forms(whole).forEach(add);
  }
  return [...forms.values()];
}

function partsOf(form: SecretForm): SecretForm[] {
  const { text } = form;
  if (text.length <= MAX_FORM_LENGTH) return [form];
  const size = MAX_FORM_LENGTH / 2;
  const parts: SecretForm[] = [];
  for (let at = 0; at + size < text.length; at += size) {
    parts.push({ text: text.slice(at, at + size), left: form.left && at === 0, right: false });
  }
  return [...parts, { text: text.slice(-size), left: false, right: form.right }];
}

function plainForms(value: string): Set<string> {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  const long = lines.length > 1 ? lines.filter((line) => line.length >= MIN_LINE_LENGTH) : [];
  return new Set(
    [value, value.trim(), value.replaceAll('\r\n', '\n'), ...long].filter((text) => text.length >= MIN_SECRET_LENGTH),
  );
}

function escapedForms(text: string): Set<string> {
  const json = inJson(text);
  const ascii = json.replace(/[^\0-\x7e]/g, unicodeEscape);
  const html = ascii.replace(/[<>&']/g, unicodeEscape);
  const forms = [text, json, ascii, html, json.replaceAll('/', '\\/'), inJson(json), inJson(ascii)];
  return new Set([...forms, ...inUrls(text.toWellFormed())]);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function inUrls(text: string): string[] {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ v: text }).toString().slice(2);
  const upper = [component, strict, form, encodeURI(text), component.replaceAll('%20', '+')];
  return [...upper, ...upper.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

function base64Forms(value: string): SecretForm[] {
  const bytes = new TextEncoder().encode(value);
  if (bytes.length < MIN_BASE64_BYTES) return [];
  const forms = [0, 1, 2].map((offset) => base64At(bytes, offset));
  const lines = BASE64_LINE_LENGTHS.flatMap((length) => linesOf(forms[0]!.text, length));
  return [...forms, ...lines].flatMap((form) => [
    form,
    { ...form, text: form.text.replaceAll('+', '-').replaceAll('/', '_') },
  ]);
}

/** The characters that depend only on these bytes when `offset` other bytes precede them. */
function base64At(bytes: Uint8Array, offset: number): SecretForm {
  const padded = new Uint8Array(offset + bytes.length);
  padded.set(bytes, offset);
  const all = Buffer.from(padded).toString('base64');
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor((padded.length * 8) / 6);
  return { text: all.slice(from, to), left: offset > 0, right: padded.length % 3 !== 0 };
}

/** `echo "$SECRET" | base64` breaks lines; each long enough one is a form. */
function linesOf(base64: string, length: number): SecretForm[] {
  if (base64.length <= length) return [];
  const lines: SecretForm[] = [];
  for (let at = 0; at < base64.length; at += length) {
    const text = base64.slice(at, at + length);
    if (text.length >= 8) lines.push({ text, left: false, right: true });
  }
  return lines;
}
