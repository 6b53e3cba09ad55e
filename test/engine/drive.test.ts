import { describe, expect, it } from 'vitest';
import type { Observer } from '../../src/engine/ports.ts';
import { engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

/** Lets this many turns of the microtask queue pass. */
async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await Promise.resolve();
}

describe('driving a run on', () => {
  it('goes on with what is ready however close together attempts end', async () => {
    const pipeline = pipelineOf({ a: {}, b: {}, c: { needs: ['b'] }, d: { needs: ['a', 'c'] } });
    for (let apart = -60; apart <= 60; apart += 1) {
      const world = engineWorld(({ unit }) => ({ output: unit }));
      const observe: Observer = async (event) => {
        if (event.type === 'ended') await turns({ a: -apart, b: apart }[event.unit] ?? 0);
      };
      const { state } = await world.run(pipeline, {}, { observe });
      expect(state.status, `${apart} turns apart`).toBe('completed');
    }
  });

  it('waits for everything that still runs before it answers', async () => {
    let ended = 0;
    const world = engineWorld(async ({ unit }) => {
      if (unit === 'slow') await new Promise((resolve) => setTimeout(resolve, 20));
      ended += 1;
      return unit === 'fast' ? {} : { output: 1 };
    });
    const { state } = await world.run(pipelineOf({ fast: {}, slow: {} }));
    expect(ended).toBe(2);
    expect([...state.units.values()].map((unit) => unit.status)).toEqual(['failed', 'passed']);
  });
});
