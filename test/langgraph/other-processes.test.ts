import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, renameSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/json/digest.ts';
import { FilesystemMedium } from '../../src/langgraph/filesystem-medium.ts';
import { createFileCheckpointer } from '../../src/langgraph/index.ts';
import { RecentFiles } from '../../src/langgraph/recent-files.ts';
import { INTERRUPT } from '@langchain/langgraph-checkpoint';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { all, at, idOf, put, valuesAt } from './saver.ts';

const LARGE = 'x'.repeat(1_100_000);
const HOUR_MS = 60 * 60 * 1_000;

/** Two savers on one folder: to each, the other is another process. */
async function opened() {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'checkpoints');
  const [saver, other] = [createFileCheckpointer(path), createFileCheckpointer(path)];
  return { path, saver, other, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe('a thread that another process deletes', () => {
  it('has its large values again in a step that is put after it', async () => {
    await using world = await opened();
    const { saver, other } = world;
    const [large, shared] = [LARGE, 'y'.repeat(20_000)];
    const versions = { large: 1, shared: 1, n: 1 };
    let config = await put(saver, at('t'), { large, shared, n: 1 }, { versions });
    for (const n of [2, 3]) {
      await other.deleteThread('t');
      config = await put(saver, config, { large, shared, n }, { versions: { ...versions, n }, fresh: ['n'] });
      expect(await valuesAt(other, config)).toEqual({ large, shared, n });
    }
  });

  it('is written anew with its values, if it is deleted while a step is written', async () => {
    await using world = await opened();
    const medium = new FilesystemMedium(world.path);
    const value = Buffer.from(LARGE);
    const digest = digestOf(value);
    let moved = 0;
    /** Deletes the thread when the temporary file is open. */
    class Chunks extends Array<Uint8Array> {
      override [Symbol.iterator]() {
        if (moved < 3) renameSync(join(world.path, 't'), join(world.path, `.deleted-${(moved += 1)}`));
        return super[Symbol.iterator]();
      }
    }
    const place = { thread: 't', namespace: '' };
    for (const [kind, name] of [
      ['steps', 'a.json'],
      ['writes', 'a.task.0.json'],
    ] as const) {
      moved = 0;
      const chunks = new Chunks();
      chunks.push(Buffer.from('{}'));
      expect(await medium.write(place, kind, name, chunks, new Map([[digest, value]]))).toBe(true);
      expect(await medium.value('t', digest)).toMatchObject({ state: 'present' });
      expect(await medium.read(place, kind, name)).toMatchObject({ state: 'present' });
      expect(moved).toBe(3);
      await rm(world.path, { recursive: true });
    }
  });

  it('again and again: every put succeeds, and no step is ever without its values', async () => {
    await using world = await opened();
    const program = join(import.meta.dirname, 'deletes-threads.ts');
    const deleter = spawn(process.execPath, [program, world.path, 't'], { env: plainEnvironment({}) });
    await once(deleter.stdout, 'data');
    const lines: string[] = [];
    deleter.stdout.on('data', (line: Buffer) => void lines.push(line.toString()));
    for (let n = 0; n < 12 || lines.length < 4; n += 1) {
      const config = await put(world.saver, at('t'), { large: `${LARGE}${n % 3}`, n });
      await world.saver.putWrites(config, [['large', `${LARGE}${n % 3}`]], 'task');
      const tuple = await world.other.getTuple(at('t'));
      if (tuple?.checkpoint.id === idOf(config)) expect(tuple.checkpoint.channel_values['n']).toBe(n);
      for (const { problem } of await world.other.steps('t')) expect(problem).toBeUndefined();
    }
    deleter.kill('SIGKILL');
    await once(deleter, 'exit');
    const last = await put(world.saver, at('t'), { large: LARGE });
    await world.other.deleteThread('gone already');
    expect(await valuesAt(world.other, last)).toEqual({ large: LARGE });
    expect(await readdir(world.path)).toEqual(['t']);
  }, 60_000);

  it('shows the new writes of a step of the same id', async () => {
    await using world = await opened();
    const { saver, other } = world;
    const config = at('t', '', 'c');
    for (const [one, value] of [
      [saver, 'old'],
      [other, 'new'],
    ] as const) {
      await other.deleteThread('t');
      await put(one, at('t'), {}, { id: 'c' });
      await one.putWrites(config, [['x', value]], 'task');
      expect((await saver.getTuple(config))?.pendingWrites).toEqual([['task', 'x', value]]);
    }
  });
});

describe('what processes leave', () => {
  it('is removed: old temporary files when a thread is opened, a deleted thread at the next deletion', async () => {
    await using world = await opened();
    await put(world.other, at('t'), {});
    const [old, young] = ['old.tmp', 'young.tmp'].map((name) => join(world.path, 't', 'tmp', name)) as [string, string];
    for (const file of [old, young]) await writeFile(file, 'half');
    const before = new Date(Date.now() - 2 * HOUR_MS);
    await utimes(old, before, before);
    await mkdir(join(world.path, '.deleted-0', 'content'), { recursive: true });
    await put(world.saver, at('t'), {});
    expect(await readdir(join(world.path, 't', 'tmp'))).toEqual(['young.tmp']);
    await Promise.all([world.saver.deleteThread('other'), world.other.deleteThread('other')]);
    expect(await readdir(world.path)).toEqual(['t']);
  });

  it('is found in steps: a value that is gone, of a step and of a write', async () => {
    await using world = await opened();
    const first = await put(world.saver, at('t'), { large: LARGE });
    const second = await put(world.saver, at('t'), { small: 1 });
    await world.saver.putWrites(second, [['large', `${LARGE}.`]], 'task');
    const third = await put(world.saver, at('t'), { small: 1 });
    await rm(join(world.path, 't', 'content'), { recursive: true });
    const problem = expect.stringContaining('no content of') as string;
    expect(await world.other.steps('t')).toMatchObject([
      { checkpoint: idOf(third), source: 'loop' },
      { checkpoint: idOf(second), problem },
      { checkpoint: idOf(first), problem },
    ]);
    expect((await world.other.steps('t'))[0]).not.toHaveProperty('problem');
  });

  it('is copied to quarantine, whatever is written to the file later', async () => {
    await using world = await opened();
    const config = await put(world.saver, at('t'), {});
    const file = join(world.path, 't', `${idOf(config)}.json`);
    await writeFile(file, '{"broken');
    await expect(world.other.getTuple(config)).rejects.toMatchObject({ code: 'LANGGRAPH_STEP_CORRUPT' });
    await writeFile(file, 'repaired in place');
    const quarantine = join(world.path, 't', 'quarantine');
    const kept = (await readdir(quarantine)).find((name) => !name.endsWith('why.json'));
    expect(await readFile(join(quarantine, kept!), 'utf8')).toBe('{"broken');
  });

  it('may be writes that were moved away: the next special write is still the last', async () => {
    await using world = await opened();
    const config = await put(world.saver, at('t'), {});
    for (const value of ['first', 'second']) await world.saver.putWrites(config, [[INTERRUPT, value]], 'task');
    const writes = join(world.path, 't', 'writes');
    const file = join(writes, `${idOf(config)}.task.0.json`);
    await writeFile(file, 'altered');
    await expect(world.other.getTuple(config)).rejects.toMatchObject({
      code: 'LANGGRAPH_STEP_CORRUPT',
      hint: expect.stringContaining('runs the task again') as string,
    });
    await rename(file, join(world.path, 'away'));
    await world.saver.putWrites(config, [[INTERRUPT, 'third']], 'task');
    for (const saver of [world.saver, world.other])
      expect((await saver.getTuple(config))?.pendingWrites).toEqual([['task', INTERRUPT, 'third']]);
  });
});

describe('files in memory', () => {
  it('are the last ones only, however small they are, and none that has changed', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'file');
    await writeFile(path, 'a');
    const recent = new RecentFiles();
    const read = () => recent.read(path, 10);
    expect(read()).toMatchObject({ state: 'read', bytes: Buffer.from('a') });
    expect(recent.get(path)).toBeDefined();
    await writeFile(path, 'bc');
    expect(recent.get(path)).toBeUndefined();
    expect(read()).toMatchObject({ bytes: Buffer.from('bc') });
    const status = lstatSync(path, { bigint: true });
    for (let n = 0; n < 100_000; n += 1) recent.add(`${n}`, { status, bytes: Buffer.alloc(0) });
    expect(recent.get(path)).toBeUndefined();
  });
});

describe('names that other programs chose', () => {
  it('are in messages, and a step is listed once, whoever wrote it', async () => {
    await using world = await opened();
    const folder = join(world.path, 'PRD_7.a');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '1F0B.json'), JSON.stringify({ id: '1F0B', channel_values: { a: 1 } }));
    await put(world.saver, at('PRD_7.a'), { a: 2 }, { id: '1F0B' });
    expect((await all(world.other.list({}))).map(({ checkpoint }) => checkpoint.channel_values)).toEqual([{ a: 2 }]);
    expect(await world.other.steps('PRD_7.a')).toHaveLength(1);
    await writeFile(join(folder, '1F0C.json'), 'not JSON');
    await expect(world.other.getTuple(at('PRD_7.a'))).rejects.toThrow(/^PRD_7\.a\/1F0C\.json cannot be used/);
  });

  it('that are too long for the system, are refused', async () => {
    await using world = await opened();
    for (const config of [at('x'.repeat(1_501)), at('t', 'ü'.repeat(300))]) {
      const refusal = { code: 'LANGGRAPH_ID_REFUSED', fault: 'user' };
      await expect(put(world.saver, config, {})).rejects.toMatchObject(refusal);
      await expect(world.saver.getTuple(config)).rejects.toMatchObject(refusal);
    }
    await put(world.saver, at('x'.repeat(1_500), 'x'.repeat(1_500)), {});
    expect(await all(world.other.list({}))).toHaveLength(1);
  });
});
