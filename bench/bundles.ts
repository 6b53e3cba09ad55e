import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, start } from './folders.ts';

/** What the actions run, and the command line of users. `npm run build` renews it. */
export const DIST = join(ROOT, 'dist');

/** The five steps, as GitHub bundles its actions: by ncc, not minified. @returns the path of the bundle */
export function bundleFiveSteps(folder: string): string {
  const ncc = join(ROOT, 'node_modules', '@vercel', 'ncc', 'dist', 'ncc', 'cli.js');
  const source = join(import.meta.dirname, 'five-steps.mjs');
  start(ROOT, process.execPath, ncc, 'build', source, '--out', folder, '--no-cache', '--quiet');
  return join(folder, 'index.mjs');
}

export function megabytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1_000_000;
}
