import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { pointerSegments } from '../../json/pointer.ts';
import { valueAt } from '../../json/json-pointer.ts';

/**
 * The parts of an output that pointers name, at their original places: `/a/b` of `{a: {b: 1, c: 2}}` is `{a: {b: 1}}`.
 * Parts of an array become an object keyed by index. `''` is the value itself. A pointer that matches nothing is left
 * out: the contract has already ensured that there is none.
 */
export function exportsOf(value: JsonValue, pointers: readonly string[]): JsonValue {
  if (pointers.includes('')) return value;
  const result: JsonObject = Object.create(null) as JsonObject;
  for (const pointer of pointers) {
    const part = valueAt(value, pointer);
    if (part !== undefined) place(result, pointerSegments(pointer), part);
  }
  return result;
}

function place(into: JsonObject, tokens: readonly string[], part: JsonValue): void {
  let at = into;
  for (const token of tokens.slice(0, -1)) {
    const next = Object.hasOwn(at, token) ? at[token] : undefined;
    if (isJsonObject(next)) at = next;
    else at = at[token] = Object.create(null) as JsonObject;
  }
  at[tokens.at(-1)!] = part;
}
