import type { DomElement } from '../page/dom.ts';
import type { Locator } from '../protocol/outputs.ts';

/** What an engine can do with one open page. `H` is its handle of an element. */
export interface Driver<H> {
  /** The element that a locator finds, shown or not (but roles only of what is shown), and the label that people read on it; `undefined` unless it finds exactly one. */
  findOne(locator: Locator): Promise<Found<H> | undefined>;
  /** Runs a function of `page/read.ts` on the element, where the page lives. */
  read<T>(handle: H, reader: (element: DomElement) => T): Promise<T>;
  fill(handle: H, text: string): Promise<void>;
  click(handle: H): Promise<void>;
  tick(handle: H): Promise<void>;
  /** `false`: it has no such option. */
  choose(handle: H, option: string): Promise<boolean>;
  /** Texts of shown elements of role alert. */
  alerts(): Promise<string[]>;
  /** What the page's scripts threw so far. */
  problems(): readonly string[];
  close(): Promise<void>;
}

/** An element, and the label that people read on it (`readLabel`). */
export interface Found<H> {
  readonly handle: H;
  readonly label: string;
}

/** Something that opens pages. */
export interface Engine {
  readonly name: 'embedded' | 'chromium';
  /** Opens the page afresh. */
  open(): Promise<Driver<unknown>>;
  close(): Promise<void>;
}
