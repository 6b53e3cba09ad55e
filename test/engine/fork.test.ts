import { describe, expect, it } from 'vitest';
import type { ForkOrigin } from '../../src/engine/fork.ts';
import type { RunResult } from '../../src/engine/run-pipeline.ts';
import { Killed, engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const CHAIN = pipelineOf({ a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } });
const by = { actor: 'maria', reason: 'because' };

/** A world with one completed run. */
async function forkable() {
  const state = { broken: false };
  const world = engineWorld(({ unit }) =>
    state.broken && unit === 'b' ? { result: { exitCode: 1 } } : { output: unit },
  );
  await world.run(CHAIN);
  world.starts.length = 0;
  const fork = (
    origin: Partial<ForkOrigin>,
    { fresh = false, more = {}, dieAfter = Infinity } = {},
  ): Promise<RunResult> =>
    world.run(CHAIN, more, {
      dieAfter,
      resume: { ...by, fresh, fork: { subject: 'subject', runNumber: 1, ...origin } },
    });
  return { world, state, fork };
}

describe('a fork', () => {
  it('is a new run that reuses what comes before the gate, and runs the gate and everything downstream again', async () => {
    const { world, fork } = await forkable();
    const { state } = await fork({ gate: 'b' });
    expect(world.starts).toEqual(['b#1', 'c#1']);
    expect(state).toMatchObject({ runNumber: 2, status: 'completed' });
    expect(state.units.get('a')).toMatchObject({ reused: true });
    const origin = { subject: 'subject', runNumber: 1, gate: 'b' };
    expect(state.decided.forked).toMatchObject({ ...by, decision: 'fork', gate: '-', runNumber: 2, n: 0, origin });
  });

  it('without a gate runs only what changed', async () => {
    const { world, fork } = await forkable();
    const { state } = await fork({});
    expect(world.starts).toEqual([]);
    expect(state).toMatchObject({ runNumber: 2, decided: { forked: { origin: { runNumber: 1 } } } });
  });

  it("of another subject is that subject's first run", async () => {
    const { fork } = await forkable();
    const { state } = await fork({ gate: 'c' }, { more: { subject: 'other' } });
    expect(state).toMatchObject({
      subject: 'other',
      runNumber: 1,
      decided: { forked: { origin: { subject: 'subject' } } },
    });
  });

  it('accepts no output from before the fork, also when the gate fails and the run goes on', async () => {
    const { world, state, fork } = await forkable();
    state.broken = true;
    await fork({ gate: 'b' });
    state.broken = false;
    const { state: after } = await world.run(CHAIN);
    expect(world.starts).toEqual(['b#1', 'b#1', 'c#1']);
    expect(after).toMatchObject({ runNumber: 2, status: 'completed', decided: { forked: { actor: 'maria' } } });
  });

  it('of a run that does not exist is refused before anything else, and leaves the open run open', async () => {
    const { state, world, fork } = await forkable();
    state.broken = true;
    await fork({ gate: 'b' });
    const before = world.medium.records.size;
    for (const fresh of [false, true])
      await expect(fork({ runNumber: 99 }, { fresh })).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    expect(world.medium.records.size).toBe(before);
  });

  it('needs the open run closed, or closes it', async () => {
    const { state, world, fork } = await forkable();
    state.broken = true;
    await fork({ gate: 'b' });
    await expect(fork({ gate: 'c' })).rejects.toMatchObject({ code: 'RUN_OPEN', fault: 'user' });
    // The same fork again, as after a kill, continues it.
    expect((await fork({ gate: 'b' })).state).toMatchObject({ runNumber: 2, status: 'error' });
    state.broken = false;
    world.starts.length = 0;
    expect((await fork({ gate: 'c' }, { fresh: true })).state).toMatchObject({ runNumber: 3, status: 'completed' });
    // Run 2 voided the output of run 1, and c was not reached there.
    expect(world.starts).toEqual(['b#1', 'c#1']);
  });

  it.each([
    [{ runNumber: 7 }, 'RUN_UNKNOWN'],
    [{ subject: 'nobody' }, 'RUN_UNKNOWN'],
    [{ gate: 'nope' }, 'GATE_UNKNOWN'],
  ])('of %j is refused, and nothing is recorded', async (origin, code) => {
    const { world, fork } = await forkable();
    const before = world.medium.records.size;
    await expect(fork(origin)).rejects.toMatchObject({ code });
    expect(world.medium.records.size).toBe(before);
  });

  it('killed at any step goes on as the same run, with the same gates run again', async () => {
    for (let dieAfter = 1; ; dieAfter += 1) {
      const { world, fork } = await forkable();
      const result = await fork({ gate: 'b' }, { dieAfter }).catch((error: unknown) => error);
      if (!(result instanceof Killed)) break;
      const isForked = [...world.medium.records.keys()].some((key) => key.includes('decided.fork'));
      const before = world.starts.length;
      const { state } = await (isForked ? world.run(CHAIN) : fork({ gate: 'b' }));
      // Killed after its last record, the fork is completed, and the next run reuses everything.
      const isOver = state.runNumber === 3 && world.starts.length === before;
      expect(isOver || state.runNumber === 2, `after ${dieAfter}`).toBe(true);
      expect(state.status, `after ${dieAfter}`).toBe('completed');
      expect([...new Set(world.starts.map((start) => start[0]))], `after ${dieAfter}`).toEqual(['b', 'c']);
    }
  });
});
