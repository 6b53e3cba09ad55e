// The part of jsdom that is used here. @types/jsdom would bring the browser's global names into every file of the repository.
declare module 'jsdom' {
  export class VirtualConsole {
    on(event: 'jsdomError', listener: (error: Error) => void): this;
  }
  export class JSDOM {
    constructor(html: string, options?: { runScripts?: 'dangerously'; url?: string; virtualConsole?: VirtualConsole });
    /** A `DomWindow` of `dom.ts`; a declaration like this one cannot import it. */
    readonly window: unknown;
  }
}
