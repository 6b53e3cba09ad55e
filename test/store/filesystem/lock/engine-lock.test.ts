import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { takeLock } from '../../../../src/store/filesystem/lock/engine-lock.ts';
import { isAlive, processIdentity } from '../../../../src/store/filesystem/lock/process-identity.ts';
import { someone } from '../../../contract/samples.ts';
import { temporaryFolder } from '../../../contract/temporary-folder.ts';
import { exitOf, makeWorkspace, startCached, startFixture } from '../workspace.ts';

const dead = () => false;
const alive = () => true;
const other = { ...someone, pid: 4_712 };

describe('the engine lock', () => {
  it('is held by one at a time; the second is told who holds it, since when, and how to free it by hand', async () => {
    await using made = await makeWorkspace();
    await using lock = await takeLock(made.root, someone, alive);
    expect(lock.generation).toBe(1);
    const held = await newestLock(made.root);
    expect(held).toMatchObject({ state: 'held', holder: someone });
    const refusal = takeLock(made.root, other, alive);
    await expect(refusal).rejects.toMatchObject({ code: 'ENGINE_BUSY', fault: 'user' });
    await expect(refusal).rejects.toThrow(new RegExp(`process 4711 on somewhere, since ${held.since}`));
    await expect(refusal).rejects.toMatchObject({ hint: expect.stringContaining(join(made.root, 'lock.1')) as string });
  });

  it('is free again after release, and generations only ever go up', async () => {
    await using made = await makeWorkspace();
    for (const generation of [1, 2, 3]) {
      const lock = await takeLock(made.root, someone, alive);
      expect(lock.generation).toBe(generation);
      await lock.release();
      await lock.release();
      expect(await newestLock(made.root)).toMatchObject({ state: 'released' });
    }
    expect(await locksIn(made.root)).toEqual(['lock.3']);
  });

  it('is released at the end of its scope, also when that ends by an error', async () => {
    await using made = await makeWorkspace();
    const work = async () => {
      await using _lock = await takeLock(made.root, someone, alive);
      throw new Error('work failed');
    };
    await expect(work()).rejects.toThrow('work failed');
    await using again = await takeLock(made.root, other, alive);
    expect(again.generation).toBe(2);
  });

  it('is taken over from a dead holder, whose late release then changes nothing', async () => {
    await using made = await makeWorkspace();
    const first = await takeLock(made.root, someone, alive);
    await using second = await takeLock(made.root, other, dead);
    await first.release();
    expect(second.generation).toBe(2);
    expect(await newestLock(made.root)).toMatchObject({ state: 'held', holder: other });
    expect(await locksIn(made.root)).toEqual(['lock.2']);
  });

  it('does not release the lock of another engine that has the same number after the folder was cleared by hand', async () => {
    await using made = await makeWorkspace();
    const first = await takeLock(made.root, someone, alive);
    await rm(join(made.root, 'lock.1'));
    await using second = await takeLock(made.root, other, alive);
    expect(second.generation).toBe(first.generation);
    await first.release();
    expect(await newestLock(made.root)).toMatchObject({ state: 'held', holder: other });
  });

  it.each([
    ['empty', ''],
    ['not a lock', '{"format":"something else"}'],
    ['of a later format', '{"format":"gateline-lock/2"}'],
  ])('is not taken over where its file is %s: nobody can tell who holds it', async (_, content) => {
    await using made = await makeWorkspace();
    await made.open();
    await writeFile(join(made.root, 'lock.7'), content);
    await expect(takeLock(made.root, someone, dead)).rejects.toMatchObject({
      code: 'ENGINE_BUSY',
      message: expect.stringContaining('is damaged') as string,
      hint: expect.stringContaining(`\`rm -r ${join(made.root, 'lock.7')}\``) as string,
    });
    expect(await readFile(join(made.root, 'lock.7'), 'utf8')).toBe(content);
  });

  it('is not had by one who slept between looking and taking, while others came and went', async () => {
    await using made = await makeWorkspace();
    await (await takeLock(made.root, someone, alive)).release();
    await using winner = await takeLock(made.root, someone, dead);
    expect(winner.generation).toBe(2);
    // Looks at the second generation, and sleeps while it is given back and two later ones come.
    const late = takeLock(made.root, other, async () => {
      await winner.release();
      await (await takeLock(made.root, someone, alive)).release();
      await takeLock(made.root, someone, alive);
      return false;
    });
    await expect(late).rejects.toMatchObject({ code: 'ENGINE_BUSY' });
    expect(await locksIn(made.root)).toEqual(['lock.4']);
  });

  it('keeps the state folder out of git when it is the first to make it', async () => {
    await using made = await makeWorkspace();
    await using _lock = await takeLock(made.root, someone, alive);
    expect(await readFile(join(made.root, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('is never held by two of six processes that race for it, and is taken over from those that are killed', async () => {
    await using made = await makeWorkspace();
    await made.open();
    await using cache = await temporaryFolder();
    const log = join(made.workspace, 'log');
    await writeFile(log, '');
    const rounds = 150;
    await Promise.all(Array.from({ length: 6 }, () => keepRacing(cache.path, made.root, log, rounds)));
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    const entered = lines.filter((line) => line.startsWith('in '));
    expect(entered.length).toBeGreaterThanOrEqual(rounds);
    expect(lines.filter((line) => line.startsWith('dead ')).length).toBeGreaterThan(0);
    let highest = 0;
    for (let at = 0; at < lines.length; at += 2) {
      const [, pid, generation] = lines[at]!.split(' ');
      expect(lines[at]).toMatch(/^in /);
      expect([`out ${pid} ${generation}`, `dead ${pid} ${generation}`]).toContain(lines[at + 1]);
      expect(Number(generation)).toBeGreaterThan(highest);
      highest = Number(generation);
    }
  });
});

describe('whether a process still lives', () => {
  it('knows itself', async () => {
    expect(await isAlive(await processIdentity())).toBe(true);
  });

  it('tells a process that ended, was killed, or gave its number to another one', async () => {
    await using made = await makeWorkspace();
    const me = await processIdentity();
    const child = startFixture('write-many.ts', made.workspace, 'design', '0', '1000000');
    await once(child.stdout!, 'data');
    const writer = { ...me, pid: child.pid!, pidStart: '' };
    expect(await isAlive(writer)).toBe(true);
    if (process.platform !== 'win32') expect(await isAlive({ ...writer, pidStart: '12' })).toBe(false);
    const gone = exitOf(child);
    child.kill('SIGKILL');
    await gone;
    expect(await isAlive(writer)).toBe(false);
  });

  it('takes a process of an earlier boot of this machine for dead, and one of another machine for alive', async () => {
    const me = await processIdentity();
    expect(await isAlive({ ...me, boot: 'an earlier one pid:[1]' })).toBe(false);
    expect(await isAlive({ ...me, host: 'another machine', boot: 'its own', pid: 999_999_999 })).toBe(true);
  });
});

/** Keeps one process in the race: a new one for each that was killed. */
async function keepRacing(cache: string, root: string, log: string, rounds: number): Promise<void> {
  for (;;) {
    const exit = await exitOf(startCached(cache, 'race-for-lock.ts', root, log, String(rounds), '0.1'));
    if (exit.signal === 'SIGKILL') continue;
    expect(exit.code).toBe(0);
    return;
  }
}

async function locksIn(root: string): Promise<string[]> {
  return (await readdir(root)).filter((name) => name.startsWith('lock.'));
}

/** What the newest lock file says. */
async function newestLock(root: string): Promise<{ state: string; since: string }> {
  const name = (await locksIn(root)).toSorted((a, b) => Number(a.slice(5)) - Number(b.slice(5))).at(-1)!;
  return JSON.parse(await readFile(join(root, name), 'utf8')) as { state: string; since: string };
}
