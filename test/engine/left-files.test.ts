import { describe, expect, it } from 'vitest';
import { engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

/** How a unit was planned in a call. */
const choices = (result: { planned: readonly { key: string; choice: string }[] }): Record<string, string> =>
  Object.fromEntries(result.planned.map(({ key, choice }) => [key, choice]));

describe('files that gates left', () => {
  it('are taken back no further than to what was committed since', async () => {
    const pipeline = pipelineOf({ improve: { inputs: ['x'], files: ['x'] } });
    const world = engineWorld(
      ({ files }) => {
        const saw = files.get('x')!;
        files.set('x', `${saw}+`);
        return { output: saw };
      },
      { x: 'v' },
    );
    await world.run(pipeline);
    world.workspace.committedFiles.set('x', 'v+');
    await world.run(pipeline);
    expect(world.workspace.files.get('x')).toBe('v++');
    const again = await world.run(pipeline);
    expect(world.starts).toHaveLength(2);
    expect(again.state.units.get('improve')!.ended!.source).toMatchObject({ runNumber: 2 });
    expect(world.workspace.files.get('x')).toBe('v++');
  });

  it('are those of the gate that made them, not of a later one whose globs name them too', async () => {
    const pipeline = pipelineOf({
      data: { inputs: ['source'], files: ['t/**'] },
      code: { needs: ['data'], files: ['t/**'] },
      execute: { needs: ['code'], inputs: ['t/**'] },
    });
    const world = engineWorld(
      ({ unit, files }) => {
        if (unit === 'data') files.set('t/data', files.get('source')!);
        if (unit === 'code') files.set('t/code', 'code');
        return { output: unit === 'execute' ? files.get('t/data')! : 'ok' };
      },
      { source: 'one' },
    );
    await world.run(pipeline);
    world.workspace.files.set('source', 'two');
    const second = await world.run(pipeline);
    expect(choices(second)).toEqual({ data: 'run', code: 'reuse', execute: 'run' });
    expect(world.workspace.files.get('t/data')).toBe('two');
  });

  it('are not those that somebody else keeps where a glob points', async () => {
    const pipeline = pipelineOf({ make: { files: ['out/**'] } });
    const world = engineWorld(({ files }) => {
      files.set('out/made', 'made');
      return { output: 1 };
    });
    world.workspace.files.set('out/notes', 'mine');
    const { state } = await world.run(pipeline);
    expect(state.units.get('make')!.ended!.files.map(({ path }) => path)).toEqual(['out/made']);
    world.workspace.files.set('out/notes', 'mine, edited');
    await world.run(pipeline);
    expect(world.workspace.files.get('out/notes')).toBe('mine, edited');
  });

  it('are handed on again by a gate that finds them up to date, or makes them just the same', async () => {
    for (const way of ['leaves them alone', 'writes them again']) {
      const pipeline = pipelineOf({ make: { files: ['out/**'], inputs: ['source'] } });
      const world = engineWorld(
        ({ files, attempt }) => {
          if (way === 'writes them again' || !files.has('out/made')) files.set('out/made', 'made');
          return { output: attempt };
        },
        { source: 'one' },
      );
      await world.run(pipeline);
      world.workspace.files.set('source', 'two');
      const { state } = await world.run(pipeline);
      expect(world.starts, way).toHaveLength(2);
      expect(
        state.units.get('make')!.ended!.files.map(({ path }) => path),
        way,
      ).toEqual(['out/made']);
    }
  });

  it('by a failed attempt go on with what the next one does, deletions too, but nobody else’s edits do', async () => {
    const pipeline = pipelineOf({ edit: { files: 'changed' } });
    const world = engineWorld(
      ({ files, attempt }) => {
        if (attempt === 1 && !files.has('second')) {
          files.set('half', 'done');
          files.delete('gone');
          files.set('second', 'chance');
          return { result: { exitCode: 1 } };
        }
        return { output: 1 };
      },
      { gone: 'here', readme: 'old' },
    );
    await world.run(pipeline);
    world.workspace.files.set('readme', 'new, by its author');
    const { state } = await world.run(pipeline);
    expect(state.status).toBe('completed');
    const { files } = state.units.get('edit')!.ended!;
    expect(files.map(({ path, after }) => [path, after === null])).toEqual([
      ['gone', true],
      ['half', false],
      ['second', false],
    ]);
  });

  it('by one gate and edited by a later one are left alone when both are reused: they are nobody’s edits', async () => {
    const pipeline = pipelineOf({
      a: { inputs: ['x'], files: ['x'] },
      b: { needs: ['a'], inputs: ['x'], files: ['x'] },
      c: { needs: ['b'], inputs: ['x', 'y'] },
    });
    const world = engineWorld(
      ({ unit, files }) => {
        if (unit !== 'c') files.set('x', `${files.get('x')!}${unit}`);
        return { output: files.get('x')! };
      },
      { x: '', y: 'one' },
    );
    await world.run(pipeline);
    const written: unknown[] = [];
    const { files } = world.workspace;
    const set = files.set.bind(files);
    files.set = (path, text) => (written.push([path, text]), set(path, text));
    world.workspace.files.set('y', 'two');
    expect(choices(await world.run(pipeline))).toEqual({ a: 'reuse', b: 'reuse', c: 'run' });
    expect(written).toEqual([['y', 'two']]);
    expect(
      choices(await world.run(pipeline, {}, { force: { gates: ['b'], actor: 'me', reason: 'again' } })),
    ).toMatchObject({ b: 'run' });
    expect(files.get('x')).toBe('ab');
    expect(world.events.filter((event) => event.type === 'notice')).toEqual([]);
  });

  it('that are put back while an attempt runs are none that it changed', async () => {
    const pipeline = pipelineOf({ long: { inputs: ['y'] }, make: { files: ['made'] }, use: { needs: ['make'] } });
    let makeRoom = (): void => undefined;
    const world = engineWorld(
      async ({ unit, files }) => {
        if (unit === 'make') files.set('made', 'made');
        if (unit === 'use') makeRoom();
        if (unit === 'long' && files.get('y') === 'two') await new Promise<void>((resolve) => (makeRoom = resolve));
        return { output: files.get('y')! };
      },
      { y: 'one' },
    );
    await world.run(pipeline);
    world.workspace.files.set('y', 'two');
    world.workspace.files.delete('made');
    const { state } = await world.run(pipeline, {}, { force: { gates: ['use'], actor: 'me', reason: 'again' } });
    expect(world.workspace.files.get('made')).toBe('made');
    expect(state.units.get('long')!.ended!.touched).toEqual([]);
  });

  it('by legs side by side are told apart: legs that may leave the same ones run one after the other', async () => {
    const legs = ['x', 'y'].map((id) => ({ id, matrix: { leg: id } }));
    const pipeline = pipelineOf(
      { leg: { legs, files: ['r/**'] }, free: {}, join: { needs: ['leg'] } },
      { maxParallel: 3 },
    );
    const running = new Set<string>();
    const together: string[][] = [];
    const world = engineWorld(async ({ unit, files }) => {
      running.add(unit);
      together.push([...running].toSorted());
      const path = unit === 'free' ? 'free' : `r/${unit}`;
      files.set(path, 'half');
      await new Promise((resolve) => setTimeout(resolve, unit === 'leg/y' ? 30 : 5));
      files.set(path, 'whole');
      running.delete(unit);
      return { output: unit };
    });
    const { state } = await world.run(pipeline);
    expect(state.status).toBe('completed');
    expect(together).toContainEqual(['free', 'leg/x']);
    expect(together.filter((one) => one.includes('leg/x') && one.includes('leg/y'))).toEqual([]);
    expect(state.units.get('leg/x')!.ended!.files.map(({ path }) => path)).not.toContain('r/leg/y');
  });

  it('by a gate that failed are not given to one that stands in for it', async () => {
    const pipeline = pipelineOf({ make: { files: ['out/**'] }, use: { needs: ['make'] } });
    const world = engineWorld(({ unit, files }) => {
      if (unit === 'use') return { output: files.get('out/made') ?? 'nothing' };
      files.set('out/made', 'half');
      return { result: { exitCode: 1 } };
    });
    await world.run(pipeline);
    world.workspace.files.delete('out/made');
    const { state } = await world.run(pipeline, { standIn: true, only: new Set(['use']) });
    expect(state.units.get('make')!.status).toBe('failed');
    const { value } = state.units.get('use')!.ended!;
    const read = await world.ports().store.get(value!.digest);
    expect(read.state === 'present' && Buffer.from(read.value).toString()).toBe('"nothing"');
  });
});
