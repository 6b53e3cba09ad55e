import type { JsonValue } from './json.ts';

const CHUNK_LENGTH = 64 * 1024;

/**
 * JSON in canonical form (RFC 8785), in chunks: keys sorted by UTF-16 code units, no white space, numbers as ECMAScript
 * prints them. Properties that are `undefined` are left out, as `JSON.stringify` does. Recursive: the parser limits how
 * deep a value nests.
 * @throws TypeError for NaN and Infinity, which have no JSON form
 */
export function canonicalChunks(value: JsonValue): string[] {
  const chunks: string[] = [];
  let buffer = '';
  const write = (part: JsonValue): void => {
    if (Array.isArray(part)) {
      buffer += '[';
      for (let index = 0; index < part.length; index += 1) {
        if (index > 0) buffer += ',';
        write(part[index] ?? null);
      }
      buffer += ']';
    } else if (typeof part === 'object' && part !== null) {
      let separator = '{';
      for (const key of Object.keys(part).sort()) {
        if (part[key] === undefined) continue;
        buffer += `${separator}${JSON.stringify(key)}:`;
        write(part[key]);
        separator = ',';
      }
      buffer += separator === '{' ? '{}' : '}';
    } else {
      if (typeof part === 'number' && !Number.isFinite(part)) throw new TypeError(`${part} has no JSON form`);
      buffer += JSON.stringify(part);
    }
    if (buffer.length < CHUNK_LENGTH) return;
    chunks.push(buffer);
    buffer = '';
  };
  write(value);
  return [...chunks, buffer];
}

/** {@link canonicalChunks} as one string. */
export function canonicalJson(value: JsonValue): string {
  return canonicalChunks(value).join('');
}
