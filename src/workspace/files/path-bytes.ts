/**
 * Names on disk are bytes; ours are text. Valid UTF-8 stays as it is. Every other byte becomes U+FFFD and two hex
 * digits, and so do the bytes of a real U+FFFD, so that names and texts map one to one.
 */

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const REPLACEMENT = '\uFFFD';
const ESCAPED = /\uFFFD([0-9A-F]{2})/gu;

/** The text of a name. */
export function textOfName(bytes: Uint8Array): string {
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (!plain.includes(REPLACEMENT)) return plain;
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const character = characterAt(bytes, at);
    text += character?.text ?? REPLACEMENT + bytes[at]!.toString(16).toUpperCase().padStart(2, '0');
    at += character?.length ?? 1;
  }
  return text;
}

function characterAt(bytes: Uint8Array, at: number): { text: string; length: number } | undefined {
  const lead = bytes[at]!;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  try {
    const text = STRICT.decode(bytes.subarray(at, at + length));
    return text === REPLACEMENT || [...text].length !== 1 ? undefined : { text, length };
  } catch {
    // Invalid UTF-8 here: the caller escapes this byte.
    return undefined;
  }
}

/** The bytes of a name's text: the inverse of {@link textOfName}. */
export function bytesOfName(text: string): Buffer {
  if (!text.includes(REPLACEMENT)) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let end = 0;
  for (const match of text.matchAll(ESCAPED)) {
    parts.push(Buffer.from(text.slice(end, match.index), 'utf8'), Buffer.from(match[1]!, 'hex'));
    end = match.index + match[0].length;
  }
  parts.push(Buffer.from(text.slice(end), 'utf8'));
  return Buffer.concat(parts);
}

/** Whether the name on disk is not UTF-8 (or contains U+FFFD): it is part of the inputs but cannot be handed on. */
export function isEscapedName(text: string): boolean {
  return text.includes(REPLACEMENT);
}

/** The path passed to the file system: `path` below `root`. */
export function onDisk(root: string, path: string): string | Buffer {
  if (!isEscapedName(path)) return `${root}/${path}`;
  return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), bytesOfName(path)]);
}

/** Splits git's NUL-terminated names. */
export function splitNames(output: Buffer): string[] {
  const all = output.toString('utf8');
  if (!all.includes(REPLACEMENT)) return all === '' ? [] : all.replace(/\0$/, '').split('\0');
  const names: string[] = [];
  for (let start = 0; start < output.length;) {
    const nul = output.indexOf(0, start);
    const end = nul < 0 ? output.length : nul;
    names.push(textOfName(output.subarray(start, end)));
    start = end + 1;
  }
  return names;
}

/** Quotes a name for a line-based list that git reads: as in C, if a line could not contain it. */
export function quotedForGit(name: string): Buffer {
  const bytes = bytesOfName(name);
  if (!bytes.some((byte) => byte < 0x20 || byte === 0x22 || byte === 0x5c)) return bytes;
  const octal = [...bytes].map((byte) =>
    byte < 0x20 || byte === 0x22 || byte === 0x5c || byte >= 0x7f
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return Buffer.from(`"${octal.join('')}"`, 'latin1');
}
