import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CopyTests } from '../../scripts/copy-tests.mjs';
import { isRunning } from '../agent/attempt.ts';
import { ROOT } from './repository-files.ts';
import { IS_FULL } from '../support/test-size.ts';

const RIGHT = 'export const answer = (): number => 42;\n';
const WRONG = RIGHT.replace('42', '41');

/** A test, a test that starts a program, and a test of something else: each says what it sees. */
const FILES = {
  'vitest.config.ts': `
    import { defineConfig } from 'vitest/config';
    export default defineConfig({
      test: {
        pool: 'forks', maxWorkers: 1, testTimeout: 1000, sequence: { concurrent: false },
        projects: [{ extends: true, test: { name: 'all', include: ['test/**/*.test.ts'] } }],
      },
    });`,
  'src/answer.ts': RIGHT,
  'src/other.ts': RIGHT,
  'test/answer.test.ts': `
    import { writeFileSync } from 'node:fs';
    import { expect, it } from 'vitest';
    import { answer } from '../src/answer.ts';
    writeFileSync(new URL('../pid', import.meta.url), String(process.pid));
    it('is right', async () => expect(await answer()).toBe(42));
    it('is a number', async () => expect(typeof (await answer())).toBe('number'));`,
  'test/program.test.ts': `
    import { execFileSync } from 'node:child_process';
    import { expect, it } from 'vitest';
    it('is right in a program', () => {
      const code = "import { answer } from './src/answer.ts'; console.log(answer())";
      const options = { cwd: new URL('..', import.meta.url), encoding: 'utf8' };
      expect(execFileSync(process.execPath, ['--input-type=module', '-e', code], options)).toBe('42\\n');
    });`,
  'test/other.test.ts': `
    import { describe, expect, it } from 'vitest';
    import { answer } from '../src/other.ts';
    describe('another one', () => it('is right', () => expect(answer()).toBe(42)));`,
};

const TEST = ['test/answer.test.ts'];

let folder: string;
let tests: CopyTests;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'gateline-copy-tests-')));
  for (const name of ['src', 'test']) await mkdir(join(folder, name));
  for (const [path, text] of Object.entries(FILES)) await writeFile(join(folder, path), text);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  tests = new CopyTests(folder);
});

afterEach(async () => {
  await tests.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The failed tests of a run. */
async function red(files: readonly string[], options?: { only?: string; bail?: number }): Promise<string[]> {
  const run = await tests.run(files, options);
  return run.files.flatMap((file) => file.tests.flatMap(({ test, status }) => (status === 'failed' ? [test] : [])));
}

/** Resolves when the process of the tests has ended. */
async function workerEnded(): Promise<void> {
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
}

describe('tests of a copy, run again and again', () => {
  it('see a mistake while it is there, in their own process and in programs, and no longer', async () => {
    const all = ['test/answer.test.ts', 'test/program.test.ts', 'test/other.test.ts'];
    expect(await red(all)).toEqual([]);
    tests.write('src/answer.ts', WRONG);
    expect((await red(all)).toSorted()).toEqual(['is right', 'is right in a program']);
    tests.write('src/answer.ts', RIGHT);
    tests.write('src/other.ts', WRONG);
    expect(await red(all)).toEqual(['another one is right']);
    tests.write('src/other.ts', RIGHT);
    expect(await red(all)).toEqual([]);
  });

  it('are only those of a pattern, and end after the first failed one, if so asked', async () => {
    tests.write('src/answer.ts', 'export const answer = () => "none";\n');
    tests.write('src/other.ts', WRONG);
    expect(await red(TEST)).toEqual(['is right', 'is a number']);
    expect(await red(TEST, { only: '^is a' })).toEqual(['is a number']);
    expect(await red(TEST, { bail: 1 })).toEqual(['is right']);
    // What the file that is not run any more came to the last time is no result of this run.
    expect(await red([...TEST, 'test/other.test.ts'])).toHaveLength(3);
    expect(await red([...TEST, 'test/other.test.ts'], { bail: 1 })).toHaveLength(1);
  });

  it('say which file has no result, and why', async () => {
    tests.write('src/answer.ts', 'export const answer = (;\n');
    const [broken] = (await tests.run(TEST)).files;
    expect(broken).toMatchObject({ file: 'test/answer.test.ts', failed: true, tests: [] });
    expect(broken?.message).not.toBe('');
    tests.write('src/answer.ts', 'process.kill(process.pid, "SIGKILL");\n');
    const crashed = await tests.run(TEST);
    expect(crashed.files.flatMap((file) => file.tests)).toEqual([]);
    expect(crashed.errors.join()).toContain('Worker exited unexpectedly');
    expect((await tests.run(['test/none.test.ts'])).files).toEqual([]);
    tests.write('src/answer.ts', RIGHT);
    expect(await red(TEST)).toEqual([]);
  });

  it('end by their time limit when the program hangs, and are green without it', async () => {
    tests.write('src/answer.ts', 'export const answer = () => new Promise(() => setInterval(() => {}, 1000));\n');
    const [hung] = (await tests.run(TEST, { bail: 1 })).files;
    expect(hung?.tests[0]?.failureMessages[0]).toMatch(/^Error: Test timed out/);
    await workerEnded();
    tests.write('src/answer.ts', RIGHT);
    expect(await red(TEST)).toEqual([]);
  });

  it.runIf(IS_FULL)('are ended when they are in an endless loop, and green without it', async () => {
    await tests.close();
    tests = new CopyTests(folder, { longest: 5000 });
    tests.write(
      'src/answer.ts',
      'export const answer = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\n',
    );
    await expect(tests.run(TEST)).rejects.toThrow('the tests did not end within 5 s');
    await workerEnded();
    tests = new CopyTests(folder);
    tests.write('src/answer.ts', RIGHT);
    expect(await red(TEST)).toEqual([]);
  });

  it('leave no process when the script is interrupted', async () => {
    await writeFile(
      join(folder, 'src/answer.ts'),
      'export const answer = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\n',
    );
    const module = JSON.stringify(join(ROOT, 'scripts/copy-tests.mjs'));
    const code = `
      import { CopyTests } from ${module};
      await new CopyTests(process.cwd()).run(['test/answer.test.ts']).catch(({ message }) => console.log(message));`;
    const script = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: folder });
    let printed = '';
    script.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const closed = once(script, 'close');
    while (!existsSync(join(folder, 'pid'))) await sleep(50);
    script.kill('SIGINT');
    await closed;
    expect(printed).toBe('interrupted\n');
    await workerEnded();
  });
});
