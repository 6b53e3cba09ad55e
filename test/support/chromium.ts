import { existsSync } from 'node:fs';

/** The browser of tests that need one. */
export const CHROMIUM = process.env['CHROME_PATH'] || '/usr/bin/chromium';

/**
 * Whether the browser is there. Where it is not, what is not tested is named; in CI the test fails.
 * @param what it tests, such as `the HTML report`
 */
export function hasChromium(what: string): boolean {
  if (existsSync(CHROMIUM)) return true;
  if (process.env['CI'] === 'true') throw new Error(`no Chromium at ${CHROMIUM}; install it or set CHROME_PATH`);
  process.stderr.write(`\n!!! NOT TESTED: ${what} in Chromium. There is none at ${CHROMIUM}.\n\n`);
  return false;
}
