import type { Locator } from '../protocol/outputs.ts';

/** An element of a page as generated page objects hold it. */
export interface PageElement {
  readonly name: string;
  /** What people must read on it, by the acceptance criteria; `null` when they do not say. */
  readonly label: string | null;
  /** Tried in order. Empty when the element was not found on the page. */
  readonly locators: readonly Locator[];
}

/**
 * A page that is open, in whatever engine. Each call finds its element anew.
 * @throws StepError when the element is not there, or people do not read the label on it that they should.
 */
export interface Screen {
  fill(element: PageElement, text: string): Promise<void>;
  /** Chooses the option of this name, in a radio group or a select. */
  choose(element: PageElement, option: string): Promise<void>;
  tick(element: PageElement): Promise<void>;
  press(element: PageElement): Promise<void>;
  /** Whether it is there, is shown and can be pressed; never throws for absence. */
  canPress(element: PageElement): Promise<boolean>;
  isShown(element: PageElement): Promise<boolean>;
  /** What a control holds; see `readValue`. */
  valueOf(element: PageElement): Promise<string>;
  textOf(element: PageElement): Promise<string>;
  rowsOf(element: PageElement): Promise<(readonly [string, string])[]>;
  /** Texts of all alerts that are shown. */
  messages(): Promise<string[]>;
}

/** Why a step cannot be done or does not hold. */
export class StepError extends Error {
  override name = 'StepError';
}
