import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileCheckpointer } from '../../src/langgraph/index.ts';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import { all, at, put, valuesAt } from './saver.ts';

async function opened() {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'checkpoints');
  return { path, saver: createFileCheckpointer(path), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe('a folder that another program wrote', () => {
  /** As the simplest file checkpointer does: `{threadId}/{stepId}.json`, written with JSON.stringify. */
  async function seed(folder: string, thread: string, id: string, file: unknown): Promise<void> {
    await mkdir(join(folder, thread), { recursive: true });
    await writeFile(join(folder, thread, `${id}.json`), typeof file === 'string' ? file : JSON.stringify(file));
  }

  const checkpoint = (id: string, count: number) => ({
    v: 4,
    id,
    ts: '2026-01-01T00:00:00.000Z',
    channel_values: { count, list: [1] },
    channel_versions: { count, list: 1 },
    versions_seen: {},
  });
  const metadata = { source: 'loop', step: 1, parents: {} };

  it('is read as far as it is JSON, and continued', async () => {
    await using world = await opened();
    await seed(world.path, 'PRD_7.a', 'step-1', checkpoint('step-1', 1));
    const parentConfig = { configurable: { thread_id: 'PRD_7.a', checkpoint_id: 'step-1' } };
    await seed(world.path, 'PRD_7.a', 'STEP.2', { checkpoint: checkpoint('STEP.2', 2), metadata, parentConfig });
    await seed(world.path, 'PRD_7.a', 'step-3', {
      checkpoint: JSON.stringify(checkpoint('step-3', 3)),
      metadata: JSON.stringify(metadata),
    });
    await seed(world.path, 'PRD_7.a', 'step-4', { channel_values: { count: 4 } });
    await seed(world.path, 'PRD_7.a', 'step-0', 'not JSON');
    const { saver } = world;
    expect(await valuesAt(saver, at('PRD_7.a', '', 'step-1'))).toEqual({ count: 1, list: [1] });
    expect(await saver.getTuple(at('PRD_7.a', '', 'STEP.2'))).toMatchObject({
      metadata,
      checkpoint: checkpoint('STEP.2', 2),
      parentConfig: { configurable: { checkpoint_id: 'step-1' } },
    });
    expect(await valuesAt(saver, at('PRD_7.a', '', 'step-3'))).toEqual({ count: 3, list: [1] });
    expect(await saver.getTuple(at('PRD_7.a'))).toMatchObject({
      checkpoint: { id: 'step-4', channel_values: { count: 4 }, channel_versions: { count: 1 } },
    });
    await expect(saver.getTuple(at('PRD_7.a', '', 'step-0'))).rejects.toMatchObject({ code: 'LANGGRAPH_STEP_CORRUPT' });
    const next = await put(
      saver,
      at('PRD_7.a', '', 'step-4'),
      { count: 4, more: true },
      { versions: { count: 1, more: 1 }, fresh: ['more'], id: 'step-5' },
    );
    expect(await valuesAt(createFileCheckpointer(world.path), next)).toEqual({ count: 4, more: true });
    expect((await saver.steps('PRD_7.a')).map(({ checkpoint: id }) => id)).toEqual([
      'step-5',
      'step-4',
      'step-3',
      'step-1',
      'step-0',
      'STEP.2',
    ]);
    expect((await all(saver.list({}, { limit: 1 })))[0]?.config).toEqual(next);
  });

  it.each([
    'c++',
    '.hidden',
    '.git',
    'a b',
    'v1.2',
    'Run 7',
    '%2e%2e',
    '%zz',
    'con',
    'x'.repeat(160),
    `${'x'.repeat(9)}+`,
  ])('is read and continued under its name: %s', async (thread) => {
    await using world = await opened();
    await seed(world.path, thread, 'step-1', checkpoint('step-1', 1));
    const { saver } = world;
    expect((await all(saver.list({}))).map(({ config }) => config)).toEqual([at(thread, '', 'step-1')]);
    expect(await valuesAt(saver, at(thread))).toEqual({ count: 1, list: [1] });
    expect(await saver.steps(thread)).toMatchObject([{ checkpoint: 'step-1' }]);
    await put(saver, at(thread, '', 'step-1'), { count: 2 }, { id: 'step-2' });
    expect((await saver.steps(thread)).map((step) => step.checkpoint)).toEqual(['step-2', 'step-1']);
    expect(await readdir(world.path)).toEqual([thread]);
    await saver.deleteThread(thread);
    expect(await readdir(world.path)).toEqual([]);
  });

  it('that has the name which this program gives to another thread, is that thread', async () => {
    await using world = await opened();
    await seed(world.path, 'a%20b', 'step-1', checkpoint('step-1', 1));
    expect(await valuesAt(world.saver, at('a b'))).toEqual({ count: 1, list: [1] });
    expect((await all(world.saver.list({}))).map(({ config }) => config)).toEqual([at('a b', '', 'step-1')]);
  });

  it('is not read if another folder stands for the same thread', async () => {
    await using world = await opened();
    const { saver, path } = world;
    await seed(path, 'a%20b', 'step-1', checkpoint('step-1', 1));
    await seed(path, 'a b', 'step-2', checkpoint('step-2', 2));
    const refusal = {
      code: 'LANGGRAPH_THREAD_AMBIGUOUS',
      fault: 'user',
      message: expect.stringMatching(/"a b".*`a%20b` and `a b`/) as string,
    };
    const calls: (() => Promise<unknown>)[] = [
      () => saver.getTuple(at('a b')),
      () => all(saver.list({})),
      () => saver.steps('a b'),
      () => put(saver, at('a b'), {}),
      () => saver.deleteThread('a b'),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(refusal);
    await rename(join(path, 'a%20b'), join(path, 'elsewhere'));
    expect(await valuesAt(saver, at('a b'))).toEqual({ count: 2, list: [1] });
  });

  it('stays out of commits once it is continued, unless it says itself what is ignored', async () => {
    await using world = await opened();
    for (const thread of ['one', 'two']) await seed(world.path, thread, 'step-1', checkpoint('step-1', 1));
    await writeFile(join(world.path, 'two', '.gitignore'), 'tmp/\n');
    for (const thread of ['one', 'two']) await put(world.saver, at(thread, '', 'step-1'), {}, { id: 'step-2' });
    expect(await readFile(join(world.path, 'one', '.gitignore'), 'utf8')).toBe('*\n');
    expect(await readFile(join(world.path, 'two', '.gitignore'), 'utf8')).toBe('tmp/\n');
  });
});
