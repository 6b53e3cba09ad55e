import type { DomDocument, DomElement } from '../page/dom.ts';
import { accessibleAs } from '../page/find.ts';
import { readObstacle } from '../page/read.ts';
import type { DatePicker, ElementMapping } from '../protocol/outputs.ts';
import { rankLocators } from './locators.ts';
import { twinOf, type Twins } from './twins.ts';

type Control = keyof DatePicker['controls'];

const NAMES: Readonly<Record<Exclude<Control, 'shownMonth'>, RegExp>> = {
  previousYear: /^prev(?:ious)? year$/i,
  previousMonth: /^prev(?:ious)? month$/i,
  nextMonth: /^next month$/i,
  nextYear: /^next year$/i,
};

const MONTH = /^(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}$/;
const DAY = /^\d{1,2} [A-Z][a-z]+ \d{4}$/;

/** Opens the calendar behind an input and maps what it takes to pick a date with its buttons, or says why that cannot be. */
export function mapDatePicker(
  input: DomElement,
  element: string,
  target: string,
  twins: Twins,
): { readonly component: DatePicker; readonly mappings: ElementMapping[] } | { readonly reason: string } {
  const panel = open(input, twins);
  if (!panel) return { reason: 'no calendar opens when it is clicked' };
  const buttons = [...panel.querySelectorAll('button')].map((button) => ({ button, name: accessibleAs(button).name }));
  if (!buttons.some(({ name }) => DAY.test(name)))
    return { reason: 'its calendar has no buttons named like 14 March 1999' };
  const parts: [Control, DomElement | undefined][] = Object.entries(NAMES).map(([control, name]) => [
    control as Control,
    buttons.find((button) => name.test(button.name))?.button,
  ]);
  parts.push([
    'shownMonth',
    [...panel.querySelectorAll('*')].find((part) => part.children.length === 0 && MONTH.test(part.textContent.trim())),
  ]);
  const mappings: ElementMapping[] = [];
  const controls: Record<string, string> = {};
  for (const [control, part] of parts) {
    const [primary, ...fallbacks] = part ? locatorsOf(control, part, panel, twins) : [];
    if (!primary) return { reason: `its calendar has no ${control} that can be found` };
    const logicalName = `${element}${control.charAt(0).toUpperCase()}${control.slice(1)}`;
    controls[control] = logicalName;
    mappings.push({
      logicalName,
      target: `${target}: ${control}`,
      kind: control === 'shownMonth' ? 'status' : 'button',
      locators: { primary, fallbacks },
    });
  }
  const component: DatePicker = {
    type: 'date-picker',
    element,
    controls: controls as DatePicker['controls'],
    panel: accessibleAs(panel).name,
    dayName: 'd MMMM yyyy',
  };
  return { component, mappings };
}

/** The text of the shown month changes, so it is found by its place, not by what it says. */
function locatorsOf(
  control: Control,
  part: DomElement,
  panel: DomElement,
  twins: Twins,
): ElementMapping['locators']['fallbacks'] {
  if (control !== 'shownMonth') return rankLocators(part, 1, twins);
  const role = part.getAttribute('role');
  const within = panel.getAttribute('aria-label');
  const value = `[role="dialog"][aria-label=${JSON.stringify(within ?? '')}] ${role ? `[role="${role}"]` : `${part.localName}:only-of-type`}`;
  const finds = (document: DomDocument): number => [...document.querySelectorAll(value)].length;
  return finds(twins.first) === 1 && finds(twins.second) === 1 ? [{ type: 'css', value, confidenceScore: 0.82 }] : [];
}

/** What appears when the input is clicked, in both loads. */
function open(input: DomElement, twins: Twins): DomElement | undefined {
  const before = new Set(twins.first.querySelectorAll('*'));
  input.click();
  twinOf(input, twins)?.click();
  return [...twins.first.querySelectorAll('*')].find(
    (element) => !before.has(element) && element.querySelector('button') && readObstacle(element) !== 'hidden',
  );
}
