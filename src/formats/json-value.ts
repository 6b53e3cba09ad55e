import { z } from 'zod';
import type { JsonValue } from '../json/json.ts';

/** Deeper values are refused: whatever reads them next may do it by recursion. */
const MAX_DEPTH = 1_000;

/** Anything that JSON can hold, at most 1,000 levels deep. Looked at, not copied: outputs may be large. */
export const jsonValueSchema = z.custom<JsonValue>(isJsonValue, 'must be a JSON value, at most 1,000 levels deep');

function isJsonValue(value: unknown): value is JsonValue {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'object' && item !== null) for (const part of Object.values(item)) next.push(part);
      else if (!isScalar(item)) return false;
    }
    level = next;
  }
  return true;
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
