import { describe, expect, it } from 'vitest';
import { engineWorld, type EngineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const notices = ({ events }: EngineWorld): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));

describe('a gate in place', () => {
  it('runs alone', async () => {
    const running = new Set<string>();
    const together: string[][] = [];
    const world = engineWorld(async ({ unit }) => {
      running.add(unit);
      together.push([...running].toSorted());
      await new Promise((resolve) => setTimeout(resolve, 10));
      running.delete(unit);
      return { output: unit };
    });
    const gates = { here: { workspace: 'in-place' }, a: {}, b: {}, there: { workspace: 'in-place' } } as const;
    const { state } = await world.run(pipelineOf(gates, { maxParallel: 4 }));
    expect(state.status).toBe('completed');
    expect(together).toContainEqual(['a', 'b']);
    for (const one of together.filter((units) => units.includes('here') || units.includes('there')))
      expect(one).toHaveLength(1);
  });

  it('works in the user’s folder, and what it left there is the user’s version from then on', async () => {
    const world = engineWorld(
      ({ unit, files, root }) => {
        if (unit !== 'here') return { output: files.get('x')! };
        expect(root).toBe(world.workspace.root);
        files.set('x', 'by here');
        return { output: 1 };
      },
      { x: 'mine', y: 'y' },
    );
    const pipeline = pipelineOf({
      before: { inputs: ['x'] },
      here: { workspace: 'in-place', needs: ['before'], inputs: ['y'] },
      after: { needs: ['here'], inputs: ['x'] },
    });
    const first = await world.run(pipeline);
    expect(world.workspace.folder.get('x')).toBe('by here');
    expect(first.state.units.get('here')!.started).toMatchObject({ place: 'in-place' });
    expect(first.state.units.get('here')!.ended).toMatchObject({ files: [], touched: [{ path: 'x' }] });
    const read = await world.ports().store.get(first.state.units.get('after')!.ended!.value!.digest);
    expect(read.state === 'present' && Buffer.from(read.value).toString()).toBe('"by here"');
    await world.run(pipeline);
    expect(world.starts).toEqual(['before#1', 'here#1', 'after#1', 'before#1', 'here#1']);
    await world.run(pipeline);
    expect(world.starts).toHaveLength(5);
  });

  it('names the done gates that read what it changed, and its own edits are no edits of the user’s', async () => {
    const world = engineWorld(
      ({ unit, files }) => {
        if (unit === 'here') files.set('x', 'by here');
        return { output: unit };
      },
      { x: 'mine', y: 'y' },
    );
    const pipeline = pipelineOf({
      reads: { inputs: ['x'] },
      other: { inputs: ['y'] },
      here: { workspace: 'in-place', needs: ['reads', 'other'], inputs: ['y'] },
    });
    await world.run(pipeline);
    const told = world.events.filter((event) => event.type === 'notice');
    expect(told.filter(({ unit }) => unit === 'reads')).toMatchObject([
      { message: expect.stringMatching(/^x changed .* will run again$/) as string },
    ]);
    expect(told.filter(({ unit }) => unit === 'other')).toEqual([]);
    expect(notices(world).filter((message) => message.includes('in your folder while'))).toEqual([]);
  });

  it('is given the folder as it is when its turn comes', async () => {
    const world = engineWorld(
      ({ unit }) => {
        if (unit === 'a') world.workspace.folder.set('x', 'edited while a ran');
        return { output: unit };
      },
      { x: 'mine' },
    );
    const pipeline = pipelineOf({ a: {}, here: { workspace: 'in-place', needs: ['a'], inputs: ['x'] } });
    const { state } = await world.run(pipeline);
    expect(state.status).toBe('completed');
    await world.run(pipeline);
    expect(world.starts).toEqual(['a#1', 'here#1']);
  });

  it('tries again on what it left itself, asked for that, and told what was wrong', async () => {
    const told: unknown[] = [];
    const world = engineWorld(
      ({ files, feedback, request }) => {
        told.push([files.get('x'), feedback?.['kind'], (request['inputs'] as { files: object }).files]);
        files.set('x', `${files.get('x')!}+`);
        return told.length < 3 ? { raw: 'nonsense' } : { output: 1 };
      },
      { x: 'v' },
    );
    const { state } = await world.run(pipelineOf({ here: { workspace: 'in-place', inputs: ['x'], retries: 2 } }));
    expect(state.units.get('here')!.ended!.verdict.status).toBe('passed');
    expect(told.map((one) => (one as unknown[]).slice(0, 2))).toEqual([
      ['v', undefined],
      ['v+', 'malformed'],
      ['v++', 'malformed'],
    ]);
    const claims = (await world.ports().store.list('test', 'subject')).records.filter(({ kind }) => kind === 'started');
    expect(new Set(claims.map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  it('does not start while the folder lacks what earlier gates handed on, and is not claimed', async () => {
    const world = engineWorld(
      ({ unit, files }) => {
        if (unit === 'make') {
          files.set('made', 'made');
          files.delete('gone');
        }
        return { output: files.get('made')! };
      },
      { gone: 'here' },
    );
    const pipeline = pipelineOf({
      make: { files: 'changed' },
      here: { workspace: 'in-place', needs: ['make'], inputs: undefined },
    });
    const refused = await world.run(pipeline);
    expect(refused.errors).toMatchObject([
      {
        code: 'GATE_NOT_APPLIED',
        fault: 'user',
        message: expect.stringContaining('gone, made') as string,
        hint: expect.stringContaining('`workspace: tree`') as string,
      },
    ]);
    expect(refused.planned.map(({ choice }) => choice)).toEqual(['run', 'blocked']);
    expect(refused.state.units.get('here')).toMatchObject({ attempts: 0, started: undefined });
    expect((await world.plan(pipeline)).errors).toMatchObject([{ code: 'GATE_NOT_APPLIED' }]);
    world.workspace.folder.set('made', 'made');
    world.workspace.folder.delete('gone');
    const applied = await world.run(pipeline);
    expect(applied.state.status).toBe('completed');
    expect(world.starts).toEqual(['make#1', 'here#1']);
  });

  it('that hands on files must declare its inputs', async () => {
    const world = engineWorld(({ unit }) => ({ output: unit }), { x: 'x' });
    const here = { workspace: 'in-place', files: ['made'] } as const;
    const pipeline = pipelineOf({ undeclared: { ...here, inputs: undefined }, declared: { ...here, inputs: ['x'] } });
    const { errors, state } = await world.run(pipeline);
    expect(errors).toMatchObject([{ code: 'IN_PLACE_NEEDS_INPUTS', fault: 'user' }]);
    expect(world.starts).toEqual(['declared#1']);
    expect(state.units.get('undeclared')).toMatchObject({ attempts: 0 });
  });
});
