import type { DomDocument, DomElement } from '../page/dom.ts';
import { readLabel } from '../page/read.ts';
import { plainLabel, sameLabel } from '../page/same-label.ts';
import type { Target } from '../story/target.ts';

/** An element that a target may mean, and how sure that is (0-1). */
export interface Match {
  readonly element: DomElement;
  readonly certainty: number;
  /** How it was told. */
  readonly by: string;
}

/** The element that a target means, or why there is none. */
export type Matched = Match | { readonly reason: string };

const SELECTORS: Readonly<Record<Target['kind'], string>> = {
  text: 'textarea:not([readonly]), input:not([readonly]):not([type=radio]):not([type=checkbox]):not([type=hidden]):not([type=submit]):not([type=button])',
  choice: 'select, [role=radiogroup], fieldset',
  date: 'input[readonly], input[type=date]',
  tick: 'input[type=checkbox]',
  button: 'button, input[type=submit], input[type=button]',
  dialog: 'dialog, [role=dialog]',
};

interface Clue {
  readonly by: string;
  readonly certainty: number;
  fits(element: DomElement, target: Target): boolean;
}

/** From the surest to the least sure. The first that fits any element decides. */
const CLUES: readonly Clue[] = [
  {
    by: 'its label',
    certainty: 1,
    fits: (element, { label }) => !hasLooseLabel(element) && sameLabel(readLabel(element), label),
  },
  {
    by: 'the label before it, which is not tied to it',
    certainty: 0.95,
    fits: (element, { label }) => hasLooseLabel(element) && sameLabel(readLabel(element), label),
  },
  {
    by: 'its placeholder',
    certainty: 0.75,
    fits: (element, { label }) => sameLabel(element.getAttribute('placeholder') ?? '', label),
  },
  {
    by: 'its name or id',
    certainty: 0.6,
    fits: (element, { label }) => namesOf(element).some((name) => spaced(name) === plainLabel(label)),
  },
  {
    by: 'being the only one',
    certainty: 0.6,
    fits: (element, { kind }) => element.matches(kind === 'dialog' ? '[aria-modal=true]' : 'form button[type=submit]'),
  },
];

/** Finds the element that a target means. Elements that people do not see are left out, but for dialogs, which open later. */
export function matchTarget(document: DomDocument, target: Target): Matched {
  const candidates = [...document.querySelectorAll(SELECTORS[target.kind])].filter(
    (element) => !isDecoy(element) && (!element.matches('fieldset') || element.querySelector('input[type=radio]')),
  );
  for (const clue of CLUES) {
    const fitting = candidates.filter((element) => clue.fits(element, target));
    const found =
      target.group === null ? fitting : fitting.filter((element) => sameLabel(groupOf(element) ?? '', target.group!));
    if (found.length === 1) return { element: found[0]!, certainty: clue.certainty, by: clue.by };
    if (found.length > 1) return { reason: `${found.length} elements fit by ${clue.by}` };
    if (fitting.length > 0)
      return { reason: `${fitting.length} elements fit by ${clue.by}, but none in a group "${target.group}"` };
  }
  return { reason: `nothing on the page is labelled "${target.label}"` };
}

/** The legend of the group that an element stands in. */
export function groupOf(element: DomElement): string | undefined {
  const around = element.parentElement?.closest('fieldset, [role=group]');
  return around ? readLabel(around) || undefined : undefined;
}

/** A trap for programs: out of the reach of people and screen readers. */
function isDecoy(element: DomElement): boolean {
  return element.closest('[aria-hidden=true]') !== null || (element.tabIndex < 0 && element.hasAttribute('tabindex'));
}

function hasLooseLabel(element: DomElement): boolean {
  return (
    element.matches('input, select, textarea') &&
    (element.labels?.length ?? 0) === 0 &&
    !element.hasAttribute('aria-label') &&
    !element.hasAttribute('aria-labelledby')
  );
}

function namesOf(element: DomElement): string[] {
  const inner = element.querySelector('input[type=radio]');
  return [element.id, element.getAttribute('name') ?? '', inner?.getAttribute('name') ?? ''].filter(
    (name) => name !== '',
  );
}

/** `first name` for `firstName`, `first-name`, `first_name`. */
function spaced(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.\s]+/g, ' ')
    .trim()
    .toLowerCase();
}
