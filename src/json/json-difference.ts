import { canonicalJson } from './canonical-json.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { pointerOf } from './pointer.ts';

/** One place where two JSON values differ. `undefined`: there is nothing in that value. */
export interface JsonDifference {
  /** JSON pointer; '' for the whole. */
  readonly pointer: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/**
 * The places where two values differ, as deep as both are objects, or both lists. Members of objects come in the order
 * of their names.
 */
export function jsonDifferences(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: readonly PropertyKey[] = [],
): JsonDifference[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, at) => jsonDifferences(before[at], after[at], [...path, at])).flat();
  }
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => jsonDifferences(own(before, name), own(after, name), [...path, name]));
  }
  return same(before, after) ? [] : [{ pointer: pointerOf(path), before, after }];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function same(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return canonicalJson(before) === canonicalJson(after);
}
