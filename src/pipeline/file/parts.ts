import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import type { DefinitionSource } from '../source.ts';

/*
 * The file as semantic checks see it: all parts with the right shape, even if others are wrong, so that one run reports
 * every error.
 */

/** A value and its position. */
export interface Located<T> {
  readonly value: T;
  readonly path: readonly PropertyKey[];
}

/** One entry of `gates`, even if invalid. */
export interface GatePart extends Located<JsonObject> {
  readonly id: string;
  /** Position in the file, from 0. */
  readonly index: number;
}

/** Every entry of `gates`; an entry that is not a map is treated as empty, so that its id is still known. */
export function gatesIn(source: DefinitionSource): GatePart[] {
  const gates = mapAt(source.value, 'gates');
  return Object.keys(gates).map((id, index) => {
    return { id, index, value: mapAt(gates, id), path: ['gates', id] };
  });
}

/** The map at a key; empty if there is none. */
export function mapAt(value: JsonValue | undefined, ...keys: readonly string[]): JsonObject {
  const found = at(value, keys);
  return isJsonObject(found) ? found : {};
}

/** The texts at a key of a part: those of a list, or a single text. Other values are left out. */
export function textsAt(part: Located<JsonObject>, ...keys: readonly string[]): Located<string>[] {
  const found = at(part.value, keys);
  const path = [...part.path, ...keys];
  if (typeof found === 'string') return [{ value: found, path }];
  if (!Array.isArray(found)) return [];
  return found.flatMap((value, index) => (typeof value === 'string' ? [{ value, path: [...path, index] }] : []));
}

/** Every text inside a value, with its position. `isSkipped` leaves out whole parts. */
export function* textsInside(
  value: JsonValue | undefined,
  isSkipped: (path: readonly PropertyKey[]) => boolean,
  path: readonly PropertyKey[] = [],
): Generator<Located<string>> {
  if (isSkipped(path)) return;
  if (typeof value === 'string') yield { value, path };
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* textsInside(item, isSkipped, [...path, index]);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) yield* textsInside(item, isSkipped, [...path, key]);
  }
}

/** The pointer of a located value. */
export function pointerTo(located: Located<unknown>): string {
  return pointerOf(located.path);
}

function at(value: JsonValue | undefined, keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>((here, key) => (isJsonObject(here) ? here[key] : undefined), value);
}
