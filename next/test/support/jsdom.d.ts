/** What tests use of jsdom, which has no types of its own. */
declare module 'jsdom' {
  export interface Nodes {
    readonly length: number;
    [Symbol.iterator](): IterableIterator<Element>;
  }

  export interface Element {
    readonly tagName: string;
    readonly textContent: string;
    readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
    getAttribute(name: string): string | null;
    querySelector(selector: string): Element | null;
    querySelectorAll(selector: string): Nodes;
  }

  export class JSDOM {
    constructor(html: string);
    readonly window: { readonly document: { readonly documentElement: Element } };
  }
}
