import { setImmediate as immediate } from 'node:timers/promises';
import { INTERRUPT, JsonPlusSerializer, MemorySaver, RESUME, emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { createFileCheckpointer, createMemoryCheckpointer, type GatelineSaver } from '../../src/langgraph/index.ts';
import { Turns } from '../../src/langgraph/turns.ts';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import { at, put } from './saver.ts';

const KINDS = ['files', 'memory'] as const;

/** Takes longest for the first calls. */
class Slowing extends JsonPlusSerializer {
  #left = 12;
  override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    const dumped = super.dumpsTyped(value);
    const waits = (this.#left -= 1) * 10;
    for (let turn = 0; turn < waits; turn += 1) await immediate();
    return dumped;
  }
}

async function opened(kind: (typeof KINDS)[number], serde: JsonPlusSerializer = new Slowing()) {
  const folder = await temporaryFolder();
  const saver = kind === 'files' ? createFileCheckpointer(folder.path, { serde }) : createMemoryCheckpointer({ serde });
  return { saver, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** Calls that nobody waits for before the next one. @returns what there is then */
async function overlapping(saver: GatelineSaver | MemorySaver) {
  const putOne = (step: number) => {
    const checkpoint = { ...emptyCheckpoint(), id: 'c', channel_values: { step }, channel_versions: { step: 1 } };
    return saver.put(at('t'), checkpoint, { source: 'loop', step, parents: {} }, { step: 1 });
  };
  const config = at('t', '', 'c');
  await Promise.all([putOne(1), putOne(2), putOne(3)]);
  const writes = [1, 2, 3].map((n) =>
    saver.putWrites(
      config,
      [
        [RESUME, n],
        ['x', n],
      ],
      'task',
    ),
  );
  await Promise.all(writes);
  const { checkpoint, metadata, pendingWrites } = (await saver.getTuple(config))!;
  return { values: checkpoint.channel_values, step: metadata?.step, pendingWrites };
}

describe.each(KINDS)('calls that overlap: %s', (kind) => {
  it("act in the order in which they were made, as with LangGraph's saver in memory", async () => {
    await using world = await opened(kind);
    const expected = await overlapping(new MemorySaver());
    expect(expected).toMatchObject({ values: { step: 3 }, step: 3 });
    expect(expected.pendingWrites?.map(([, channel, value]) => [channel, value])).toEqual([
      [RESUME, 3],
      ['x', 1],
    ]);
    expect(await overlapping(world.saver)).toEqual(expected);
  });

  it('go on after one that failed', async () => {
    await using world = await opened(kind);
    const config = await put(world.saver, at('t'), {});
    const calls = [
      world.saver.putWrites(config, [[INTERRUPT, 1]], 'task'),
      world.saver.putWrites(config, [[INTERRUPT, () => 2]], 'task'),
      world.saver.putWrites(config, [[INTERRUPT, 3]], 'task'),
    ];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await world.saver.getTuple(config))?.pendingWrites).toEqual([['task', INTERRUPT, 3]]);
  });

  it('of another thread do not wait', async () => {
    const stuck = Promise.withResolvers<void>();
    class Stuck extends JsonPlusSerializer {
      override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
        if (value === 'stuck') await stuck.promise;
        return super.dumpsTyped(value);
      }
    }
    await using world = await opened(kind, new Stuck());
    const first = world.saver.putWrites(at('a', '', 'c'), [['x', 'stuck']], 'task');
    await world.saver.putWrites(at('b', '', 'c'), [['x', 'b']], 'task');
    await put(world.saver, at('a'), { x: 1 }, { id: 'd' });
    stuck.resolve();
    await first;
  });
});

describe('turns', () => {
  it('begin when those before them have ended, however those end, and are forgotten then', async () => {
    const turns = new Turns();
    const log: string[] = [];
    const slow = Promise.withResolvers<string>();
    const say = (what: string) => async () => void log.push(what);
    const calls = [
      turns.take(['a'], slow.promise, async (what) => void log.push(what)),
      turns.take(['a'], Promise.reject(new Error('not ready')), say('never')),
      turns.take(['a'], Promise.resolve(), say('third')),
      turns.take(['b'], Promise.resolve(), say('other')),
    ];
    await calls[3];
    await immediate();
    expect(log).toEqual(['other']);
    expect(turns.waiting).toBe(1);
    slow.resolve('first');
    await expect(calls[1]).rejects.toThrow('not ready');
    await Promise.all([calls[0], calls[2]]);
    expect(log).toEqual(['other', 'first', 'third']);
    await immediate();
    expect(turns.waiting).toBe(0);
  });
});
