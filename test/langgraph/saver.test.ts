import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { INTERRUPT, RESUME } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { createFileCheckpointer, createMemoryCheckpointer, type GatelineSaver } from '../../src/langgraph/index.ts';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import { all, at, idOf, put, valuesAt } from './saver.ts';

const KINDS = ['files', 'memory'] as const;

async function opened(kind: (typeof KINDS)[number]): Promise<{ readonly saver: GatelineSaver } & AsyncDisposable> {
  const folder = await temporaryFolder();
  const saver = kind === 'files' ? createFileCheckpointer(folder.path) : createMemoryCheckpointer();
  return { saver, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe.each(KINDS)('a saver: %s', (kind) => {
  it('keeps two forks of one base apart, although their channels have the same versions', async () => {
    await using world = await opened(kind);
    const { saver } = world;
    const base = await put(saver, at('t'), { a: 'base', b: 'kept' }, { versions: { a: 1, b: 1 } });
    const options = { versions: { a: 2, b: 1 }, fresh: ['a'] };
    const left = await put(saver, base, { a: 'left', b: 'kept' }, options);
    const right = await put(saver, base, { a: 'right', b: 'kept' }, options);
    expect(await valuesAt(saver, left)).toEqual({ a: 'left', b: 'kept' });
    expect(await valuesAt(saver, right)).toEqual({ a: 'right', b: 'kept' });
    // LangGraph copies a checkpoint as a child of its parent, or of nothing, and says that no version is new.
    const copy = { versions: { a: 2, b: 1 }, fresh: [], metadata: { source: 'fork' } };
    expect(await valuesAt(saver, await put(saver, base, { a: 'left', b: 'kept' }, copy))).toEqual({
      a: 'left',
      b: 'kept',
    });
    expect(await valuesAt(saver, await put(saver, at('t'), { a: 'base', b: 'kept' }, copy))).toEqual({
      a: 'base',
      b: 'kept',
    });
  });

  it('stores the values that it is given, new or not, whatever the parent has', async () => {
    await using world = await opened(kind);
    const { saver } = world;
    const base = await put(saver, at('t'), { a: 'old' }, { versions: { a: 1 } });
    const next = await put(saver, base, { a: 'given' }, { versions: { a: 2 }, fresh: [] });
    expect(await valuesAt(saver, next)).toEqual({ a: 'given' });
    const orphan = await put(saver, at('t', '', 'gone'), { a: 'given' }, { versions: { a: 3 }, fresh: [] });
    expect(await valuesAt(saver, orphan)).toEqual({ a: 'given' });
  });

  it('returns writes in the order in which they apply, the first of an index, the last of a special channel', async () => {
    await using world = await opened(kind);
    const { saver } = world;
    const config = await put(saver, at('t'), {});
    await saver.putWrites(config, [['x', 'late']], 'task-a', '~2');
    await saver.putWrites(
      config,
      [
        ['x', 'early'],
        ['y', 'early'],
      ],
      'task-b',
      '~1',
    );
    await saver.putWrites(
      config,
      [
        ['x', 'again'],
        ['y', 'again'],
        ['z', 'new'],
      ],
      'task-b',
      '~1',
    );
    await saver.putWrites(config, [['x', 'astral']], 'task-c', '~\u{1f600}');
    await saver.putWrites(config, [['x', 'high']], 'task-d', '~\uff5e');
    await saver.putWrites(config, [[INTERRUPT, 1]], 'task-a');
    await saver.putWrites(config, [[INTERRUPT, 2]], 'task-a');
    await saver.putWrites(config, [[RESUME, 'r']], 'task-a');
    await saver.putWrites(config, [['constructor', 'plain']], 'task-e', '~3');
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([
      ['task-a', RESUME, 'r'],
      ['task-a', INTERRUPT, 2],
      ['task-b', 'x', 'early'],
      ['task-b', 'y', 'early'],
      ['task-b', 'z', 'new'],
      ['task-a', 'x', 'late'],
      ['task-e', 'constructor', 'plain'],
      ['task-d', 'x', 'high'],
      ['task-c', 'x', 'astral'],
    ]);
    await saver.putWrites(config, [[INTERRUPT, 1]], 'task-a');
    expect((await saver.getTuple(config))?.pendingWrites?.[1]).toEqual(['task-a', INTERRUPT, 1]);
  });

  it('gives every caller values of its own, whatever bytes, names and depths they have', async () => {
    await using world = await opened(kind);
    const { saver } = world;
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 500; depth += 1) deep = { deep };
    const bytes = new Uint8Array([0, 255, 128]);
    const values = {
      ['__proto__']: 'own',
      text: 'half \ud800',
      bytes,
      many: 'é'.repeat(900_000),
      deep,
      map: new Map([['k', new Set([1])]]),
    };
    const config = await put(saver, at('t'), values);
    const next = await put(saver, config, values, {
      versions: (await saver.get(config))!.channel_versions as never,
      fresh: [],
    });
    for (const one of [config, next]) {
      const read = (await valuesAt(saver, one)) as typeof values;
      expect(read).toEqual(values);
      expect(Object.hasOwn(read, '__proto__')).toBe(true);
      read.bytes[0] = 7;
      read.map.clear();
      expect(await valuesAt(saver, one)).toEqual(values);
    }
  });

  it('lists by metadata, also by objects in it, before a checkpoint, up to a limit, in one thread or all', async () => {
    await using world = await opened(kind);
    const { saver } = world;
    const first = await put(saver, at('a'), { v: 1 }, { metadata: { tags: { lang: 'en' } } });
    const second = await put(saver, first, { v: 2 }, { metadata: { tags: { lang: 'de' } } });
    const inner = await put(saver, at('a', 'sub:1'), { v: 3 });
    const other = await put(saver, at('b'), { v: 4 });
    const ids = async (...args: Parameters<GatelineSaver['list']>) =>
      (await all(saver.list(...args))).map(({ config }) => idOf(config));
    expect(await ids({})).toEqual([other, inner, second, first].map(idOf));
    expect(await ids({ configurable: { thread_id: 'a' } })).toEqual([inner, second, first].map(idOf));
    expect(await ids(at('a'), { filter: { tags: { lang: 'de' } } })).toEqual([idOf(second)]);
    expect(await ids(at('a'), { filter: { toString: undefined, tags: undefined } })).toHaveLength(2);
    expect(await ids(at('a'), { before: second })).toEqual([idOf(first)]);
    expect(await ids({}, { limit: 2 })).toEqual([other, inner].map(idOf));
    expect(await ids({}, { limit: 0 })).toEqual([]);
    expect(await ids(first)).toEqual([idOf(first)]);
    expect((await saver.getTuple(at('a')))?.parentConfig).toEqual(first);
    await saver.deleteThread('a');
    expect(await ids({})).toEqual([idOf(other)]);
    await saver.deleteThread('never was');
  });

  it('carries a graph with a subgraph, an interrupt and a branch from an earlier step', async () => {
    await using world = await opened(kind);
    const State = Annotation.Root({
      log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
    });
    const inner = new StateGraph(State)
      .addNode('ask', () => ({ log: [`answer ${interrupt('go on?')}`] }))
      .addEdge(START, 'ask')
      .compile();
    const graph = new StateGraph(State)
      .addNode('first', () => ({ log: ['first'] }))
      .addNode('inner', inner)
      .addEdge(START, 'first')
      .addEdge('first', 'inner')
      .addEdge('inner', END)
      .compile({ checkpointer: world.saver });
    const config = { configurable: { thread_id: 'graph' } };
    expect(await graph.invoke({ log: ['in'] }, config)).toHaveProperty('__interrupt__');
    const paused = await graph.getState(config);
    expect(paused.next).toEqual(['inner']);
    const steps = await world.saver.steps('graph');
    expect(new Set(steps.map(({ namespace }) => namespace.split(':')[0]))).toEqual(new Set(['', 'inner']));
    expect(steps.flatMap(({ writes = [] }) => writes.map(({ channel }) => channel))).toContain(INTERRUPT);

    expect((await graph.invoke(new Command({ resume: 'yes' }), config)).log).toEqual([
      'in',
      'first',
      'in',
      'first',
      'answer yes',
    ]);
    const branch = await graph.updateState(paused.config, { log: ['edited'] }, 'first');
    expect(await graph.invoke(null, branch)).toHaveProperty('__interrupt__');
    expect((await graph.getState(config)).values.log).toEqual(['in', 'first', 'edited']);
    const history = await all(graph.getStateHistory(config) as never);
    expect(history.length).toBe((await world.saver.steps('graph')).filter(({ namespace }) => namespace === '').length);
  });
});
