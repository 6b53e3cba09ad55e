import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { digestOf } from '../src/json/digest.ts';
import { reportPictures, type ReportPicture } from './report-pages.ts';
import { withDigest } from './write-summary-image.ts';

/*
 * Writes the pictures of docs/recipes/html-report.md, docs/images/report-*.png: `node scripts/write-report-images.ts`,
 * which needs a Chromium.
 */

/** Path of a picture. */
export function reportImage(name: string): string {
  return join(import.meta.dirname, '../docs/images', `${name}.png`);
}

/** The digest of a picture's source. */
export function digestOfPicture(picture: ReportPicture): string {
  return digestOf(JSON.stringify(picture));
}

async function draw(browser: Browser, { html, width, height, colours, media, at }: ReportPicture): Promise<Uint8Array> {
  const context = { viewport: { width, height }, colorScheme: colours, offline: true } as const;
  const page = await browser.newPage(context);
  await page.emulateMedia({ media, colorScheme: colours });
  await page.setContent(html);
  if (at !== undefined) await page.locator(`#${at}`).evaluate((section) => section.scrollIntoView());
  return page.screenshot();
}

if (import.meta.main) {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  await using browser = await chromium.launch({
    executablePath: process.env['CHROME_PATH'] || '/usr/bin/chromium',
    args,
  });
  for (const [name, picture] of Object.entries(reportPictures()))
    writeFileSync(reportImage(name), withDigest(await draw(browser, picture), digestOfPicture(picture)));
}
