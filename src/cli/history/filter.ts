import { GatelineError } from '../../errors/gateline-error.ts';
import { DEFAULT_TIMEZONE, nextDay, startOfDay } from '../../history/statistics/days.ts';
import type { HistoryFilter } from '../../history/query.ts';
import { RUN_STATUSES, UNIT_STATUSES, type RunStatus, type UnitStatus } from '../../run/state/run-state.ts';
import { listOption, textOption, type OptionValues } from '../command.ts';

const MILLISECONDS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * The filter that the options describe.
 * @param timezone in which days begin
 * @throws GatelineError `OPTION_VALUE`
 */
export function filterOf(options: OptionValues, now: Date, timezone: string = DEFAULT_TIMEZONE): HistoryFilter {
  const moment = (name: 'since' | 'until'): string | undefined => {
    const text = textOption(options, name);
    return text === undefined ? undefined : momentOf(name, text, now, timezone);
  };
  return {
    pipeline: textOption(options, 'pipeline'),
    subject: textOption(options, 'subject'),
    set: textOption(options, 'set'),
    status: statusesOf(options),
    since: moment('since'),
    until: moment('until'),
    contains: textOption(options, 'contains'),
  };
}

/** How many entries to show; `undefined`: the option is not given. @throws GatelineError `OPTION_VALUE` */
export function limitOf(options: OptionValues): number | undefined {
  const text = textOption(options, 'limit');
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new GatelineError('OPTION_VALUE', `--limit ${text}: expected a whole number from 1`);
}

function statusesOf(options: OptionValues): HistoryFilter['status'] {
  const words = listOption(options, 'status').flatMap((list) => list.split(','));
  const known: readonly string[] = textOption(options, 'gate') === undefined ? RUN_STATUSES : UNIT_STATUSES;
  for (const word of words) {
    if (known.includes(word)) continue;
    throw new GatelineError('OPTION_VALUE', `--status ${word}: expected ${known.join(', ')}`);
  }
  return words.length === 0 ? undefined : (words as (RunStatus | UnitStatus)[]);
}

/** A day is meant as a whole: `--until` includes it. */
function momentOf(name: 'since' | 'until', text: string, now: Date, timezone: string): string {
  const [, amount, unit] = /^([1-9][0-9]{0,5})([mhdw])$/.exec(text) ?? [];
  if (amount !== undefined) {
    const ago = new Date(now.getTime() - Number(amount) * MILLISECONDS[unit as keyof typeof MILLISECONDS]);
    return ago.toISOString();
  }
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const start = startOfDay(text, timezone) && startOfDay(name === 'since' ? text : nextDay(text), timezone);
    if (start !== undefined) return start;
  }
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? new Date(text) : undefined;
  if (time !== undefined && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new GatelineError('OPTION_VALUE', `--${name} ${text}: expected a day, a time (ISO 8601), or how long ago`, {
    hint: 'For instance `2026-11-05`, `2026-11-05T09:00:00Z`, `30d`, `12h`.',
  });
}
