import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileCheckpointer, createMemoryCheckpointer, GatelineSaver } from '../../src/langgraph/index.ts';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import { all, at, put } from './saver.ts';

const METADATA = { source: 'loop', step: 1, parents: {} } as const;

function refusal(code: string, message: RegExp) {
  return { name: 'GatelineError', code, fault: 'user', message: expect.stringMatching(message) as string };
}

describe('arguments of no use', () => {
  it.each([undefined, null, '', 5])('a folder that is %j', (folder) => {
    expect(() => createFileCheckpointer(folder as never)).toThrow(
      expect.objectContaining(refusal('LANGGRAPH_ARGUMENT_REFUSED', /folder/)) as Error,
    );
  });

  it.each([['dir'], [undefined], [{}]])('a saver that is constructed by hand, with %j', (medium) => {
    expect(() => new GatelineSaver(medium as never)).toThrow(
      expect.objectContaining(refusal('LANGGRAPH_ARGUMENT_REFUSED', /createFileCheckpointer/)) as Error,
    );
  });

  it.each([undefined, null, '', 7, '..'])('steps and deleteThread of the thread %j', async (thread) => {
    const saver = createMemoryCheckpointer();
    await put(saver, at('t'), {});
    // They are given an id, and no `configurable`.
    const expected = refusal('LANGGRAPH_ID_REFUSED', /^The thread_id (?!in `configurable`)/);
    await expect(saver.steps(thread as never)).rejects.toMatchObject(expected);
    await expect(saver.deleteThread(thread as never)).rejects.toMatchObject(expected);
  });

  it.each([undefined, null, 'text'])('put with metadata that are %j', async (metadata) => {
    const saver = createMemoryCheckpointer();
    const putting = saver.put(at('t'), emptyCheckpoint(), metadata as never, {});
    await expect(putting).rejects.toMatchObject(refusal('LANGGRAPH_ARGUMENT_REFUSED', /metadata/));
    expect(await saver.steps('t')).toEqual([]);
  });

  it.each([0, 5, false, {}])('a checkpoint_id that is %j', async (id) => {
    const saver = createMemoryCheckpointer();
    await put(saver, at('t'), {});
    const config = at('t', '', id as never);
    const calls = [
      () => saver.put(config, emptyCheckpoint(), METADATA, {}),
      () => saver.putWrites(config, [['x', 1]], 'task'),
      () => saver.getTuple(config),
      () => all(saver.list(config)),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject(refusal('LANGGRAPH_ID_REFUSED', /checkpoint_id is not a text/));
  });
});

describe('messages', () => {
  it('about a value that is too deep for the serializer say so', async () => {
    await using folder = await temporaryFolder();
    const saver = createFileCheckpointer(join(folder.path, 'checkpoints'));
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
    const expected = refusal('LANGGRAPH_VALUE_REFUSED', /the channel a is nested too deeply/);
    await expect(put(saver, at('t'), { a: deep })).rejects.toMatchObject(expected);
    await expect(saver.putWrites(at('t', '', 'c'), [['a', deep]], 'task')).rejects.toMatchObject(expected);
    expect(await readdir(folder.path)).toEqual([]);
  });
});
