import { setTimeout as wait } from 'node:timers/promises';
import { sameLabel } from '../page/same-label.ts';
import { readObstacle, readRows, readText, readValue } from '../page/read.ts';
import type { Locator, LocatorType, LocatorUse } from '../protocol/outputs.ts';
import type { Driver, Found } from './driver.ts';
import { StepError, type PageElement, type Screen } from './screen.ts';

/** An element that is not there yet is looked for this often, 50 ms apart. */
const LOOKS = 5;

/** Counts how often locators find their element, over all pages of an execution. */
export class LocatorUses {
  readonly #uses = new Map<string, { element: string; type: LocatorType; found: number; missed: number }>();

  note(element: string, type: LocatorType, found: boolean): void {
    const key = `${element} ${type}`;
    const use = this.#uses.get(key) ?? { element, type, found: 0, missed: 0 };
    this.#uses.set(key, use);
    use[found ? 'found' : 'missed'] += 1;
  }

  /** Sorted by element and type. */
  list(): LocatorUse[] {
    return [...this.#uses.keys()].sort().map((key) => this.#uses.get(key)!);
  }
}

/** What was found, and by which of the locators. */
type Located<H> = Found<H> & { readonly at: number };

type Obstacle = ReturnType<typeof readObstacle> | 'absent';

/** A {@link Screen} on any engine: finds by the locators in order, and checks what people read. */
export class DrivenScreen<H> implements Screen {
  readonly #driver: Driver<H>;
  readonly #uses: LocatorUses;

  constructor(driver: Driver<H>, uses: LocatorUses) {
    this.#driver = driver;
    this.#uses = uses;
  }

  async fill(element: PageElement, text: string): Promise<void> {
    await this.#driver.fill(await this.#findUsable(element), text);
  }

  async choose(element: PageElement, option: string): Promise<void> {
    const chosen = await this.#driver.choose(await this.#findUsable(element), option);
    if (!chosen) throw new StepError(`${called(element)} has no option "${option}"`);
  }

  async tick(element: PageElement): Promise<void> {
    await this.#driver.tick(await this.#findUsable(element));
  }

  async press(element: PageElement): Promise<void> {
    await this.#driver.click(await this.#findUsable(element));
  }

  async canPress(element: PageElement): Promise<boolean> {
    return (await this.#obstacle(await this.#look(element.locators))) === 'none';
  }

  async isShown(element: PageElement): Promise<boolean> {
    return ['none', 'disabled'].includes(await this.#obstacle(await this.#look(element.locators)));
  }

  async valueOf(element: PageElement): Promise<string> {
    return this.#driver.read(await this.#find(element), readValue);
  }

  async textOf(element: PageElement): Promise<string> {
    return this.#driver.read(await this.#find(element), readText);
  }

  async rowsOf(element: PageElement): Promise<(readonly [string, string])[]> {
    return this.#driver.read(await this.#find(element), readRows);
  }

  async messages(): Promise<string[]> {
    return this.#driver.alerts();
  }

  #find(element: PageElement): Promise<H> {
    return this.#await(element, async (found) => (found ? 'none' : 'absent'));
  }

  /** As {@link #find}, and people can use it. */
  #findUsable(element: PageElement): Promise<H> {
    return this.#await(element, (found) => this.#obstacle(found));
  }

  async #await(element: PageElement, judge: (found: Located<H> | undefined) => Promise<Obstacle>): Promise<H> {
    if (element.locators.length === 0) throw new StepError(`the page has no element for ${called(element)}`);
    for (let look = 1; ; look++) {
      const found = await this.#look(element.locators);
      const obstacle = await judge(found);
      if (found && (obstacle === 'none' || look === LOOKS)) {
        this.#noteUse(element, found.at);
        checkLabel(element, found.label);
      }
      if (found && obstacle === 'none') return found.handle;
      if (look === LOOKS) {
        if (found) throw new StepError(`${called(element)} is ${obstacle}`);
        this.#noteUse(element, element.locators.length);
        throw new StepError(`none of ${element.locators.length} locators finds ${called(element)} and nothing else`);
      }
      await wait(50);
    }
  }

  async #obstacle(found: Located<H> | undefined): Promise<Obstacle> {
    return found ? this.#driver.read(found.handle, readObstacle) : 'absent';
  }

  async #look(locators: readonly Locator[]): Promise<Located<H> | undefined> {
    for (const [at, locator] of locators.entries()) {
      const found = await this.#driver.findOne(locator);
      if (found) return { ...found, at };
    }
    return undefined;
  }

  #noteUse(element: PageElement, foundAt: number): void {
    for (const [at, locator] of element.locators.slice(0, foundAt + 1).entries())
      this.#uses.note(element.name, locator.type, at === foundAt);
  }
}

function called({ label, name }: PageElement): string {
  return `"${label ?? name}"`;
}

function checkLabel({ label }: PageElement, read: string): void {
  if (label !== null && !sameLabel(read, label))
    throw new StepError(`people read "${read}" where the acceptance criteria say "${label}"`);
}
