import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * The browser of tests that need one: the variable CHROME_PATH, or what the PATH has. On a machine without any its tests
 * are left out, which is said; in CI they fail: `.ci/run` installs it by apt.
 */
export const CHROMIUM = findChromium();

function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const path = process.env['CHROME_PATH'] || paths.find((each) => existsSync(each));
  if (path !== undefined) return path;
  if (process.env['CI'] === 'true') throw new Error('there is no Chromium on the PATH: install it, or set CHROME_PATH');
  process.stderr.write(
    '\n!!! NOT TESTED: pages in a browser. There is no Chromium on the PATH, and no CHROME_PATH.\n\n',
  );
  return undefined;
}

export function startChromium(): Promise<Browser> {
  // It refuses to put root into a sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM, args, timeout: 110_000 });
}
