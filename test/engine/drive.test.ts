import { describe, expect, it } from 'vitest';
import type { Observer } from '../../src/engine/ports.ts';
import type { StateFiles } from '../../src/engine/call/guide-files.ts';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import { planPipeline } from '../../src/engine/plan-pipeline.ts';
import { runPipeline } from '../../src/engine/run-pipeline.ts';
import { withMethods } from '../support/memory-workspace.ts';
import { engineWorld, Killed } from '../support/engine-world.ts';
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

  it('ends the attempt of a gate whose files cannot be brought together, and lets the others go on', async () => {
    const pipeline = pipelineOf({ make: { files: ['made'] }, use: { needs: ['make'] }, free: { needs: ['make'] } });
    const world = engineWorld(({ unit, files }) => {
      files.set('made', 'made');
      return { output: unit };
    });
    const ports = world.ports();
    const lost = new GatelineError('CONTENT_MISSING', 'the content of made is not there');
    let builds = 0;
    const build: typeof ports.workspace.build = (...asked) => {
      builds += 1;
      return builds === 2 ? Promise.reject(lost) : ports.workspace.build(...asked);
    };
    const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
    const options = { observe: () => undefined, signal: new AbortController().signal };
    const { state } = await runPipeline(
      { ...ports, workspace: withMethods(ports.workspace, { build }) },
      assignment,
      options,
    );
    const statuses = [...state.units.values()].map((unit) => `${unit.key} ${unit.status}`);
    expect(statuses).toEqual(['make passed', 'use failed', 'free passed']);
    expect(state.units.get('use')!.ended!.verdict).toMatchObject({
      kind: 'not-started',
      advice: expect.stringContaining('CONTENT_MISSING') as string,
    });
    expect((await world.run(pipeline)).state.status).toBe('completed');
    expect(world.starts).toEqual(['make#1', 'free#1', 'use#1']);
  });

  it('gives a work tree back whatever happens, and to others only after an agent that came to its end', async () => {
    const outcomes = ['exited', 'timeout', 'signalled', 'cancelled', 'not-started', 'broken', 'unshown'] as const;
    for (const outcome of outcomes) {
      const world = engineWorld(() => {
        if (outcome === 'broken') throw new Error('the agent cannot be watched');
        return outcome === 'unshown' ? {} : { result: { outcome } };
      });
      const ports = world.ports();
      const stateFiles: StateFiles = {
        prepare: () =>
          outcome === 'unshown' ? Promise.reject(new Error('disk full')) : Promise.resolve({ notices: [], loaded: [] }),
        read: () => Promise.resolve(undefined),
        remove: () => Promise.resolve(),
      };
      const assignment = { pipeline: pipelineOf({ a: {} }), subject: 'subject', metadata: {}, input: null };
      const options = { observe: () => undefined, signal: new AbortController().signal };
      await runPipeline({ ...ports, stateFiles }, assignment, options).catch(() => undefined);
      expect(world.workspace.trees, outcome).toEqual([]);
      const released = world.workspace.released.map(({ isReusable }) => isReusable);
      expect(released, outcome).toEqual([outcome === 'exited']);
    }
  });

  it('names an error once that keeps several gates back', async () => {
    const world = engineWorld(({ unit }) => ({ output: unit }));
    const ports = world.ports();
    const large = new GatelineError('UNTRACKED_TOO_LARGE', 'core is too large');
    const workspace = withMethods(ports.workspace, { snapshot: () => Promise.reject(large) });
    const pipeline = pipelineOf({ a: { inputs: undefined }, b: { inputs: undefined }, none: {} });
    const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
    const options = { observe: () => undefined, signal: new AbortController().signal };
    const { errors } = await runPipeline({ ...ports, workspace }, assignment, options);
    expect(errors).toEqual([large]);
    expect((await planPipeline({ ...ports, workspace }, assignment)).errors).toEqual([large]);
  });

  it('does not take a leg that is about to try again for one that failed', async () => {
    const legs = ['a', 'b', 'c'].map((id) => ({ id, matrix: { leg: id } }));
    const pipeline = pipelineOf({ test: { legs, retries: 1 } });
    for (let apart = 0; apart <= 60; apart += 1) {
      const world = engineWorld(({ unit, attempt }) => {
        return unit === 'test/a' && attempt === 1 ? { result: { exitCode: 1 } } : { output: unit };
      });
      const observe: Observer = async (event) => {
        // While the first leg's failure is told, the second one passes and makes room for the third.
        if (event.type === 'ended') await turns(event.unit === 'test/a' ? 400 : apart);
      };
      const { state } = await world.run(pipeline, {}, { observe });
      expect(state.status, `${apart} turns apart`).toBe('completed');
    }
  });

  it('does not wait for a process that held a gate, wherever that was: no other engine works here', async () => {
    const world = engineWorld(({ unit }) => {
      if (world.starts.length === 1) throw new Killed();
      return { output: unit };
    });
    const pipeline = pipelineOf({ a: {} });
    await expect(world.run(pipeline)).rejects.toThrow(Killed);
    const records = await world.ports().store.list('test', 'subject');
    expect(records.records.map((record) => record.kind)).toContain('started');
    const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
    const options = { observe: () => undefined, signal: new AbortController().signal };
    const ports = { ...world.ports(), isGone: () => Promise.resolve(false) };
    expect((await runPipeline(ports, assignment, options)).state.status).toBe('completed');
  });
});
