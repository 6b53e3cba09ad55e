import type { DomElement } from '../page/dom.ts';
import { accessibleAs, findAll } from '../page/find.ts';
import { readLabel } from '../page/read.ts';
import { rounded, type Locator, type LocatorType, type RankedLocator } from '../protocol/outputs.ts';
import { groupOf } from './candidates.ts';
import { twinOf, type Twins } from './twins.ts';

/** How well a kind of locator lives through a change of the page, from what tends to change least. */
const STEADINESS: Readonly<Record<LocatorType, number>> = {
  id: 0.95,
  label: 0.93,
  role: 0.9,
  placeholder: 0.85,
  css: 0.82,
  xpath: 0.78,
};

/** Narrowing down to a group depends on one more thing. */
const IN_GROUP = 0.97;

/** An id that looks made by a program may be another one after the next build. */
const LOOKS_MADE = 0.6;

/** At most this many are kept for an element. */
const KEPT = 5;

/**
 * Locators of an element, the surest first. Each finds this element and no other, in both loads of the page.
 * Confidence = steadiness of its kind × stability of its value × how sure it is that this is the element meant.
 */
export function rankLocators(element: DomElement, certainty: number, twins: Twins): RankedLocator[] {
  const twin = twinOf(element, twins);
  const alone = (locator: Locator): boolean =>
    isAlone(findAll(twins.first, locator), element) && isAlone(findAll(twins.second, locator), twin);
  const group = groupOf(element);
  return proposals(element)
    .flatMap((locator): RankedLocator[] => {
      const stability = locator.type === 'id' && looksMade(locator.value) ? LOOKS_MADE : 1;
      const confidence = STEADINESS[locator.type] * stability * certainty;
      if (alone(locator)) return [{ ...locator, confidenceScore: rounded(confidence) }];
      const grouped = group === undefined ? undefined : { ...locator, group };
      return grouped && alone(grouped) ? [{ ...grouped, confidenceScore: rounded(confidence * IN_GROUP) }] : [];
    })
    .sort((one, other) => other.confidenceScore - one.confidenceScore)
    .slice(0, KEPT);
}

function isAlone(found: readonly DomElement[], element: DomElement | undefined): boolean {
  return found.length === 1 && found[0] === element;
}

/** Ends in five or more hexadecimal digits of which one at least is a digit, or in a long number. */
function looksMade(id: string): boolean {
  return /(?:^|[-_:])(?=[a-f]*\d)[0-9a-f]{5,}$/i.test(id) || /\d{4,}$/.test(id) || /^:r[0-9a-z]*:$/.test(id);
}

function proposals(element: DomElement): Locator[] {
  const { role, name } = accessibleAs(element);
  const label = readLabel(element);
  const placeholder = element.getAttribute('placeholder')?.trim();
  const css = cssOf(element);
  const xpath = xpathOf(element, label);
  return [
    ...(element.id === '' ? [] : [{ type: 'id' as const, value: element.id }]),
    ...(label !== '' && element.matches('input, select, textarea, [aria-label]')
      ? [{ type: 'label' as const, value: label }]
      : []),
    ...(role !== null && name !== '' ? [{ type: 'role' as const, value: role, name }] : []),
    ...(placeholder ? [{ type: 'placeholder' as const, value: placeholder }] : []),
    ...(css === undefined ? [] : [{ type: 'css' as const, value: css }]),
    ...(xpath === undefined ? [] : [{ type: 'xpath' as const, value: xpath }]),
  ];
}

function cssOf(element: DomElement): string | undefined {
  const named = (tag: string, name: string | null | undefined): string | undefined =>
    name ? `${tag}[name=${JSON.stringify(name)}]` : undefined;
  const own = named(element.localName, element.getAttribute('name'));
  if (own) return own;
  const inner = named('input', element.querySelector('input[type=radio]')?.getAttribute('name'));
  if (inner) return `${element.localName}:has(${inner})`;
  const label = element.getAttribute('aria-label');
  if (label) return `${element.localName}[aria-label=${JSON.stringify(label)}]`;
  if (element.matches('button[type=submit]')) return 'form button[type="submit"]';
  return element.matches('[role=dialog][aria-modal=true]') ? '[role="dialog"][aria-modal="true"]' : undefined;
}

function xpathOf(element: DomElement, label: string): string | undefined {
  if (label === '') return undefined;
  const text = xpathLiteral(label);
  const tag = element.localName;
  if (tag === 'button')
    return element.hasAttribute('aria-label') ? `//button[@aria-label=${text}]` : `//button[normalize-space()=${text}]`;
  if (tag === 'fieldset') return `//fieldset[legend[normalize-space()=${text}]]`;
  if (element.closest('label')) return `//label[starts-with(normalize-space(), ${text})]//${tag}`;
  if (element.previousElementSibling?.localName === 'label')
    return `//label[normalize-space()=${text}]/following-sibling::${tag}[1]`;
  return element.matches('[role=dialog]') ? `//*[@role='dialog'][.//h2[normalize-space()=${text}]]` : undefined;
}

/** XPath 1.0 has no escapes in its literals. */
function xpathLiteral(text: string): string {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  return `concat('${text.replaceAll("'", `', "'", '`)}')`;
}
