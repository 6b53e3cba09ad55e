import { describe, expect, it } from 'vitest';
import { runPipeline, type RunResult } from '../../src/engine/run-pipeline.ts';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import { engineWorld, type EngineWorld } from '../support/engine-world.ts';
import { withMethods } from '../support/memory-workspace.ts';
import { pipelineOf } from '../support/pipelines.ts';

/** How each unit was planned in a call. */
const choices = (result: RunResult): Record<string, string> =>
  Object.fromEntries(result.planned.map(({ key, choice }) => [key, choice]));

const folderOf = ({ workspace }: EngineWorld): Record<string, string> => Object.fromEntries(workspace.folder);

describe('the user’s folder', () => {
  it('is not touched by a run', async () => {
    const files = { readme: 'mine', 'src/x': 'x' };
    const world = engineWorld(({ unit, files: own }) => {
      own.set('readme', unit);
      own.delete('src/x');
      own.set('new', unit);
      return { output: unit };
    }, files);
    await world.run(pipelineOf({ a: { files: 'changed' }, b: { needs: ['a'], files: ['new'] } }));
    expect(folderOf(world)).toEqual(files);
    expect(world.workspace.trees).toEqual([]);
  });

  it('is what earlier outputs are recognised by, however often edits alternate', async () => {
    const world = engineWorld(
      ({ unit, files }) => {
        const saw = files.get('x')!;
        if (unit === 'a') files.set('x', `${saw} by a`);
        return { output: saw };
      },
      { x: 'A' },
    );
    const pipeline = pipelineOf({
      a: { inputs: ['x'], files: ['x'] },
      b: { needs: ['a'], inputs: ['x'] },
      aside: { inputs: undefined },
    });
    const outputs: unknown[] = [];
    for (const text of ['A', 'B', 'A', 'B', 'A by a', 'A']) {
      world.workspace.folder.set('x', text);
      const before = world.starts.length;
      const { state } = await world.run(pipeline);
      const { value } = state.units.get('b')!.ended!;
      const read = await world.ports().store.get(value!.digest);
      outputs.push([read.state === 'present' && Buffer.from(read.value).toString(), world.starts.length - before]);
    }
    expect(outputs).toEqual([
      ['"A by a"', 3],
      ['"B by a"', 3],
      ['"A by a"', 0],
      ['"B by a"', 0],
      ['"A by a by a"', 3],
      ['"A by a"', 0],
    ]);
  });

  it('that changes while a call runs is not seen by it, and the change is named at its end', async () => {
    const saw: (string | undefined)[] = [];
    const world = engineWorld(
      ({ unit, files }) => {
        saw.push(files.get('x'));
        if (unit === 'a')
          for (let n = 0; n < 12; n += 1) world.workspace.folder.set(n === 0 ? 'x' : `new${n + 10}`, 'edited');
        return { output: unit };
      },
      { x: 'mine', y: 'y' },
    );
    const pipeline = pipelineOf({ a: {}, b: { needs: ['a'], inputs: undefined } });
    await world.run(pipeline);
    expect(saw).toEqual(['mine', 'mine']);
    const notices = world.events.filter((event) => event.type === 'notice');
    expect(notices).toMatchObject([{ message: expect.stringContaining('new11, new12') as string }]);
    expect(notices[0]).toMatchObject({
      message: expect.stringMatching(/changed in your folder .* and 2 more$/) as string,
    });
    await world.run(pipeline);
    expect(saw).toEqual(['mine', 'mine', 'edited']);
  });

  it('that cannot be looked at in the end leaves what the run came to as it is', async () => {
    const world = engineWorld(({ unit }) => ({ output: unit }), { x: 'x' });
    const ports = world.ports();
    let looks = 0;
    const snapshot: typeof ports.workspace.snapshot = (named) => {
      looks += 1;
      if (looks > 1) throw new GatelineError('UNTRACKED_TOO_LARGE', 'core is too large');
      return ports.workspace.snapshot(named);
    };
    const pipeline = pipelineOf({ a: { inputs: ['x'] } });
    const notices: string[] = [];
    const { state } = await runPipeline(
      { ...ports, workspace: withMethods(ports.workspace, { snapshot }) },
      { pipeline, subject: 'subject', metadata: {}, input: null },
      {
        observe: (event) => void (event.type === 'notice' && notices.push(event.message)),
        signal: new AbortController().signal,
      },
    );
    expect(state.status).toBe('completed');
    expect(looks).toBe(2);
    expect(notices).toEqual([expect.stringContaining('core is too large')]);
  });
});

describe('a done gate', () => {
  it('is not run again without an edit, whatever it and others left', async () => {
    const world = engineWorld(
      ({ unit, files }) => {
        files.set('x', `${files.get('x')!}${unit}`);
        files.set(`out/${unit}`, unit);
        return { output: unit };
      },
      { x: '' },
    );
    const pipeline = pipelineOf({
      whole: { inputs: undefined, files: 'changed' },
      reads: { inputs: ['x'] },
      edits: { inputs: ['x'], files: ['x', 'out/**'], needs: ['reads'] },
      after: { inputs: undefined, needs: ['edits'] },
      leg: {
        legs: ['one', 'two'].map((id) => ({ id, matrix: { leg: id } })),
        inputs: ['x'],
        files: ['out/**'],
        needs: ['whole'],
      },
    });
    const first = await world.run(pipeline);
    expect(first.state.status).toBe('completed');
    const started = world.starts.length;
    for (let call = 0; call < 3; call += 1)
      expect(new Set(Object.values(choices(await world.run(pipeline))))).toEqual(new Set(['reuse']));
    expect(world.starts).toHaveLength(started);
  });

  it('is reused with its files after an edit that is not among its inputs', async () => {
    const seen: (string | undefined)[] = [];
    const world = engineWorld(
      ({ unit, files }) => {
        if (unit === 'make') files.set('made', 'made');
        else seen.push(files.get('made'));
        return { output: unit };
      },
      { x: 'one', y: 'one' },
    );
    const pipeline = pipelineOf({
      make: { inputs: ['x'], files: ['made'] },
      use: { needs: ['make'], inputs: ['y', 'made'] },
    });
    await world.run(pipeline);
    world.workspace.folder.set('y', 'two');
    expect(choices(await world.run(pipeline))).toEqual({ make: 'reuse', use: 'run' });
    expect(seen).toEqual(['made', 'made']);
  });

  it('runs again when what the user has in its place is among its inputs, also if a gate made it', async () => {
    const world = engineWorld(
      ({ unit, files }) => {
        files.set('x', `${files.get('x')!}+`);
        return { output: unit };
      },
      { x: 'v' },
    );
    const pipeline = pipelineOf({ improve: { inputs: ['x'], files: ['x'] } });
    await world.run(pipeline);
    // As `apply` or a commit does it.
    world.workspace.folder.set('x', 'v+');
    await world.run(pipeline);
    world.workspace.folder.set('x', 'v');
    await world.run(pipeline);
    expect(world.starts).toEqual(['improve#1', 'improve#1']);
  });
});
