import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/**
 * The browser of tests that need one: the variable CHROME_PATH, or what the PATH has. On a machine without any its tests
 * are left out, which is said; in CI they fail: `.ci/run` installs it by apt.
 */
export const CHROMIUM = process.env['CHROME_PATH'] || findOnPath(['chromium', 'chromium-browser', 'google-chrome']);

function findOnPath(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const path = folders.flatMap((folder) => names.map((name) => join(folder, name))).find((each) => existsSync(each));
  if (path === undefined && process.env['CI'] === 'true') throw new Error('no Chromium on the PATH: install it');
  if (path === undefined) process.stderr.write('\n!!! NOT TESTED: pages in a browser. There is no Chromium.\n\n');
  return path;
}

export function startChromium(): Promise<Browser> {
  // It refuses to put root into a sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM, args, timeout: 300_000 });
}
