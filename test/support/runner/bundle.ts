import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, statfs, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const SOURCES = fileURLToPath(new URL('../../../src', import.meta.url));
const TEMPLATES = fileURLToPath(new URL('../../../templates', import.meta.url));
const ACTIONS = ['apply', 'begin', 'comment', 'complete', 'gate', 'post', 'report'];
const PROGRAMS = {
  ...Object.fromEntries(ACTIONS.map((name) => [name, join(SOURCES, 'action', name, 'main.ts')])),
  cli: join(SOURCES, 'cli', 'index.ts'),
};
/** The log of a step needs no HTTP library: the product's bundler leaves it out too. */
const SIDE_EFFECTS = [{ test: /node_modules.(?:@actions|undici|tunnel)/, sideEffects: false }];
const FOLDER = 'GATELINE_TEST_BUNDLES';

/** A file system in memory: tests write many small files, and would wait for the disk half of their time. */
const MEMORY = '/dev/shm';
const MEMORY_BYTES = 4e9;

/** Vitest's global setup: a folder for what one run of the tests bundles and compiles, removed at its end. */
export default async function createBundleFolder(): Promise<() => Promise<void>> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize >= MEMORY_BYTES) process.env['TMPDIR'] ??= MEMORY;
  const folder = await mkdtemp(join(tmpdir(), 'gateline-bundles-'));
  process.env[FOLDER] = folder;
  // What the tests have started may still write what it compiled.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** `NODE_COMPILE_CACHE` of the bundles: without it every step compiles them anew. */
export function compileCache(): string {
  return join(process.env[FOLDER] ?? tmpdir(), 'compiled');
}

let bundles: Promise<string> | undefined;

/** The folder with `<action>.mjs` and `cli.mjs`: to load the sources one by one takes twice the processor time. */
export function bundlePrograms(): Promise<string> {
  return (bundles ??= createBundles());
}

/** Files of tests run in processes of their own: the first one's bundles serve all. */
async function createBundles(): Promise<string> {
  const parent = process.env[FOLDER] ?? (await mkdtemp(join(tmpdir(), 'gateline-bundles-')));
  const shared = join(parent, 'programs');
  if (existsSync(shared)) return shared;
  const folder = await mkdtemp(join(parent, 'bundle-'));
  const bundle = await rolldown({ input: PROGRAMS, platform: 'node', treeshake: { moduleSideEffects: SIDE_EFFECTS } });
  await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', minify: true });
  // `gateline init` copies them from a folder above its program.
  await symlink(TEMPLATES, join(folder, 'templates'));
  await rename(folder, shared).catch((error: unknown) => {
    if (!existsSync(shared)) throw error;
  });
  return shared;
}
