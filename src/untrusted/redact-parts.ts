import { isJsonObject, type JsonValue } from '../json/json.ts';
import { valueAt } from '../json/json-pointer.ts';
import { pointerSegments } from '../json/pointer.ts';

/** A value with parts of it replaced, and the texts that were in these parts. */
export interface RedactedParts {
  readonly value: JsonValue;
  /** All different texts in the parts that were replaced. */
  readonly texts: readonly string[];
}

/** The value with `mask` in place of every part that one of the pointers names. Pointers to nothing are ignored. */
export function redactedParts(value: JsonValue, pointers: readonly string[], mask: string): RedactedParts {
  const texts = new Set<string>();
  let result = value;
  for (const pointer of pointers) {
    const part = valueAt(value, pointer);
    if (part === undefined || part === mask) continue;
    for (const text of textsIn(part)) texts.add(text);
    if (valueAt(result, pointer) !== undefined) result = withPart(result, pointerSegments(pointer), mask);
  }
  return { value: result, texts: [...texts] };
}

function* textsIn(value: JsonValue): Generator<string> {
  const open: JsonValue[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one === 'string') yield one;
    else if (Array.isArray(one)) for (const item of one) open.push(item);
    else if (isJsonObject(one)) for (const item of Object.values(one)) open.push(item);
  }
}

/** A copy of the value with another part at an existing place. */
function withPart(value: JsonValue, path: readonly string[], part: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return part;
  if (Array.isArray(value)) return value.map((item, at) => (at === Number(key) ? withPart(item, rest, part) : item));
  if (!isJsonObject(value)) return value;
  return { ...value, [key]: withPart(value[key]!, rest, part) };
}
