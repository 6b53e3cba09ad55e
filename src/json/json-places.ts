/** Where a part of a document begins, in UTF-16 units from 0. */
export interface JsonSpot {
  /** Of its key in an object; otherwise the same as `value`. */
  readonly key: number;
  readonly value: number;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

interface OpenValue {
  readonly pointer: string;
  readonly isObject: boolean;
  /** Index of the current item of an array. */
  index: number;
  /** The key that was read, until its value begins. */
  key: { readonly pointer: string; readonly at: number } | undefined;
}

/**
 * Where each part of a document begins, by JSON pointer.
 * @param text valid JSON: see `parseJson`
 */
export function jsonPlaces(text: string): ReadonlyMap<string, JsonSpot> {
  const spots = new Map<string, JsonSpot>();
  const open: OpenValue[] = [];
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    const inside = open.at(-1);
    if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (inside !== undefined) inside.index += 1;
    } else if (token === ':') continue;
    else if (inside?.isObject === true && inside.key === undefined) {
      const name = String(JSON.parse(token)).replaceAll('~', '~0').replaceAll('/', '~1');
      inside.key = { pointer: `${inside.pointer}/${name}`, at };
    } else {
      const pointer = inside === undefined ? '' : (inside.key?.pointer ?? `${inside.pointer}/${inside.index}`);
      spots.set(pointer, { key: inside?.key?.at ?? at, value: at });
      if (inside !== undefined) inside.key = undefined;
      if (token === '{' || token === '[') open.push({ pointer, isObject: token === '{', index: 0, key: undefined });
    }
  }
  return spots;
}
