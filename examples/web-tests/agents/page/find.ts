import { computeAccessibleName, getRole, isInaccessible } from 'dom-accessibility-api';
import type { Locator } from '../protocol/outputs.ts';
import type { DomDocument, DomElement } from './dom.ts';

const ORDERED_NODE_SNAPSHOT = 7;

/**
 * Every element that a locator finds in an embedded DOM, as Playwright would find it in a browser: labels and names
 * exactly but for spaces, roles only of what a screen reader sees.
 */
export function findAll(document: DomDocument, locator: Locator): DomElement[] {
  if (locator.group === undefined) return unscoped(document, locator);
  const groups = byRole(document, 'group', locator.group);
  return unscoped(document, locator).filter((element) =>
    groups.some((group) => group !== element && group.contains(element)),
  );
}

/** The role and accessible name that a screen reader is told. */
export function accessibleAs(element: DomElement): { readonly role: string | null; readonly name: string } {
  return { role: getRole(element), name: tidy(computeAccessibleName(element)) };
}

function unscoped(document: DomDocument, { type, value, name }: Locator): DomElement[] {
  switch (type) {
    case 'id':
      return [...document.querySelectorAll('[id]')].filter((element) => element.id === value);
    case 'label':
      return byLabel(document, value);
    case 'role':
      return byRole(document, value, name ?? '');
    case 'placeholder':
      return [...document.querySelectorAll('[placeholder]')].filter(
        (element) => tidy(element.getAttribute('placeholder') ?? '') === value,
      );
    case 'css':
      return [...document.querySelectorAll(value)];
    case 'xpath':
      return byXpath(document, value);
  }
}

function byXpath(document: DomDocument, expression: string): DomElement[] {
  const found = document.evaluate(expression, document, null, ORDERED_NODE_SNAPSHOT, null);
  return Array.from({ length: found.snapshotLength }, (_, at) => found.snapshotItem(at));
}

function byLabel(document: DomDocument, label: string): DomElement[] {
  return [...document.querySelectorAll('[aria-label], input, select, textarea, button')].filter((element) => {
    const own = element.getAttribute('aria-label');
    if (own) return tidy(own) === label;
    return Array.from(element.labels ?? []).some((source) => tidy(source.textContent) === label);
  });
}

/** The elements that can have a role at all; asking each for its name is slow. */
const WITH_ROLE: Readonly<Record<string, string>> = {
  button: 'button, input',
  checkbox: 'input',
  combobox: 'select, input',
  dialog: 'dialog',
  group: 'fieldset',
  textbox: 'input, textarea',
};

function byRole(document: DomDocument, role: string, name: string): DomElement[] {
  const selector = `[role="${role}"]${role in WITH_ROLE ? `, ${WITH_ROLE[role]}` : ''}`;
  return [...document.querySelectorAll(selector)].filter(
    (element) => getRole(element) === role && !isInaccessible(element) && accessibleAs(element).name === name,
  );
}

function tidy(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
