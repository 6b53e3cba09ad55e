import { pointerSegments } from './pointer.ts';
import { isJsonObject, type JsonValue } from './json.ts';

/** The value that a JSON pointer (RFC 6901) names; `undefined` if there is none. Own keys only. */
export function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const segment of pointerSegments(pointer)) {
    if (Array.isArray(found)) found = /^(?:0|[1-9][0-9]*)$/.test(segment) ? found[Number(segment)] : undefined;
    else if (isJsonObject(found) && Object.hasOwn(found, segment)) found = found[segment];
    else return undefined;
  }
  return found;
}
