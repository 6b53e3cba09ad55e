import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ACTIONS = fileURLToPath(new URL('../../../src/action', import.meta.url));
const NAMES = ['apply', 'begin', 'comment', 'complete', 'gate', 'post', 'report'];
const FOLDER = 'GATELINE_TEST_BUNDLES';

/** Vitest's global setup: a folder for the bundles of one run of the tests, removed at its end. */
export default async function createBundleFolder(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'gateline-bundles-'));
  process.env[FOLDER] = folder;
  return () => rm(folder, { recursive: true, force: true });
}

let bundles: Promise<string> | undefined;

/** The folder with `<action>.mjs`: a step that loads the sources one by one takes twice the processor time. */
export function bundleActions(): Promise<string> {
  return (bundles ??= createBundles(process.env[FOLDER] ?? tmpdir()));
}

async function createBundles(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'gateline-bundle-'));
  const input = Object.fromEntries(NAMES.map((name) => [name, join(ACTIONS, name, 'main.ts')]));
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  // Files of tests run in processes of their own: the first one's bundle serves all.
  const shared = join(parent, 'actions');
  return rename(folder, shared).then(
    () => shared,
    () => folder,
  );
}
