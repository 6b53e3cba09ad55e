import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Locator as Handle, Page } from 'playwright-core';
import type { DomElement } from '../page/dom.ts';
import { readLabels, readText } from '../page/read.ts';
import type { Locator } from '../protocol/outputs.ts';
import type { Driver, Engine, Found } from './driver.ts';

/** No background traffic, no first-run pages. */
const SWITCHES = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Waiting for an element to become usable, in milliseconds. */
const PATIENCE = 5000;

/** Where Chromium is: `CHROME_PATH`, else where Debian puts it; `undefined` when it is not there. */
export function findChromium(environment: NodeJS.ProcessEnv): string | undefined {
  const path = environment['CHROME_PATH'] || '/usr/bin/chromium';
  return existsSync(path) ? path : undefined;
}

/** Pages in a headless Chromium with a new, empty profile. */
export async function chromiumEngine(executablePath: string, pagePath: string): Promise<Engine> {
  const { chromium } = await import('playwright-core');
  // Chromium's own sandbox refuses to start for root, as in a container.
  const args = process.getuid?.() === 0 ? [...SWITCHES, '--no-sandbox'] : SWITCHES;
  const browser: Browser = await chromium.launch({ executablePath, headless: true, args });
  const context: BrowserContext = await browser.newContext({ offline: true });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  const url = pathToFileURL(resolve(pagePath)).href;
  // Going to the page again starts it anew, and is much quicker than a new tab.
  const open = async (): Promise<Driver<unknown>> => {
    problems.length = 0;
    await page.goto(url);
    return new ChromiumDriver(page, problems);
  };
  return { name: 'chromium', open, close: () => browser.close() };
}

class ChromiumDriver implements Driver<Handle> {
  readonly #page: Page;
  readonly #problems: readonly string[];

  constructor(page: Page, problems: readonly string[]) {
    this.#page = page;
    this.#problems = problems;
  }

  async findOne(locator: Locator): Promise<Found<Handle> | undefined> {
    const handle = this.#locate(locator);
    const labels: string[] = await handle.evaluateAll(readLabels as never);
    return labels.length === 1 ? { handle, label: labels[0]! } : undefined;
  }

  async read<T>(handle: Handle, reader: (element: DomElement) => T): Promise<T> {
    return handle.evaluate(reader as never);
  }

  async fill(handle: Handle, text: string): Promise<void> {
    await handle.fill(text);
  }

  async click(handle: Handle): Promise<void> {
    await handle.click();
  }

  async tick(handle: Handle): Promise<void> {
    await handle.check();
  }

  async choose(handle: Handle, name: string): Promise<boolean> {
    if ((await handle.evaluate((element: { localName: string }) => element.localName)) === 'select') {
      const options = await handle.locator('option').allTextContents();
      const index = options.findIndex((option) => option.trim() === name);
      if (index >= 0) await handle.selectOption({ index });
      return index >= 0;
    }
    const radio = handle.getByLabel(name, { exact: true });
    if ((await radio.count()) !== 1) return false;
    await radio.check();
    return true;
  }

  async alerts(): Promise<string[]> {
    const shown = await this.#page.locator('[role=alert]').filter({ visible: true }).all();
    return Promise.all(shown.map((alert) => this.read(alert, readText)));
  }

  problems(): readonly string[] {
    return this.#problems;
  }

  async close(): Promise<void> {}

  #locate({ type, value, name, group }: Locator): Handle {
    const scope = group === undefined ? this.#page : this.#page.getByRole('group', { name: group, exact: true });
    switch (type) {
      case 'id':
        return scope.locator(`[id=${JSON.stringify(value)}]`);
      case 'label':
        return scope.getByLabel(value, { exact: true });
      case 'role':
        return scope.getByRole(value as 'button', { name: name ?? '', exact: true });
      case 'placeholder':
        return scope.getByPlaceholder(value, { exact: true });
      case 'css':
        return scope.locator(`css=${value}`);
      case 'xpath':
        return scope.locator(`xpath=${value}`);
    }
  }
}
