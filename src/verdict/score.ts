import type { JsonValue } from '../json/json.ts';
import { valueAt } from '../json/json-pointer.ts';
import type { Issue } from './verdict.ts';
import { cut, shortValue } from './words.ts';

/** A score of 0-100, or why there is none. */
export type Score = { readonly score: number } | { readonly issue: Issue };

/**
 * The score that an output gives itself. Never made of anything else: `"95"`, null, true and 101 are no scores.
 * Without a pointer: 100.
 */
export function readScore(value: JsonValue, pointer: string | undefined): Score {
  if (pointer === undefined) return { score: 100 };
  const found = valueAt(value, pointer);
  if (typeof found === 'number' && found >= 0 && found <= 100) return { score: found };
  const where = pointer === '' ? 'the output' : pointer;
  const what =
    found === undefined ? 'there is no score' : `the score must be a number from 0 to 100, is ${shortValue(found)}`;
  return { issue: { severity: 'error', message: cut(`${where}: ${what}`, 4_096), pointer: cut(pointer, 4_096) } };
}
