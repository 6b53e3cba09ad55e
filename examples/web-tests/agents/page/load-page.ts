import { JSDOM, VirtualConsole } from 'jsdom';
import type { DomDocument, DomWindow } from './dom.ts';

/** A page with its scripts run, in a DOM of its own. Nothing is fetched: pages are single files. */
export interface LoadedPage {
  readonly window: DomWindow;
  readonly document: DomDocument;
  /** What the page's scripts threw, so far. */
  readonly problems: readonly string[];
  close(): void;
}

/** Loads a page; `scripts: false` gives what the server sent, before any script. */
export function loadPage(html: string, { scripts = true } = {}): LoadedPage {
  const problems: string[] = [];
  const virtualConsole = new VirtualConsole();
  virtualConsole.on('jsdomError', (error) => problems.push(error.message));
  const { window } = new JSDOM(html, {
    url: 'https://page.test/',
    virtualConsole,
    ...(scripts && { runScripts: 'dangerously' as const }),
  }) as { window: DomWindow };
  return { window, document: window.document, problems, close: () => window.close() };
}
