import { createHash } from 'node:crypto';
import type { JsonValue } from './json.ts';
import type { Digest } from './digest.ts';

/** Number of characters collected before a chunk is emitted. */
const CHUNK_LENGTH = 64 * 1024;

/**
 * JSON in canonical form (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers as ECMAScript
 * prints them. In chunks, so that a large value never exists twice in memory.
 *
 * Property values that are `undefined` are left out, as `JSON.stringify` does.
 */
export function* canonicalChunks(value: JsonValue): Generator<string, void, undefined> {
  let buffer = '';
  const pending: Array<ContainerFrame | string> = [];
  const open = (next: JsonValue): void => {
    if (Array.isArray(next))
      pending.push({ close: ']', prefix: '[', array: next, keys: undefined, object: undefined, at: 0 });
    else if (next !== null && typeof next === 'object') {
      const keys = Object.keys(next).filter((key) => next[key] !== undefined);
      pending.push({ close: '}', prefix: '{', array: undefined, keys: keys.sort(), object: next, at: 0 });
    } else buffer += scalar(next);
  };
  open(value);
  while (pending.length > 0) {
    const frame = pending.at(-1) as ContainerFrame;
    if (frame.at >= (frame.array ?? frame.keys).length) {
      buffer += frame.at === 0 ? frame.prefix + frame.close : frame.close;
      pending.pop();
    } else {
      buffer += frame.at === 0 ? frame.prefix : ',';
      open(advance(frame, (text) => (buffer += text)));
    }
    if (buffer.length >= CHUNK_LENGTH) {
      yield buffer;
      buffer = '';
    }
  }
  if (buffer !== '') yield buffer;
}

type ContainerFrame = { close: string; prefix: string; at: number } & (
  | { array: JsonValue[]; keys: undefined; object: undefined }
  | { array: undefined; keys: string[]; object: { [key: string]: JsonValue } }
);

function advance(frame: ContainerFrame, write: (text: string) => void): JsonValue {
  const index = frame.at++;
  if (frame.array !== undefined) return frame.array[index] ?? null;
  const key = frame.keys[index]!;
  write(`${JSON.stringify(key)}:`);
  return frame.object[key]!;
}

function scalar(value: null | boolean | number | string): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
  return JSON.stringify(value);
}

/** {@link canonicalChunks} as one text. */
export function canonicalJson(value: JsonValue): string {
  return [...canonicalChunks(value)].join('');
}

/** The digest of a value: of its canonical form in UTF-8. */
export function digestOfJson(value: JsonValue): Digest {
  const hash = createHash('sha256');
  for (const chunk of canonicalChunks(value)) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}
