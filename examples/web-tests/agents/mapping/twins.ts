import type { DomDocument, DomElement } from '../page/dom.ts';
import { loadPage } from '../page/load-page.ts';

/** One page loaded twice: what differs between the two is not to be relied on. */
export interface Twins {
  readonly first: DomDocument;
  readonly second: DomDocument;
  /** What the page's scripts threw. */
  readonly problems: readonly string[];
  close(): void;
}

/** Loads the page twice and opens what is hidden, so that it can be looked at. */
export function loadTwins(html: string): Twins {
  const pages = [loadPage(html), loadPage(html)] as const;
  for (const { document } of pages) {
    for (const dialog of document.querySelectorAll('[role=dialog][hidden]')) dialog.removeAttribute('hidden');
  }
  return {
    first: pages[0].document,
    second: pages[1].document,
    problems: pages[0].problems,
    close: () => pages.forEach((page) => page.close()),
  };
}

/** The element of the second document that stands where this one stands in the first. */
export function twinOf(element: DomElement, { second }: Twins): DomElement | undefined {
  const path: number[] = [];
  for (let at = element; at.parentElement; at = at.parentElement)
    path.unshift(Array.from(at.parentElement.children).indexOf(at));
  let found: DomElement | undefined = second.documentElement;
  for (const step of path) found = found?.children[step];
  return found;
}
