import type { DomElement } from '../page/dom.ts';
import { findAll } from '../page/find.ts';
import { loadPage, type LoadedPage } from '../page/load-page.ts';
import { readLabel, readObstacle, readText } from '../page/read.ts';
import type { Locator } from '../protocol/outputs.ts';
import type { Driver, Engine, Found } from './driver.ts';

/** Pages in jsdom, in this process. */
export function embeddedEngine(html: string): Engine {
  return { name: 'embedded', open: async () => new EmbeddedDriver(loadPage(html)), close: async () => {} };
}

class EmbeddedDriver implements Driver<DomElement> {
  readonly #page: LoadedPage;

  constructor(page: LoadedPage) {
    this.#page = page;
  }

  async findOne(locator: Locator): Promise<Found<DomElement> | undefined> {
    const [handle, another] = findAll(this.#page.document, locator);
    return handle && !another ? { handle, label: readLabel(handle) } : undefined;
  }

  async read<T>(handle: DomElement, reader: (element: DomElement) => T): Promise<T> {
    return reader(handle);
  }

  async fill(handle: DomElement, text: string): Promise<void> {
    handle.value = text;
    this.#tell(handle);
  }

  async click(handle: DomElement): Promise<void> {
    handle.click();
  }

  async tick(handle: DomElement): Promise<void> {
    if (handle.checked !== true) handle.click();
  }

  async choose(handle: DomElement, name: string): Promise<boolean> {
    if (handle.localName === 'select') {
      const option = [...handle.querySelectorAll('option')].find((candidate) => readText(candidate) === name);
      if (option?.value !== undefined) await this.fill(handle, option.value);
      return option !== undefined;
    }
    const radio = [...handle.querySelectorAll('input[type=radio]')].find(
      (candidate) => candidate.labels?.[0] && readText(candidate.labels[0]) === name,
    );
    radio?.click();
    return radio !== undefined;
  }

  async alerts(): Promise<string[]> {
    return [...this.#page.document.querySelectorAll('[role=alert]')]
      .filter((alert) => readObstacle(alert) !== 'hidden')
      .map(readText);
  }

  problems(): readonly string[] {
    return this.#page.problems;
  }

  async close(): Promise<void> {
    this.#page.close();
  }

  #tell(handle: DomElement): void {
    const { Event } = this.#page.window;
    for (const type of ['input', 'change']) handle.dispatchEvent(new Event(type, { bubbles: true }));
  }
}
