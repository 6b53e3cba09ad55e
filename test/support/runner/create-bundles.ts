import { mkdtemp, rename, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Bundles programs of the product and of tests into the folder that its argument names. */

const SOURCES = fileURLToPath(new URL('../../../src', import.meta.url));
const ORACLE = fileURLToPath(new URL('../../oracle', import.meta.url));
const TEMPLATES = fileURLToPath(new URL('../../../templates', import.meta.url));
const ACTIONS = ['apply', 'begin', 'comment', 'complete', 'gate', 'post', 'report'];
const PROGRAMS = {
  ...Object.fromEntries(ACTIONS.map((name) => [name, join(SOURCES, 'action', name, 'main.ts')])),
  cli: join(SOURCES, 'cli', 'index.ts'),
  'entity-worker': join(ORACLE, 'entities', 'worker.ts'),
  'oracle-host': join(ORACLE, 'git', 'host.ts'),
};
/** The log of a step needs no HTTP library: the product's bundler leaves it out too. */
const SIDE_EFFECTS = [{ test: /node_modules.(?:@actions|undici|tunnel)/, sideEffects: false }];

const programs = process.argv[2]!;
const folder = await mkdtemp(join(dirname(programs), 'bundle-'));
const bundle = await rolldown({ input: PROGRAMS, platform: 'node', treeshake: { moduleSideEffects: SIDE_EFFECTS } });
await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', minify: true });
// `gateline init` copies them from a folder above its program.
await symlink(TEMPLATES, join(folder, 'templates'));
await rename(folder, programs);
