import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderHtml } from '../../../src/report/html/page.ts';
import { CHROMIUM, startChromium } from '../../support/chromium.ts';
import { ALL_HOSTILE } from '../../untrusted/hostile.ts';
import { createLargeReport, createReport, withText } from './pages.ts';

const PAGES = {
  run: () => createReport(),
  hostile: () => withText(createReport(), ALL_HOSTILE.join(' ')),
  'one long word': () => withText(createReport(), 'x'.repeat(4_000)),
  '60 gates': () => createLargeReport(60),
  '1,000 gates': () => createLargeReport(1_000),
};

/** Texts whose contrast with what is behind them is below 4.5, which WCAG 2.2 asks for. Runs in the page. */
const FAINT_TEXTS = `(() => {
  const luminance = (color) => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map((byte) => byte / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    if (element.matches('svg.graph a')) return getComputedStyle(element.querySelector('rect')).fill;
    const { backgroundColor } = getComputedStyle(element);
    return backgroundColor === 'rgba(0, 0, 0, 0)' ? behind(element.parentElement) : backgroundColor;
  };
  return [...document.querySelectorAll('body :not(title)')].flatMap((element) => {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')) return [];
    const style = getComputedStyle(element);
    const [a, b] = [luminance(element.matches('svg text') ? style.fill : style.color), luminance(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return contrast < 4.5 ? [element.outerHTML.slice(0, 100) + ' ' + contrast] : [];
  });
})()`;

describe.skipIf(CHROMIUM === undefined)('the page in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-html-'));
  let browser: Browser;
  beforeAll(async () => {
    for (const [name, create] of Object.entries(PAGES))
      writeFileSync(join(folder, `${name}.html`), renderHtml(create()));
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens a page, and collects what it must not do. */
  async function open(
    name: keyof typeof PAGES,
    media: 'screen' | 'print' = 'screen',
    scheme: 'light' | 'dark' = 'light',
  ) {
    const page = await browser.newPage({ viewport: { width: 700, height: 700 } });
    page.setDefaultTimeout(300_000);
    await page.emulateMedia({ media, colorScheme: scheme });
    const troubles: string[] = [];
    const address = pathToFileURL(join(folder, `${name}.html`)).href;
    page.on('request', (request) => void (request.url() === address || troubles.push(request.url())));
    page.on('console', (message) => void troubles.push(message.text()));
    page.on('dialog', (dialog) => void troubles.push(dialog.message()));
    await page.goto(address);
    return Object.assign(page, { troubles, [Symbol.asyncDispose]: () => page.close() });
  }
  const isWithin = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth');

  const names = Object.keys(PAGES) as (keyof typeof PAGES)[];

  it.each(names)('of %s is as wide as the screen, and loads nothing', async (name) => {
    await using page = await open(name);
    for (const width of [320, 360, 800, 1_400]) {
      await page.setViewportSize({ width, height: 700 });
      expect([width, await isWithin(page), page.troubles]).toEqual([width, true, []]);
    }
  });

  it.each(names.slice(0, -1))('of %s is complete in print', async (name) => {
    await using page = await open(name, 'print');
    expect(await isWithin(page)).toBe(true);
    const hidden = `[...document.querySelectorAll('main :not(title)')].filter((each) => !each.checkVisibility())`;
    const cut = `[...document.querySelectorAll('pre')].filter((pre) => pre.scrollHeight > pre.clientHeight + 2)`;
    expect(await page.evaluate(`[${hidden}.length, ${cut}.length]`)).toEqual([0, 0]);
    expect(await page.locator('nav').isVisible()).toBe(false);
  });

  it('can be read in light, in dark and on paper', async () => {
    const looks = [
      ['screen', 'light'],
      ['screen', 'dark'],
      ['print', 'dark'],
    ] as const;
    for (const [media, scheme] of looks) {
      await using page = await open('run', media, scheme);
      const background = media === 'screen' && scheme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(255, 255, 255)';
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(background);
      expect(await page.evaluate(FAINT_TEXTS)).toEqual([]);
    }
  });

  it('is used by keyboard: each link, gate and wide table is reached, and a link opens its gate', async () => {
    await using page = await open('run');
    await page.setViewportSize({ width: 360, height: 700 });
    const reached: string[] = [];
    const nameOf = `((each) => each.tagName + ' ' + (each.getAttribute('aria-label') ?? each.textContent.trim()))`;
    for (;;) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate<string>(`${nameOf}(document.activeElement)`);
      if (name.startsWith('BODY') || reached.length > 200) break;
      reached.push(name);
    }
    expect(reached[0]).toBe('A Skip to the gates');
    const all = `[...document.querySelectorAll('a[href], summary, [tabindex="0"]')].filter((each) => each.checkVisibility())`;
    expect(reached).toEqual(await page.evaluate(`${all}.map(${nameOf})`));
    expect(reached.filter((name) => /^(?:DIV Graph|DIV Gates and|SUMMARY dom|A dom$)/.test(name))).toHaveLength(4);

    const gate = page.locator('details.gate', { has: page.locator('h3', { hasText: /^dom$/ }) });
    expect(await gate.getAttribute('open')).toBeNull();
    await page.locator('table a', { hasText: /^dom$/ }).press('Enter');
    await gate.locator('.body').waitFor({ state: 'visible' });
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0);
    await gate.locator('> summary').press('Enter');
    await gate.locator('.body').waitFor({ state: 'hidden' });
    await gate.locator('> summary').press(' ');
    await gate.locator('summary', { hasText: 'stdout' }).press('Enter');
    await gate.locator('pre').waitFor({ state: 'visible' });
  });
});
