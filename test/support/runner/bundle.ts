import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isSystemError } from '../../../src/errors.ts';

/** A process of its own: the bundler keeps 400 MB, and the more a process has, the longer it takes to start others. */
const BUNDLER = fileURLToPath(new URL('create-bundles.ts', import.meta.url));
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

/** The folder with `<action>.mjs`, `cli.mjs` and programs of tests: to load the sources one by one takes twice the processor time. */
export function bundlePrograms(): Promise<string> {
  return (bundles ??= createBundles());
}

/** Files of tests run in processes of their own: the first one's bundles serve all. */
async function createBundles(): Promise<string> {
  const parent = process.env[FOLDER] ?? (await mkdtemp(join(tmpdir(), 'gateline-bundles-')));
  const [programs, lock] = [join(parent, 'programs'), join(parent, 'lock')];
  while (!existsSync(programs)) {
    if (!(await isCreated(lock))) await sleep(10);
    else {
      await promisify(execFile)(process.execPath, [BUNDLER, programs]).catch(async (error: unknown) => {
        await rm(lock, { recursive: true });
        throw error;
      });
    }
  }
  return programs;
}

/** Whether this process made the folder, and not another. */
async function isCreated(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
}
