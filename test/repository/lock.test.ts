import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alone, startOf } from '../../scripts/lock.mjs';
import { ROOT } from './repository-files.ts';

const SCRIPTS = pathToFileURL(join(ROOT, 'scripts')).href;

let folder: string;
let lock: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateline-lock-'));
  lock = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => started.forEach((child) => child.kill('SIGKILL')));

/** A process that does `work` under the lock, as the project's scripts do. */
function scriptWith(work: string): ChildProcess & { readonly ended: Promise<[code: number | null, stderr: string]> } {
  const code = `
    import { appendFileSync, existsSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { alone } from '${SCRIPTS}/lock.mjs';
    import { run, script } from '${SCRIPTS}/steps.mjs';
    const [folder, lock] = process.argv.slice(1);
    const log = (line) => appendFileSync(folder + '/log', line + '\\n');
    await script(() => alone(lock, 'the work', async (onStart) => { ${work} }));
  `;
  const args = ['--input-type=module', '--eval', code, folder, lock];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  started.push(child);
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(
    ([[exit], stderr]) => [exit as number | null, stderr] as [number | null, string],
  );
  return Object.assign(child, { ended });
}

const logged = (): string[] => {
  const path = join(folder, 'log');
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
};

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20);
}

describe.runIf(process.platform !== 'win32')('a lock between scripts', () => {
  it('lets one work at a time, and is gone afterwards', async () => {
    const work = "log('in'); await sleep(100); log('out');";
    const all = await Promise.all([scriptWith(work).ended, scriptWith(work).ended, scriptWith(work).ended]);
    expect(all.map(([code]) => code)).toEqual([0, 0, 0]);
    expect(logged()).toEqual(['in', 'out', 'in', 'out', 'in', 'out']);
    expect(existsSync(lock)).toBe(false);
  });

  it('is free again when the work fails', async () => {
    const failure = alone(lock, 'the work', () => Promise.reject(new Error('no luck')));
    await expect(failure).rejects.toThrow('no luck');
    expect(existsSync(lock)).toBe(false);
  });

  it('does not keep a waiter that is asked to end', async () => {
    await alone(lock, 'the work', async () => {
      const waiter = scriptWith("log('in');");
      let told = '';
      waiter.stderr!.on('data', (chunk) => (told += String(chunk)));
      await until(() => told.includes('waiting'));
      waiter.kill('SIGTERM');
      const [code, stderr] = await waiter.ended;
      expect(code).toBe(143);
      expect(stderr).toContain(`waiting for process ${process.pid}, which does the work`);
      expect(stderr).toContain('the work was not done: interrupted');
      expect(readFileSync(lock, 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    });
    expect(logged()).toEqual([]);
  });

  it('is not held by a process that was given the pid of its owner', async () => {
    expect(startOf(process.pid)).toMatch(/^\S+$/);
    writeFileSync(lock, `${process.pid} ${startOf(process.pid)}0\n`);
    expect((await scriptWith("log('in');").ended)[0]).toBe(0);
    expect(logged()).toEqual(['in']);
  });

  it('is held by the command of an owner that was killed, until that ends', async () => {
    const owner = scriptWith(
      "await run({ name: 'command', command: ['sh', '-c', 'echo $$ > \"$0\"; exec sleep 60', folder + '/pid'], onStart });",
    );
    const pid = join(folder, 'pid');
    await until(() => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'));
    // The owner names its command as soon as it has started it.
    await until(() => readFileSync(lock, 'utf8').trimEnd().includes('\n'));
    owner.kill('SIGKILL');
    await owner.ended;
    const waiter = scriptWith("log('in');");
    let told = '';
    waiter.stderr!.on('data', (chunk) => (told += String(chunk)));
    await until(() => told.includes('waiting'));
    expect(logged()).toEqual([]);
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    expect((await waiter.ended)[0]).toBe(0);
    expect(logged()).toEqual(['in']);
  });
});
