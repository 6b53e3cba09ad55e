/** The part of the DOM standard (https://dom.spec.whatwg.org, https://html.spec.whatwg.org) that is used here; both engines have it. */
export interface DomElement {
  readonly localName: string;
  readonly ownerDocument: DomDocument;
  readonly parentElement: DomElement | null;
  readonly previousElementSibling: DomElement | null;
  readonly children: ArrayLike<DomElement>;
  readonly textContent: string;
  id: string;
  /** On labels: what they are for. */
  readonly control?: DomElement | null;
  /** On controls. */
  readonly labels?: ArrayLike<DomElement> | null;
  readonly type?: string;
  readonly selectedOptions?: ArrayLike<DomElement>;
  value?: string;
  checked?: boolean;
  disabled?: boolean;
  readOnly?: boolean;
  hidden: boolean;
  tabIndex: number;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  removeAttribute(name: string): void;
  matches(selector: string): boolean;
  closest(selector: string): DomElement | null;
  contains(other: DomElement): boolean;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  cloneNode(deep: boolean): DomElement;
  remove(): void;
  click(): void;
  dispatchEvent(event: object): boolean;
}

export interface DomDocument {
  readonly body: DomElement;
  readonly documentElement: DomElement;
  readonly defaultView: DomWindow;
  getElementById(id: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  /** https://www.w3.org/TR/DOM-Level-3-XPath */
  evaluate(
    expression: string,
    node: object,
    resolver: null,
    type: number,
    result: null,
  ): { readonly snapshotLength: number; snapshotItem(at: number): DomElement };
}

export interface DomWindow {
  readonly document: DomDocument;
  readonly Event: new (type: string, options: { bubbles: boolean }) => object;
  getComputedStyle(element: DomElement): { readonly display: string; readonly visibility: string };
  close(): void;
}
