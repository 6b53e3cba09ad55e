import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Bundles that no test run used for so long are removed. Milliseconds. */
const KEPT = 24 * 60 * 60_000;

/** What tests start most, by names in a bundle: the programs of the action lie where its `action.yml` names them. */
const ENTRIES = {
  'cli/index': 'src/cli/index.ts',
  'cli/that-dies': 'test/crash/cli-that-dies.ts',
  'dist/index': 'src/action/index.ts',
  'dist/post': 'src/action/post-entry.ts',
};

/** What a bundle is made from: its digest is the name of the bundle, so an old one is never used for new sources. */
const MADE_FROM = ['src', 'test/crash/cli-that-dies.ts', 'package.json', 'package-lock.json', 'action.yml'];

/**
 * Bundles the command line and the action of a repository, unless that was done before.
 * @param into where bundles are kept
 * @returns the folder of the bundle: `cli/index.js`, `action.yml` and its `dist/`
 */
export async function bundlePrograms(repository: string, into: string): Promise<string> {
  const folder = join(into, await digestOf(repository));
  if (!existsSync(folder)) {
    await mkdir(into, { recursive: true });
    await removeUnused(into);
    const fresh = await mkdtemp(join(into, 'fresh-'));
    await bundle(repository, fresh);
    // Another test run may have made it meanwhile.
    await rename(fresh, folder).catch(async (error: NodeJS.ErrnoException) => {
      if (!existsSync(folder)) throw error;
      await rm(fresh, { recursive: true });
    });
  }
  const now = new Date();
  await utimes(folder, now, now);
  return folder;
}

async function digestOf(repository: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(import.meta.filename));
  for (const name of MADE_FROM) {
    for (const path of await filesOf(repository, name)) hash.update(`${path}\0`).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesOf(repository: string, name: string): Promise<string[]> {
  const path = join(repository, name);
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
}

async function bundle(repository: string, folder: string): Promise<void> {
  const bundled = await rolldown({
    cwd: repository,
    input: ENTRIES,
    platform: 'node',
    logLevel: 'warn',
    // As in scripts/bundle.mjs: else every step loads an HTTP library.
    treeshake: { moduleSideEffects: [{ test: /node_modules[\\/]@actions[\\/]core[\\/]/, sideEffects: false }] },
  });
  await bundled.write({ dir: folder, format: 'esm' });
  await bundled.close();
  await copyFile(join(repository, 'action.yml'), join(folder, 'action.yml'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
}

async function removeUnused(into: string): Promise<void> {
  for (const name of await readdir(into)) {
    const { mtimeMs } = await stat(join(into, name));
    if (Date.now() - mtimeMs > KEPT) await rm(join(into, name), { recursive: true, force: true });
  }
}
