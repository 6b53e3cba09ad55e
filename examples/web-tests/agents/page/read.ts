import type { DomElement } from './dom.ts';

// These functions are also sent into the browser as source text, so each stands alone: no imports, no names from outside.

/**
 * The label that people read on each element; '' where there is none. A label that is not tied to any control counts
 * for the control that it stands right before.
 */
export function readLabels(elements: readonly DomElement[]): string[] {
  const tidy = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
  const textOf = (source: DomElement | null): string => {
    const copy = source?.cloneNode(true);
    for (const inner of copy?.querySelectorAll('select, input, textarea, button') ?? []) inner.remove();
    return tidy(copy?.textContent ?? '');
  };
  return elements.map((element) => {
    const ids = element.getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
    if (ids.length > 0) return tidy(ids.map((id) => textOf(element.ownerDocument.getElementById(id))).join(' '));
    const own = element.getAttribute('aria-label')?.trim();
    if (own) return own;
    if (element.matches('fieldset')) return textOf(element.querySelector('legend'));
    if (element.matches('button')) return tidy(element.textContent);
    if (element.labels?.[0]) return textOf(element.labels[0]);
    const before = element.previousElementSibling;
    return before?.matches('label:not([for])') && !before.control ? textOf(before) : '';
  });
}

export function readLabel(element: DomElement): string {
  return readLabels([element])[0]!;
}

/** What keeps people from using an element; `none` when nothing does. */
export function readObstacle(element: DomElement): 'hidden' | 'disabled' | 'none' {
  for (let at: DomElement | null = element; at; at = at.parentElement) {
    const { display, visibility } = element.ownerDocument.defaultView.getComputedStyle(at);
    if (display === 'none' || visibility === 'hidden') return 'hidden';
  }
  return element.matches(':disabled') ? 'disabled' : 'none';
}

/** What a control holds, as people see it: a text, the chosen option, `Yes` for a tick; '' when empty. */
export function readValue(element: DomElement): string {
  if (element.matches('input[type=checkbox]')) return element.checked ? 'Yes' : '';
  if (element.matches('select'))
    return element.value === '' ? '' : (element.selectedOptions?.[0]?.textContent ?? '').trim();
  if (!element.matches('input, textarea')) {
    const chosen = [...element.querySelectorAll('input[type=radio]')].find((radio) => radio.checked);
    return (chosen?.labels?.[0]?.textContent ?? '').trim();
  }
  return element.value ?? '';
}

/** The rows of a table in an element, each a heading and a value. */
export function readRows(element: DomElement): (readonly [string, string])[] {
  return [...element.querySelectorAll('tr')].map((row) => {
    const cell = (selector: string): string => (row.querySelector(selector)?.textContent ?? '').trim();
    return [cell('th'), cell('td')] as const;
  });
}

export function readText(element: DomElement): string {
  return element.textContent.replaceAll(/\s+/g, ' ').trim();
}
