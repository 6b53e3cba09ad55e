import type { JsonValue } from '../../json/json.ts';
import { valueAt } from '../../json/json-pointer.ts';

/** How far the clocks of two machines may differ, in milliseconds. */
export const CLOCK_TOLERANCE = 60_000;

const ISO_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/** Larger numbers are milliseconds: as seconds they would be after the year 5000, and the entity would never end. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** The end of the year 9999. Larger numbers are microseconds: as milliseconds they would never end. */
const LAST_MILLISECONDS = 253_402_300_799_999;

/** The time that a pointer leads to, in milliseconds; one that cannot be read is over. */
export function timeAt(value: JsonValue, pointer: string): number {
  const here = valueAt(value, pointer);
  if (typeof here === 'number') {
    const time = here < FIRST_MILLISECONDS ? here * 1_000 : here;
    return time <= LAST_MILLISECONDS ? time : -Infinity;
  }
  const day = typeof here === 'string' ? ISO_TIME.exec(here)?.[1] : undefined;
  const time = day !== undefined && isDay(day) ? Date.parse(here as string) : Number.NaN;
  return Number.isNaN(time) ? -Infinity : time;
}

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function isDay(day: string): boolean {
  const start = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
}
