import { describe, expect, it } from 'vitest';
import type { Observer } from '../../src/engine/ports.ts';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import { runPipeline } from '../../src/engine/run-pipeline.ts';
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

  it('keeps one gate back whose files cannot be put back, and neither forgets them nor leaves the others', async () => {
    const pipeline = pipelineOf({ slow: { inputs: ['x'] }, left: { files: ['out/**'] }, free: {} });
    const world = engineWorld(
      async ({ unit, files }) => {
        if (unit === 'slow') await new Promise((resolve) => setTimeout(resolve, 20));
        if (unit === 'left') files.set('out/made', 'made');
        return { output: unit };
      },
      { x: 'one' },
    );
    await world.run(pipeline);
    world.workspace.files.set('x', 'two');
    world.workspace.files.delete('out/made');
    const ports = world.ports();
    const blocked = new GatelineError('user', 'PATH_BLOCKED', 'out is a file');
    const workspace = Object.assign(Object.create(ports.workspace) as typeof ports.workspace, {
      materialise: (changes: readonly unknown[]) =>
        changes.length > 0 ? Promise.reject(blocked) : Promise.resolve([]),
    });
    const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
    const options = { observe: () => undefined, signal: new AbortController().signal };
    const { state, errors } = await runPipeline({ ...ports, workspace }, assignment, options);
    expect(errors).toEqual([blocked]);
    const statuses = [...state.units.values()].map((unit) => `${unit.key} ${unit.status}`);
    expect(statuses).toEqual(['slow passed', 'left ready', 'free passed']);
    const next = await world.run(pipeline);
    expect(next.state.status).toBe('completed');
    expect(world.workspace.files.get('out/made')).toBe('made');
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
