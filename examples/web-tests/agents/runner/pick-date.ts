import { StepError, type PageElement, type Screen } from './screen.ts';

/** A calendar that opens at an input. */
export interface Calendar {
  readonly input: PageElement;
  readonly shownMonth: PageElement;
  readonly previousYear: PageElement;
  readonly previousMonth: PageElement;
  readonly nextMonth: PageElement;
  readonly nextYear: PageElement;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * Picks a day (`yyyy-mm-dd`) with the calendar's own buttons, as people would.
 * @returns `false` when the calendar does not offer the day.
 */
export async function pickDate(screen: Screen, calendar: Calendar, day: string): Promise<boolean> {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  await screen.press(calendar.input);
  const wanted = year * 12 + month - 1;
  let distance = wanted - (await shownMonth(screen, calendar));
  while (distance !== 0) {
    await approach(screen, calendar, distance);
    const left = wanted - (await shownMonth(screen, calendar));
    // The calendar does not go that far.
    if (Math.abs(left) >= Math.abs(distance)) return false;
    distance = left;
  }
  const name = `${date} ${MONTHS[month - 1]} ${year}`;
  const button: PageElement = {
    name: `${calendar.input.name}Day`,
    label: null,
    locators: [{ type: 'label', value: name }],
  };
  if (!(await screen.canPress(button))) return false;
  await screen.press(button);
  return true;
}

/** Months since year 0. */
async function shownMonth(screen: Screen, calendar: Calendar): Promise<number> {
  const text = await screen.textOf(calendar.shownMonth);
  const [name = '', year] = text.split(' ');
  const month = MONTHS.indexOf(name);
  if (month < 0)
    throw new StepError(
      `the calendar of "${calendar.input.label ?? calendar.input.name}" shows "${text}", which is no month`,
    );
  return Number(year) * 12 + month;
}

/** Turns by years while more than half a year is missing, then by months. */
async function approach(screen: Screen, calendar: Calendar, distance: number): Promise<void> {
  const months = Math.abs(distance);
  const forward = distance > 0;
  const byYear = months > 6;
  const button = byYear
    ? forward
      ? calendar.nextYear
      : calendar.previousYear
    : forward
      ? calendar.nextMonth
      : calendar.previousMonth;
  const times = byYear ? Math.round(months / 12) : months;
  for (let pressed = 0; pressed < times; pressed++) await screen.press(button);
}
