import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { bundlePrograms } from '../support/programs/bundle.ts';

const folder = await mkdtemp(join(tmpdir(), 'gateline-programs-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const repository = join(folder, 'repository');
const into = join(folder, 'bundles');

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(repository, path)), { recursive: true });
  await writeFile(join(repository, path), text);
}

async function printed(bundle: string, program: string): Promise<string> {
  return (await promisify(execFile)(process.execPath, [join(bundle, program)])).stdout;
}

beforeEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await write('src/said.ts', "export const said: string = 'before';");
  for (const program of ['cli/index', 'action/index']) {
    await write(`src/${program}.ts`, `import { said } from '../said.ts'; console.log('${program}', said);`);
  }
  await cp(join(import.meta.dirname, '../../src/action/post-entry.ts'), join(repository, 'src/action/post-entry.ts'));
  await write('test/crash/cli-that-dies.ts', '');
  for (const name of ['package.json', 'package-lock.json', 'action.yml']) await write(name, '{}');
});

it('are bundled anew after any edit, so that tests start the sources as they are', async () => {
  const before = await bundlePrograms(repository, into);
  expect(await printed(before, 'cli/index.js')).toBe('cli/index before\n');

  await write('src/said.ts', "export const said: string = 'after';");
  const after = await bundlePrograms(repository, into);
  expect(await printed(after, 'cli/index.js')).toBe('cli/index after\n');
  expect(await printed(after, 'dist/index.js')).toBe('action/index after\n');
  expect(await printed(after, 'dist/post.js')).toBe('action/index after\n');
  expect(await printed(before, 'cli/index.js')).toBe('cli/index before\n');
});

it('are bundled once for the same sources, and bundles that nobody used for a day are removed', async () => {
  const first = await bundlePrograms(repository, into);
  await writeFile(join(first, 'mark'), '');
  expect(await bundlePrograms(repository, into)).toBe(first);
  expect(await readdir(first)).toContain('mark');

  const old = new Date(Date.now() - 25 * 60 * 60_000);
  await utimes(first, old, old);
  await write('action.yml', 'name: another');
  const second = await bundlePrograms(repository, into);
  expect(await readdir(into)).toEqual([second.slice(into.length + 1)]);
});
