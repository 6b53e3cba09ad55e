import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';

/** A JSON value without secrets. `changed: false`: the identical input value. */
export interface RedactedJson {
  readonly value: JsonValue;
  readonly changed: boolean;
}

/**
 * A JSON value with `redactText` applied to strings and keys, and `"***"` in place of each number of `numbers`. Works
 * at any depth. Keys that become equal get a number (`***`, `*** (2)`), so that no value is lost; the order of keys
 * stays. Objects of a changed value have no prototype.
 */
export function redactedJson(
  value: JsonValue,
  redactText: (text: string) => string,
  numbers: ReadonlySet<number>,
): RedactedJson {
  const leaf = (one: JsonValue): JsonValue => {
    if (typeof one === 'string') return redactText(one);
    return typeof one === 'number' && numbers.has(one) ? '***' : one;
  };
  if (!wouldChange(value, redactText, leaf)) return { value, changed: false };
  return { value: rebuilt(value, redactText, leaf), changed: true };
}

type Leaf = (one: JsonValue) => JsonValue;

function wouldChange(value: JsonValue, redactText: (text: string) => string, leaf: Leaf): boolean {
  const open: JsonValue[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Array.isArray(one)) {
      for (const item of one) open.push(item);
    } else if (isJsonObject(one)) {
      for (const key of Object.keys(one)) {
        if (redactText(key) !== key) return true;
        open.push(one[key]!);
      }
    } else if (leaf(one) !== one) {
      return true;
    }
  }
  return false;
}

interface Copying {
  readonly from: JsonValue[] | JsonObject;
  readonly to: JsonValue[] | JsonObject;
}

function rebuilt(value: JsonValue, redactText: (text: string) => string, leaf: Leaf): JsonValue {
  const open: Copying[] = [];
  const copy = (one: JsonValue): JsonValue => {
    if (!Array.isArray(one) && !isJsonObject(one)) return leaf(one);
    const to = Array.isArray(one) ? [] : (Object.create(null) as JsonObject);
    open.push({ from: one, to });
    return to;
  };
  const result = copy(value);
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { from, to } = one;
    if (Array.isArray(from)) {
      for (const item of from) (to as JsonValue[]).push(copy(item));
    } else {
      const names = newKeys(Object.keys(from), redactText);
      for (const [key, name] of names) (to as JsonObject)[name] = copy(from[key]!);
    }
  }
  return result;
}

/** Old key → new key, all different. Keys without secrets stay unchanged. */
function newKeys(keys: readonly string[], redactText: (text: string) => string): Map<string, string> {
  const names = new Map(keys.map((key) => [key, redactText(key)] as const));
  const taken = new Set(keys.filter((key) => names.get(key) === key));
  const counts = new Map<string, number>();
  for (const [key, name] of names) {
    if (key === name) continue;
    let count = counts.get(name) ?? 0;
    let unique: string;
    do {
      count += 1;
      unique = count === 1 ? name : `${name} (${count})`;
    } while (taken.has(unique));
    counts.set(name, count);
    taken.add(unique);
    names.set(key, unique);
  }
  return names;
}
