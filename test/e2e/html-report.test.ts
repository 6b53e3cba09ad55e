import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { htmlReport } from '../../src/report/html/page.ts';
import { hostileContent } from '../report/html/content.ts';
import { HOSTILE_HERE } from '../report/github/hostile.ts';
import { bySize, IS_FULL, spread } from '../support/test-size.ts';
import { CHROMIUM, hasChromium } from '../support/chromium.ts';

/** Texts whose contrast with what is behind them is under 4.5:1. Runs in the page. */
const FAINT = `(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    if (element.closest('svg')) {
      const box = element.parentElement.querySelector('rect');
      if (element.closest('.graph') && box) return numbers(getComputedStyle(box).fill);
    }
    for (let at = element; at; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  return [...document.body.querySelectorAll('*')]
    .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '') && one.tagName !== 'title')
    .flatMap((one) => {
      const style = getComputedStyle(one);
      const [a, b] = [light(numbers(one.closest('svg') ? style.fill : style.color)), light(behind(one))].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      return ratio < 4.5 ? [one.tagName + '.' + (one.getAttribute('class') ?? '') + ' ' + ratio.toFixed(2)] : [];
    });
})()`;

describe.runIf(IS_FULL && hasChromium('the HTML report'))('the HTML report in Chromium', { timeout: 120_000 }, () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    const args = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu'];
    browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, args });
    folder = await mkdtemp(join(tmpdir(), 'gateline-report-'));
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });

  /** Opens a page without a network. @returns it with what it asked for and complained about */
  async function opened(html: string, options: Parameters<Browser['newContext']>[0] = {}) {
    const file = join(folder, 'report.html');
    await writeFile(file, html);
    const context = await browser.newContext({ offline: true, ...options });
    const page = await context.newPage();
    const seen: string[] = [];
    page.on('request', (request) => seen.push(`request ${request.url()}`));
    page.on('dialog', (dialog) => (seen.push('dialog'), void dialog.dismiss()));
    page.on('console', (message) => seen.push(`console ${message.text()}`));
    page.on('pageerror', (error) => seen.push(`error ${error.message}`));
    const url = pathToFileURL(file).href;
    await page.goto(url);
    return {
      page,
      seen: () => seen.filter((one) => one !== `request ${url}`),
      [Symbol.asyncDispose]: () => context.close(),
    };
  }

  const elements = (page: Page): Promise<string> =>
    page.evaluate('[...document.querySelectorAll("*")].map((one) => one.tagName + one.getAttributeNames()).join()');

  it('asks for nothing and shows nothing live', async () => {
    await using plain = await opened(htmlReport(hostileContent('harmless')));
    const expected = await elements(plain.page);
    for (const text of spread(HOSTILE_HERE, bySize({ sample: 1, full: 40, soak: HOSTILE_HERE.length }))) {
      await using shown = await opened(htmlReport(hostileContent(text.trim() === '' ? 'x' : text)));
      expect(shown.seen()).toEqual([]);
      expect(await elements(shown.page)).toBe(expected);
    }
  });

  it.each(['light', 'dark'] as const)('has enough contrast in %s', async (colorScheme) => {
    await using shown = await opened(htmlReport(hostileContent('text')), { colorScheme });
    await shown.page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })');
    expect(await shown.page.evaluate(FAINT)).toEqual([]);
  });

  it('is reached by keyboard: each link, each table that scrolls, and each part that opens', async () => {
    await using shown = await opened(htmlReport(hostileContent('text')), { viewport: { width: 320, height: 600 } });
    const { page } = shown;
    const stops = `[...document.querySelectorAll('a[href], summary, [tabindex="0"]')].filter((one) => one.checkVisibility())`;
    const wanted = (await page.evaluate(`${stops}.length`)) as number;
    const outlines = new Set<unknown>();
    const reached: unknown[] = [];
    for (let presses = 0; presses < wanted; presses += 1) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(`${stops}.indexOf(document.activeElement)`));
      outlines.add(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'));
    }
    expect(reached).toEqual(Array.from({ length: wanted }, (_, at) => at));
    expect([...outlines]).toEqual(['solid']);
    await page.locator('summary').first().focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('details').first().getAttribute('open')).toBe('');
    await page.locator('nav a').last().focus();
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#history');
  });

  it('is printed as a whole: parts are open, nothing is cut, links to sections are left out', async () => {
    await using shown = await opened(htmlReport(hostileContent('text')));
    const { page } = shown;
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate(FAINT)).toEqual([]);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.locator('nav').isVisible()).toBe(false);
    const hidden = '[...document.querySelectorAll("details > pre")].filter((one) => !one.checkVisibility()).length';
    expect(await page.evaluate(hidden)).toBe(0);
    const cut =
      '[...document.querySelectorAll("pre, .wide")].filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX) || getComputedStyle(one).maxHeight !== "none").length';
    expect(await page.evaluate(cut)).toBe(0);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('has landmarks, headings in order, and a name for each link, picture and region', async () => {
    await using shown = await opened(htmlReport(hostileContent('text')));
    const { page } = shown;
    const levels = (await page.evaluate(
      '[...document.querySelectorAll("h1,h2,h3,h4")].map((one) => Number(one.tagName[1]))',
    )) as number[];
    expect(levels[0]).toBe(1);
    for (const [at, level] of levels.entries()) expect(level - (levels[at - 1] ?? 0)).toBeLessThanOrEqual(1);
    const nameless = `[...document.querySelectorAll('a, svg, [role="region"], summary, section, article, nav')].filter((one) => {
      const label = one.getAttribute('aria-label') ?? document.getElementById(one.getAttribute('aria-labelledby'))?.textContent ?? one.textContent;
      return label.trim() === '';
    }).map((one) => one.outerHTML.slice(0, 80))`;
    expect(await page.evaluate(nameless)).toEqual([]);
    const ids = (await page.evaluate('[...document.querySelectorAll("[id]")].map((one) => one.id)')) as string[];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('fits 320 pixels, and has names for screen readers', async () => {
    await using shown = await opened(htmlReport(hostileContent('text')), { viewport: { width: 320, height: 600 } });
    expect(await shown.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    const tree = await shown.page.locator('body').ariaSnapshot();
    for (const line of [
      '- banner',
      '- navigation "Sections"',
      '- main',
      '- region "Overview"',
      '- img "Gates and their needs"',
      '- columnheader "Status"',
      '- rowheader',
    ])
      expect(tree).toContain(line);
  });
});
