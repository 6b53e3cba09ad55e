import { JsonPlusSerializer, MemorySaver } from '@langchain/langgraph-checkpoint';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileCheckpointer, createMemoryCheckpointer } from '../../src/langgraph/index.ts';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import { at, put, valuesAt } from './saver.ts';

const KINDS = ['files', 'memory'] as const;
const MIB = 1_024 * 1_024;

async function opened(kind: (typeof KINDS)[number], serde?: JsonPlusSerializer) {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'checkpoints');
  const options = serde === undefined ? {} : { serde };
  const saver = kind === 'files' ? createFileCheckpointer(path, options) : createMemoryCheckpointer(options);
  return { path, saver, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe.each(KINDS)('values: %s', (kind) => {
  it('are stored as they are when put and putWrites are called', async () => {
    await using world = await opened(kind);
    const { saver } = world;
    const first = await put(saver, at('t'), { kept: [1] }, { versions: { kept: 1 } });
    await put(saver, at('other'), {});
    const [kept, list, bytes, buffer] = [[1], [1], new Uint8Array([1]), Buffer.from([1])];
    const checkpoint = {
      ...(await saver.get(first))!,
      id: 'z',
      channel_values: { kept, list, bytes },
      channel_versions: { kept: 1, list: 2, bytes: 2 } as Record<string, number>,
    };
    const metadata = { source: 'loop', step: 2, parents: {} } as const;
    const putting = saver.put(first, checkpoint, metadata, { list: 2, bytes: 2 });
    for (const one of [kept, list]) one.push(2);
    bytes[0] = 2;
    checkpoint.channel_versions['list'] = 9;
    Object.assign(metadata, { step: 9 });
    const config = await putting;
    const writes: [string, unknown][] = [
      ['list', list],
      ['bytes', bytes],
      ['buffer', buffer],
    ];
    const writing = saver.putWrites(config, writes, 'task');
    list.push(3);
    bytes[0] = 3;
    buffer[0] = 3;
    writes.pop();
    await writing;
    expect(await saver.getTuple(config)).toMatchObject({
      checkpoint: {
        channel_values: { kept: [1], list: [1], bytes: new Uint8Array([1]) },
        channel_versions: { kept: 1, list: 2, bytes: 2 },
      },
      metadata: { step: 2 },
      pendingWrites: [
        ['task', 'list', [1, 2]],
        ['task', 'bytes', new Uint8Array([2])],
        ['task', 'buffer', new Uint8Array([1])],
      ],
    });
  });

  it('that are more than 256 MiB together, are refused before anything is written', async () => {
    const text = Buffer.from(JSON.stringify('x'.repeat(MIB - 2)));
    class Same extends JsonPlusSerializer {
      override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
        return value === 'large' ? ['json', text] : super.dumpsTyped(value);
      }
    }
    await using world = await opened(kind, new Same());
    const channels = Array.from({ length: 256 }, (_, index) => `channel-${index}`);
    const values = Object.fromEntries(channels.map((channel) => [channel, 'large']));
    const refusal = {
      code: 'LANGGRAPH_STEP_TOO_LARGE',
      fault: 'user',
      message: expect.stringMatching(/\d{9} bytes; at most 268435456/) as string,
      hint: expect.stringContaining('one channel') as string,
    };
    const brief = 'x'.repeat(2 * MIB);
    await expect(put(world.saver, at('t'), { ...values, brief })).rejects.toMatchObject(refusal);
    const writes = channels.map((channel): [string, unknown] => [channel, 'large']);
    await expect(world.saver.putWrites(at('t', '', 'c'), writes, 'task')).rejects.toMatchObject(refusal);
    expect(await world.saver.steps('t')).toEqual([]);
    await expect(readdir(world.path)).rejects.toThrow('ENOENT');
  });

  it('for which the serializer has no text, are refused', async () => {
    await using world = await opened(kind);
    const config = await put(world.saver, at('t'), { a: 1 });
    for (const value of [() => 1, Symbol('s')]) {
      const refusal = {
        code: 'LANGGRAPH_VALUE_REFUSED',
        fault: 'user',
        message: expect.stringContaining('channel a') as string,
      };
      await expect(put(world.saver, config, { a: value })).rejects.toMatchObject(refusal);
      await expect(world.saver.putWrites(config, [['a', value]], 'task')).rejects.toMatchObject(refusal);
    }
    expect((await world.saver.getTuple(at('t')))?.config).toEqual(config);
  });

  // LangGraph's own savers store the same: docs/reference/langgraph.md warns of it. If a new version refuses some, so do we.
  it("lose what LangGraph's serializer loses", async () => {
    await using world = await opened(kind);
    class Point {
      readonly x = 1;
      get y(): number {
        return 2;
      }
    }
    const circle: Record<string, unknown> = { a: 1 };
    circle['self'] = circle;
    const lost = '[unable to serialize, circular reference is too complex to analyze]';
    const cases: readonly (readonly [unknown, unknown])[] = [
      [{ call: () => 1, name: Symbol('s'), rest: 1 }, { rest: 1 }],
      [
        [() => 1, Symbol('s')],
        [null, null],
      ],
      [new Point(), { x: 1 }],
      [new Date(0), '1970-01-01T00:00:00.000Z'],
      [
        [Number.NaN, Infinity, -0],
        [null, null, 0],
      ],
      [circle, { a: 1, self: '[Circular]' }],
      [new WeakMap(), {}],
      [{ count: 10n, rest: 1 }, lost],
      [10n, lost],
    ];
    for (const [value, read] of cases) {
      const config = await put(world.saver, at('t'), { value });
      await world.saver.putWrites(config, [['value', value]], 'task');
      const tuple = await world.saver.getTuple(config);
      expect(tuple?.checkpoint.channel_values).toEqual({ value: read });
      expect(tuple?.pendingWrites).toEqual([['task', 'value', read]]);
      const official = new MemorySaver();
      await official.putWrites(at('t', '', 'c'), [['value', value]], 'task');
      const writes = Object.values(Object.values(official.writes)[0]!);
      expect(await official.serde.loadsTyped('json', writes[0]![2])).toEqual(read);
    }
    // A whole checkpoint is one value to the official saver; to ours, each channel is one.
    const config = await put(world.saver, at('t'), { count: 10n, rest: 1 });
    expect(await valuesAt(world.saver, config)).toEqual({ count: lost, rest: 1 });
  });
});
