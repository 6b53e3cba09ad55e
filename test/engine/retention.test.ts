import { describe, expect, it } from 'vitest';
import { decideRun, type RunDecision } from '../../src/engine/decide.ts';
import type { EnginePorts } from '../../src/engine/ports.ts';
import { readRun } from '../../src/engine/read-run.ts';
import { runPipeline } from '../../src/engine/run-pipeline.ts';
import { engineWorld, type EngineWorld } from '../support/engine-world.ts';
import { withMethods } from '../support/memory-workspace.ts';
import { pipelineOf } from '../support/pipelines.ts';

const PIPELINE = { ...pipelineOf({ a: {} }), snapshots: { every: 1, keep: 0 } } as ReturnType<typeof pipelineOf>;
const WHOLE = { pipeline: PIPELINE, subject: 'subject', metadata: {}, input: null };

/** Ports whose listings are in the opposite order, which lists are free to be in. */
function portsOf(world: EngineWorld, isReversed: boolean, prune: (old: ReadonlySet<string>) => void): EnginePorts {
  const ports = world.ports();
  const { store } = ports;
  return {
    ...ports,
    everyRecord: async () => ({ records: [], problems: [] }),
    workspace: withMethods(ports.workspace, { prune: async (old) => prune(old) }),
    store: {
      ...store,
      list: async (...asked) => {
        const { records, problems } = await store.list(...asked);
        return { records: isReversed ? [...records].toReversed() : records, problems };
      },
    },
  };
}

describe('what the snapshots of a run are kept by', () => {
  it.each([
    { decisions: ['pin', 'unpin'], isReversed: false, isKept: false },
    { decisions: ['pin', 'unpin'], isReversed: true, isKept: false },
    { decisions: ['pin', 'unpin', 'pin'], isReversed: false, isKept: true },
    { decisions: ['pin', 'unpin', 'pin'], isReversed: true, isKept: true },
  ] as const)('is the last of $decisions, in whatever order they are listed ($isReversed)', async (given) => {
    const { decisions, isReversed, isKept } = given;
    const world = engineWorld(({ files }) => (files.set('left', 'by a'), { output: 1 }), { mine: 'mine' });
    await world.run(PIPELINE);
    const tree = (await readRun(world.ports(), WHOLE)).units.get('a')!.ended!.snapshot!.tree;
    const by = { actor: 'ann', reason: 'test' };
    for (const decision of decisions as readonly RunDecision['decision'][])
      await decideRun(world.ports(), WHOLE, { decision, ...by });
    const removed: string[] = [];
    const ports = portsOf(world, isReversed, (old) => removed.push(...old));
    await runPipeline(ports, WHOLE, { observe: () => undefined, signal: new AbortController().signal });
    expect(removed.includes(tree)).toBe(!isKept);
  });
});
