import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotation, Command, END, START, StateGraph, interrupt } from '@langchain/langgraph';
import { HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { Program, all, idOf, testFolder } from './support.ts';

const ROUNDS = [0, 1, 2].map((n) => [`plan ${n}`, `left ${n}`, `right ${n}`, `join ${n}`]).flat();

/** A step is stored before the next one begins. */
const config = { configurable: { thread_id: 'prd-7' }, durability: 'sync' as const };

const readLines = (path: string) => readFileSync(path, 'utf8').split('\n').slice(0, -1);

describe('a graph', () => {
  it.each(['node left 1', 'call 2', 'call 9'])('that dies at %s goes on where it stopped', async (death) => {
    await using folder = await testFolder();
    const starts = join(folder.parent, 'starts');
    writeFileSync(starts, '');
    const first = new Program('dying-graph.ts', [folder.path, starts, death]);
    expect(await first.end()).toBe(true);
    const before = readLines(starts);
    const second = new Program('dying-graph.ts', [folder.path, starts]);
    expect(await second.end()).toBe(false);
    expect(second.lines).toEqual([ROUNDS.join()]);
    // Only what ran when the process died ran again: at most the two nodes that are side by side.
    const lines = readLines(starts);
    expect(lines.slice(0, before.length)).toEqual(before);
    expect(new Set(lines)).toEqual(new Set(ROUNDS));
    expect(lines.length - ROUNDS.length).toBeLessThanOrEqual(2);
  });

  it('can be looked at at each step, and branches from one', async () => {
    await using folder = await testFolder();
    const State = Annotation.Root({ retryCount: Annotation<number>, notes: Annotation<string[]> });
    const graph = new StateGraph(State)
      .addNode('code', ({ retryCount }) => ({ retryCount: retryCount + 1 }))
      .addNode('test', ({ retryCount }) => ({ notes: [`tested after ${retryCount} retries`] }))
      .addEdge(START, 'code')
      .addEdge('code', 'test')
      .addEdge('test', END)
      .compile({ checkpointer: folder.open() });
    const notesOf = ({ notes }: { notes: string[] }) => notes;
    expect(notesOf(await graph.invoke({ retryCount: 4, notes: [] }, config))).toEqual(['tested after 5 retries']);

    const history = await all(graph.getStateHistory(config));
    const beforeTest = history.find(({ next }) => next[0] === 'test')!;
    expect(beforeTest.values).toEqual({ retryCount: 5, notes: [] });
    const branch = await graph.updateState(beforeTest.config, { retryCount: 0 });
    expect(notesOf(await graph.invoke(null, branch))).toEqual(['tested after 0 retries']);
    // The first branch is as it was, and both begin at the same step.
    const steps = await all(folder.open().list(config));
    expect(steps.map(({ checkpoint }) => checkpoint.channel_values['notes'])).toContainEqual([
      'tested after 5 retries',
    ]);
    const parents = steps.map(({ parentConfig }) => parentConfig && idOf(parentConfig));
    expect(parents.filter((id) => id === idOf(beforeTest.config))).toHaveLength(2);
    // A copy of a step, of the first one too, has all its values.
    for (const step of [beforeTest, history.at(-1)!]) {
      const copy = await graph.updateState(step.config, null, '__copy__');
      expect((await graph.getState(copy)).values).toEqual(step.values);
    }
  });

  it('with several questions in a node, a subgraph and messages goes on in another process', async () => {
    await using folder = await testFolder();
    const State = Annotation.Root({ answers: Annotation<unknown[]> });
    const ask = () => ({ answers: [interrupt('first?'), interrupt('second?'), new HumanMessage('done')] });
    const open = () => {
      const inner = new StateGraph(State).addNode('ask', ask).addEdge(START, 'ask').compile();
      return new StateGraph(State)
        .addNode('inner', inner)
        .addEdge(START, 'inner')
        .compile({ checkpointer: folder.open() });
    };
    await open().invoke({ answers: [] }, config);
    await open().invoke(new Command({ resume: 1 }), config);
    expect((await open().getState(config)).next).toEqual(['inner']);
    const { answers } = await open().invoke(new Command({ resume: 2 }), config);
    const stored = (await open().getState(config)).values as typeof State.State;
    for (const list of [answers, stored.answers]) {
      expect(list.slice(0, 2)).toEqual([1, 2]);
      expect(list[2]).toBeInstanceOf(HumanMessage);
    }
    const namespaces = (await all(folder.open().list({}))).map(
      (step) => step.config.configurable?.['checkpoint_ns'] as string,
    );
    expect(new Set(namespaces.map((name) => name.split(':')[0]))).toEqual(new Set(['', 'inner']));
  });
});
