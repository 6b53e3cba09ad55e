import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** A JSON pointer (RFC 6901): empty, or segments that each begin with `/`, with `~0` for `~` and `~1` for `/`. */
export const POINTER_PATTERN = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** The unescaped segments of a pointer that matches {@link POINTER_PATTERN}. */
export function pointerSegments(pointer: string): string[] {
  const segments = pointer.split('/').slice(1);
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The pointer of a path of keys and indices. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at a pointer; undefined if there is none. Own keys only. */
export function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let part: JsonValue | undefined = value;
  for (const segment of pointerSegments(pointer)) {
    if (Array.isArray(part)) part = /^(?:0|[1-9][0-9]*)$/.test(segment) ? part[Number(segment)] : undefined;
    else if (isJsonObject(part) && Object.hasOwn(part, segment)) part = part[segment];
    else return undefined;
  }
  return part;
}

/**
 * The parts of a value that pointers name, each under its own path: `/a/b` of `{a: {b: 1, c: 2}}` is `{a: {b: 1}}`. Items of a
 * list become an object keyed by index. With the pointer `''`: the value itself. Pointers to nothing are ignored.
 */
export function pickPointers(value: JsonValue, pointers: readonly string[]): JsonValue {
  if (pointers.includes('')) return value;
  // Without a prototype, so that a key `__proto__` is data.
  const result = Object.create(null) as JsonObject;
  for (const pointer of pointers) {
    const part = valueAt(value, pointer);
    if (part === undefined || pointers.some((other) => pointer.startsWith(`${other}/`))) continue;
    const segments = pointerSegments(pointer);
    let parent = result;
    for (const segment of segments.slice(0, -1)) {
      parent = (parent[segment] ??= Object.create(null) as JsonObject) as JsonObject;
    }
    parent[segments.at(-1)!] = part;
  }
  return result;
}
