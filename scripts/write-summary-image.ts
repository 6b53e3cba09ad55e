import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { chromium } from 'playwright-core';
import { digestOf } from '../src/json/digest.ts';
import { WebTestsWorld } from '../test/action/workflows/web-tests-world.ts';
import { summaryPage } from './summary-page.ts';

/*
 * Writes docs/images/summary.png, the picture in the README, from docs/images/summary.txt:
 * `node scripts/write-summary-image.ts`, which needs a Chromium. With `--record` it first runs the workflow of
 * examples/web-tests three times, as test/action/workflows does: everything passes; a rule of the page is broken and
 * gate 4 fails; the rule is fixed.
 */

const IMAGES = join(import.meta.dirname, '../docs/images');
/** The report of the third run, as the action wrote it. */
export const SUMMARY_FILE = join(IMAGES, 'summary.txt');
export const SUMMARY_IMAGE = join(IMAGES, 'summary.png');

const PAGE = 'examples/web-tests/page/registration.html';
const RULE = "new RegExp('^[0-9]{' + data.length";
const WIDTH = 948;

/** The digest of the picture's source. */
export function digestOfPage(markdown: string): string {
  return digestOf(summaryPage(markdown));
}

/** The digest in a picture, from a separate text chunk. */
export function digestIn(png: Uint8Array): string | undefined {
  return /gateline-page\0(sha256:[0-9a-f]{64})/.exec(Buffer.from(png).toString('latin1'))?.[1];
}

async function record(): Promise<string> {
  await using example = await WebTestsWorld.create();
  const { repository } = example.world;
  const run = async (expected: string): Promise<string> => {
    const report = await (await example.run()).start().ended;
    if (report.conclusion === expected) return report.job('report').summary;
    const told = [...report.jobs.values()].flatMap(({ annotations }) => annotations.map(({ message }) => message));
    throw new Error(`the run ended with ${report.conclusion}:\n${told.join('\n')}`);
  };
  await run('success');
  await repository.edit(PAGE, RULE, `!${RULE}`);
  await repository.commitAll('A rule of the page is broken');
  await run('failure');
  await repository.edit(PAGE, `!${RULE}`, RULE);
  await repository.write(PAGE, `${await repository.read(PAGE)}<!-- reviewed -->\n`);
  await repository.commitAll('The rule is mended');
  return await run('success');
}

async function draw(markdown: string): Promise<Uint8Array> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const executablePath = process.env['CHROME_PATH'] || '/usr/bin/chromium';
  await using browser = await chromium.launch({ executablePath, args });
  const page = await browser.newPage({
    viewport: { width: WIDTH, height: 400 },
    deviceScaleFactor: 1.25,
    offline: true,
  });
  await page.setContent(summaryPage(markdown));
  return await page.screenshot({ fullPage: true });
}

/** The picture with one more chunk before its end (PNG, 11.3.3.2 tEXt). */
export function withDigest(png: Uint8Array, digest: string): Uint8Array {
  const body = Buffer.from(`tEXtgateline-page\0${digest}`, 'latin1');
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  check.writeUInt32BE(crc32(body));
  const end = png.length - 12;
  return Buffer.concat([png.subarray(0, end), length, body, check, png.subarray(end)]);
}

if (import.meta.main) {
  if (process.argv.includes('--record')) writeFileSync(SUMMARY_FILE, await record());
  const markdown = readFileSync(SUMMARY_FILE, 'utf8');
  writeFileSync(SUMMARY_IMAGE, withDigest(await draw(markdown), digestOfPage(markdown)));
}
