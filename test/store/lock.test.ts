import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { identifyProcess } from '../../src/agent/process-table.ts';
import { takeLock } from '../../src/store/files/lock.ts';
import { testFolder } from './folder.ts';

/** Another process that tries to take the lock: what it says, and its end. */
async function otherEngine(path: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'writer.ts'), path, 'lock']);
  const exited = once(child, 'exit');
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return { text: text.toString().trim(), pid: child.pid, kill };
}

const self = await identifyProcess(process.pid);
const [ticks, boot, container] = self.start.split(' ');

describe('the lock of the engine', () => {
  it('is held by one engine at a time, and an error names its holder and since when', async () => {
    await using folder = await testFolder();
    const lock = await takeLock(folder.state);
    const busy = `process ${process.pid} on ${hostname()}, since 20`;
    await expect(takeLock(folder.state)).rejects.toThrow(
      expect.objectContaining({ fault: 'busy', message: expect.stringContaining(busy) }),
    );
    const other = await otherEngine(folder.state.path);
    expect(other.text).toContain(busy);
    await other.kill();
    await lock[Symbol.asyncDispose]();
    await (await takeLock(folder.state))[Symbol.asyncDispose]();
    expect(existsSync(folder.state.pathOf('lock'))).toBe(false);
  });

  it('of an engine that was killed is taken over by exactly one of many', async () => {
    await using folder = await testFolder();
    const first = await otherEngine(folder.state.path);
    expect(first.text).toBe('taken');
    await first.kill();
    const others = await Promise.all(Array.from({ length: 6 }, () => otherEngine(folder.state.path)));
    const taken = others.filter(({ text }) => text === 'taken');
    expect(taken).toHaveLength(1);
    expect(others.filter(({ text }) => text.includes(`process ${taken[0]!.pid} on`))).toHaveLength(5);
    await Promise.all(others.map(({ kill }) => kill()));
  });

  it('that somebody removed by hand is not released by its old holder', async () => {
    await using folder = await testFolder();
    const lock = await takeLock(folder.state);
    await writeFile(folder.state.pathOf('lock'), 'of another');
    await lock[Symbol.asyncDispose]();
    expect(await readFile(folder.state.pathOf('lock'), 'utf8')).toBe('of another');
  });

  it.each<[string, object | string, 'taken' | 'busy']>([
    ['a pid that another process has now', { start: `1 ${boot} ${container}` }, 'taken'],
    ['an earlier boot of this machine', { start: `${ticks} earlier ${container}` }, 'taken'],
    ['another machine', { start: `${ticks} other ${container}`, host: 'other' }, 'busy'],
    ['another container', { start: `${ticks} ${boot} 1`, host: 'other' }, 'busy'],
    ['a process that lives', {}, 'busy'],
    ['a file without content, just now', '', 'busy'],
  ])('of %s', async (_, change, expected) => {
    await using folder = await testFolder();
    const holder = { ...self, host: hostname(), since: '2026-01-01T00:00:00.000Z', ...Object(change) };
    await writeFile(folder.state.pathOf('lock'), typeof change === 'string' ? change : JSON.stringify(holder));
    const outcome = await takeLock(folder.state).then(
      () => 'taken',
      (error: { fault: string; hint: string }) => {
        expect(error.hint).toContain(folder.state.pathOf('lock'));
        return error.fault;
      },
    );
    expect(outcome).toBe(expected);
  });

  it('of a killed engine is taken over by one process only', async () => {
    await using folder = await testFolder();
    const holder = { ...self, start: `1 ${boot} ${container}`, host: hostname(), since: '' };
    await writeFile(folder.state.pathOf('lock'), JSON.stringify(holder));
    await writeFile(folder.state.pathOf('lock.takeover'), '');
    let isDone = false;
    const done = setTimeout(100).then(() => {
      isDone = true;
      rmSync(folder.state.pathOf('lock.takeover'));
    });
    await (await takeLock(folder.state))[Symbol.asyncDispose]();
    expect(isDone).toBe(true);
    await done;
  });

  it('without content, and a takeover file, are stale after a while', async () => {
    await using folder = await testFolder();
    for (const path of [folder.state.pathOf('lock'), folder.state.pathOf('lock.takeover')]) {
      await writeFile(path, '');
      await utimes(path, 1, 1);
    }
    await (await takeLock(folder.state))[Symbol.asyncDispose]();
    expect(existsSync(folder.state.pathOf('lock.takeover'))).toBe(false);
  });
});
