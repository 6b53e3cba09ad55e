/** What tests use of jsdom, which has no types of its own. */
declare module 'jsdom' {
  export interface Element {
    readonly textContent: string;
    readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
    getAttribute(name: string): string | null;
    querySelector(selector: string): Element | null;
    querySelectorAll(selector: string): ArrayLike<Element> & Iterable<Element>;
  }

  export class JSDOM {
    constructor(html: string);
    readonly window: { readonly document: { readonly documentElement: Element } };
  }
}
