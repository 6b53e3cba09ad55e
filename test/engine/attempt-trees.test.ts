import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/engine/run-pipeline.ts';
import type { FileChange } from '../../src/run/records/record.ts';
import { engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

/** How each unit was planned in a call. */
const choices = (result: RunResult): Record<string, string> =>
  Object.fromEntries(result.planned.map(({ key, choice }) => [key, choice]));

/** Paths that a unit handed on, a `-` before those that it deleted. */
const handedOn = (result: RunResult, key: string): string[] => named(result.state.units.get(key)!.ended!.files);
const touched = (result: RunResult, key: string): string[] => named(result.state.units.get(key)!.ended!.touched);
const named = (changes: readonly FileChange[]): string[] =>
  changes.map(({ path, after }) => (after === null ? `-${path}` : path));

describe('the files that an agent works on', () => {
  it('are the user’s and those that its ancestors handed on, and of no other gate', async () => {
    const seen: Record<string, Record<string, string>> = {};
    const world = engineWorld(
      ({ unit, files }) => {
        seen[unit] = Object.fromEntries(files);
        files.set(`out/${unit}`, unit);
        files.set('shared', unit);
        return { output: unit };
      },
      { readme: 'mine' },
    );
    const files = ['out/**'];
    const pipeline = pipelineOf({
      a: { files },
      b: { files, needs: ['a'] },
      unrelated: { files: 'changed' },
      c: { files, needs: ['b'] },
    });
    const { state } = await world.run(pipeline);
    expect(state.status).toBe('completed');
    const own = { readme: 'mine' };
    expect(seen).toEqual({
      a: own,
      b: { ...own, 'out/a': 'a' },
      unrelated: own,
      c: { ...own, 'out/a': 'a', 'out/b': 'b' },
    });
  });

  it('are the whole of what its request names, where it declares no inputs', async () => {
    const requests: unknown[] = [];
    const world = engineWorld(
      ({ unit, request, files }) => {
        if (unit === 'b') requests.push(request['inputs']);
        files.set('made', 'by a');
        return { output: unit };
      },
      { readme: 'mine', 'src/x': 'x' },
    );
    const all = { inputs: undefined, files: ['made'] };
    await world.run(pipelineOf({ a: all, b: { ...all, needs: ['a'] }, c: all }));
    const paths = Object.keys((requests[0] as { files: object }).files);
    expect(paths.toSorted()).toEqual(['made', 'readme', 'src/x']);
  });

  it('are as the newest of its ancestors left them, where one edited what another one made', async () => {
    const seen: Record<string, string | undefined> = {};
    const world = engineWorld(
      ({ unit, files }) => {
        seen[unit] = files.get('x');
        if (unit !== 'reader') files.set('x', `${files.get('x')!}${unit}`);
        return { output: unit };
      },
      { x: '' },
    );
    const edit = { inputs: ['x'], files: ['x'] };
    const result = await world.run(
      pipelineOf({
        a: edit,
        b: { ...edit, needs: ['a'] },
        aside: edit,
        c: { ...edit, needs: ['b'] },
        reader: { inputs: ['x'], needs: ['c'] },
      }),
    );
    expect(seen).toEqual({ a: '', b: 'a', aside: '', c: 'ab', reader: 'abc' });
    expect(result.state.status).toBe('completed');
  });

  it('lack what an ancestor deleted, and what it put a file or a folder in the place of', async () => {
    const seen: string[][] = [];
    const world = engineWorld(
      ({ unit, files }) => {
        if (unit === 'use') seen.push([...files.keys()].toSorted());
        for (const path of ['gone', 'd/one', 'd/two', 'f']) files.delete(path);
        files.set('d', 'a file by now').set('f/below', 'in a folder by now');
        return { output: unit };
      },
      { gone: 'here', 'd/one': '1', 'd/two': '2', f: 'a file', kept: 'kept' },
    );
    const result = await world.run(
      pipelineOf({ make: { files: ['gone', 'd', 'f/*'] }, use: { inputs: undefined, needs: ['make'] } }),
    );
    expect(seen).toEqual([['d', 'f/below', 'kept']]);
    expect(handedOn(result, 'make')).toEqual(['d', 'f/below', '-gone']);
    expect(touched(result, 'make')).toEqual(['-d/one', '-d/two', '-f']);
  });

  it('are none that a failed gate left, also for one that stands in for it', async () => {
    const seen: string[][] = [];
    const world = engineWorld(({ unit, files }) => {
      if (unit === 'use') seen.push([...files.keys()]);
      files.set('out/made', 'half');
      return unit === 'make' ? { result: { exitCode: 1 } } : { output: unit };
    });
    const pipeline = pipelineOf({ make: { files: ['out/**'] }, use: { needs: ['make'] } });
    const input = 'of the caller';
    await world.run(pipeline, { input });
    await world.run(pipeline, { standIn: {}, only: new Set(['use']), input });
    expect(seen).toEqual([[]]);
  });

  it('are those of the attempt before no more than those of others, when it tries again', async () => {
    const seen: (string | undefined)[] = [];
    const world = engineWorld(
      ({ attempt, files }) => {
        seen.push(files.get('x'));
        files.set('x', `attempt ${attempt}`);
        if (attempt === 1) files.set('half', 'done');
        return attempt < 3 ? { result: { exitCode: 1 } } : { output: 1 };
      },
      { x: 'mine' },
    );
    const result = await world.run(pipelineOf({ a: { retries: 2, inputs: ['x'], files: 'changed' } }));
    expect(seen).toEqual(['mine', 'mine', 'mine']);
    expect(handedOn(result, 'a')).toEqual(['x']);
  });

  it('are none of its own earlier run or of later gates, when it is run again', async () => {
    const seen: string[] = [];
    const world = engineWorld(
      ({ unit, files }) => {
        seen.push(`${unit}: ${files.get('x')!}`);
        files.set('x', `${files.get('x')!}${unit}`);
        return { output: unit };
      },
      { x: '' },
    );
    const edit = { inputs: ['x'], files: ['x'] };
    const pipeline = pipelineOf({ a: edit, b: { ...edit, needs: ['a'] }, c: { ...edit, needs: ['b'] } });
    await world.run(pipeline);
    seen.length = 0;
    const again = await world.run(pipeline, {}, { resume: { force: ['b'], actor: 'me', reason: 'again' } });
    expect(seen).toEqual(['b: a']);
    expect(choices(again)).toEqual({ a: 'reuse', b: 'run', c: 'reuse' });
    expect(handedOn(again, 'b')).toEqual(['x']);
  });
});

describe('gates side by side', () => {
  it('hand on only what they changed themselves, whatever their `files` take', async () => {
    const legs = ['x', 'y'].map((id) => ({ id, matrix: { leg: id } }));
    const together = new Set<string>();
    let most = 0;
    const world = engineWorld(async ({ unit, files }) => {
      together.add(unit);
      most = Math.max(most, together.size);
      files.set(`r/${unit}`, 'half');
      await new Promise((resolve) => setTimeout(resolve, 10));
      files.set(`r/${unit}`, 'whole');
      together.delete(unit);
      return { output: [...files.keys()].toSorted() };
    });
    const result = await world.run(
      pipelineOf(
        {
          leg: { legs, files: ['r/**'] },
          all: { files: 'changed' },
          join: { needs: ['leg', 'all'], inputs: undefined },
        },
        { maxParallel: 3 },
      ),
    );
    expect(most).toBe(3);
    for (const unit of ['leg/x', 'leg/y', 'all']) expect(handedOn(result, unit)).toEqual([`r/${unit}`]);
    const read = await world.ports().store.get(result.state.units.get('join')!.ended!.value!.digest);
    expect(read.state === 'present' && JSON.parse(Buffer.from(read.value).toString())).toEqual([
      'r/all',
      'r/join',
      'r/leg/x',
      'r/leg/y',
    ]);
  });

  it('that leave one path differently stop the gate that would get both, before it is claimed', async () => {
    for (const [what, left] of [
      ['one file', { a: 'same', b: 'same' }],
      ['a file and a folder', { a: 'same', b: 'same/below' }],
      ['an edit and a deletion', { a: 'mine', b: '-mine' }],
    ] as const) {
      const world = engineWorld(
        ({ unit, files }) => {
          const path = { a: left.a, b: left.b }[unit] ?? unit;
          if (path.startsWith('-')) files.delete(path.slice(1));
          else files.set(path, unit);
          return { output: unit };
        },
        { mine: 'mine' },
      );
      const pipeline = pipelineOf({
        a: { files: 'changed' },
        b: { files: 'changed' },
        c: { needs: ['a', 'b'] },
      });
      const result = await world.run(pipeline);
      expect(result.errors, what).toMatchObject([{ code: 'FILES_CONFLICT', fault: 'user' }]);
      expect(result.errors[0]!.message, what).toMatch(/\((?:a and b|b and a)\)/);
      expect(world.starts, what).toEqual(['a#1', 'b#1']);
      expect(result.state.units.get('c'), what).toMatchObject({ attempts: 0, started: undefined });
      expect((await world.plan(pipeline)).errors, what).toMatchObject([{ code: 'FILES_CONFLICT' }]);
    }
  });

  it('may leave one path alike', async () => {
    const world = engineWorld(({ unit, files }) => {
      if (unit !== 'c') files.set('same', 'alike');
      return { output: unit };
    });
    const files = ['same'];
    const { state } = await world.run(
      pipelineOf({ a: { files }, b: { files }, c: { needs: ['a', 'b'], inputs: ['same'] } }),
    );
    expect(state.status).toBe('completed');
  });
});
