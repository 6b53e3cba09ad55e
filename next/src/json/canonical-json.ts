import type { JsonValue } from './json.ts';

/** Characters that are collected before a chunk is emitted. */
const CHUNK_LENGTH = 64 * 1024;

/**
 * JSON in canonical form (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers as ECMAScript prints
 * them. In chunks, so that a large value never exists twice in memory. Properties that are `undefined` are left out, as
 * `JSON.stringify` does. The recursion is as deep as the value; the parser bounds that.
 */
export function* canonicalChunks(value: JsonValue): Generator<string, void, undefined> {
  let buffer = '';
  for (const token of tokensOf(value)) {
    buffer += token;
    if (buffer.length < CHUNK_LENGTH) continue;
    yield buffer;
    buffer = '';
  }
  if (buffer !== '') yield buffer;
}

/** {@link canonicalChunks} as one text. */
export function canonicalJson(value: JsonValue): string {
  return [...canonicalChunks(value)].join('');
}

function* tokensOf(value: JsonValue): Generator<string, void, undefined> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* tokensOf(item ?? null);
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    yield '{';
    let separator = '';
    for (const key of Object.keys(value).sort()) {
      if (value[key] === undefined) continue;
      yield `${separator}${JSON.stringify(key)}:`;
      yield* tokensOf(value[key]);
      separator = ',';
    }
    yield '}';
  } else {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
    yield JSON.stringify(value);
  }
}
