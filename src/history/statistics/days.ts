/** Days and months in a time zone. Time zones are names of the IANA database, such as `Europe/Berlin`. */

/** The time zone of days where none is named. */
export const DEFAULT_TIMEZONE = 'UTC';

/** Offsets of time zones from UTC are whole quarters of an hour, and change at whole ones. */
const QUARTER = 15 * 60 * 1_000;

/**
 * A function that returns the day (`2026-11-05`) of a time (ISO 8601, UTC) in a time zone.
 * @param timezone must be one: see `isTimezone`
 */
export function dayIn(timezone: string): (time: string) => string {
  if (timezone === DEFAULT_TIMEZONE) return (time) => time.slice(0, 10);
  const days = new Map<number, string>();
  const format = formatIn(timezone);
  return (time) => {
    const quarter = Math.floor(Date.parse(time) / QUARTER);
    const known = days.get(quarter);
    if (known !== undefined) return known;
    const day = format(quarter * QUARTER);
    days.set(quarter, day);
    return day;
  };
}

/** The time, ISO 8601, at which a day (`2026-11-05`) begins in a time zone; `undefined`: there is no such day. */
export function startOfDay(day: string, timezone: string): string | undefined {
  const noon = Date.parse(`${day}T12:00:00.000Z`);
  if (Number.isNaN(noon) || new Date(noon).toISOString().slice(0, 10) !== day) return undefined;
  const format = formatIn(timezone);
  // The first quarter of an hour of that day, among those of two days around it.
  let [before, from] = [Math.floor(noon / QUARTER) - 110, Math.floor(noon / QUARTER) + 70];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (format(middle * QUARTER) >= day) from = middle;
    else before = middle;
  }
  return new Date(from * QUARTER).toISOString();
}

/** The day after (`2028-02-29` after `2028-02-28`). */
export function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
}

function formatIn(timeZone: string): (milliseconds: number) => string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (milliseconds) => {
    const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, value]));
    return `${parts.get('year')!.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
  };
}
