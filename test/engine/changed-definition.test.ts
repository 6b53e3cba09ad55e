import { describe, expect, it } from 'vitest';
import { engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const A = { inputs: ['a.txt'], with: { model: 'one' } };
const BEFORE = pipelineOf({ a: A, old: {}, b: { needs: ['a'] }, c: { needs: ['b'] } });

/** A run of {@link BEFORE} whose gate c failed. */
async function stopped() {
  const world = engineWorld(({ unit }) => (unit === 'c' ? { result: { exitCode: 1 } } : { output: unit }), {
    'a.txt': '1',
  });
  await world.run(BEFORE);
  world.starts.length = 0;
  world.events.length = 0;
  return world;
}

const strict = { strict: true };

describe('a definition that changed since the run began', () => {
  it('reuses unchanged gates, ignores removed ones and says so once, and runs new ones', async () => {
    const world = await stopped();
    const now = pipelineOf({ a: A, b: { needs: ['a'] }, new: { needs: ['a'] } });
    const { state } = await world.run(now);
    expect(world.starts).toEqual(['new#1']);
    expect(state.status).toBe('completed');
    const notices = world.events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
    expect(notices).toEqual([
      'there are records of c, which is not in the pipeline: ignored',
      'there are records of old, which is not in the pipeline: ignored',
    ]);
  });

  it('is refused with --strict, and every change is named', async () => {
    const world = await stopped();
    const now = pipelineOf({
      a: { ...A, with: { model: 'two' }, env: { LEVEL: '1' }, secrets: ['TOKEN'] },
      b: { contract: { ...BEFORE.gates[0]!.contract, threshold: 5 } },
      c: { needs: ['a', 'b'], run: 'other' },
    });
    const refused = {
      code: 'DEFINITION_CHANGED',
      fault: 'user',
      message:
        'the definition changed since run 1 of subject began: gate old was removed, ' +
        'gate a: with model changed; env LEVEL added; secret TOKEN added, ' +
        'gate b: no longer needs a; its contract changed, gate c: needs a; key run changed',
    };
    await expect(world.run(now, strict)).rejects.toMatchObject(refused);
    await expect(world.plan(now, strict)).rejects.toMatchObject(refused);
    expect(world.starts).toEqual([]);
  });

  it('is refused with --strict before a pause is lifted', async () => {
    const world = await stopped();
    const before = world.medium.records.size;
    const resume = { actor: 'maria', reason: 'because', lift: true, force: ['a'] };
    const now = pipelineOf({ a: A, c: {} });
    await expect(world.run(now, strict, { resume })).rejects.toMatchObject({ code: 'DEFINITION_CHANGED' });
    expect(world.medium.records.size).toBe(before);
  });

  it('is no change where a file, an export or an inherited variable changed, or a gate is new', async () => {
    const world = await stopped();
    world.workspace.folder.set('a.txt', '2');
    const now = pipelineOf({ a: A, old: {}, b: { needs: ['a'] }, c: { needs: ['b'] }, new: {} });
    await world.run(now, strict);
    expect(world.starts).toEqual(['a#1', 'new#1', 'c#1']);
  });

  it('is refused with --strict where the removal of a gate that failed completed the run', async () => {
    const world = await stopped();
    const now = pipelineOf({ a: A });
    await expect(world.run(now, strict)).rejects.toMatchObject({
      message: 'the definition changed since run 1 of subject began: gate c was removed',
    });
  });

  it('is accepted by a new run', async () => {
    const world = await stopped();
    const fresh = { actor: 'maria', reason: 'because', fresh: true };
    const { state } = await world.run(pipelineOf({ a: A }), strict, { resume: fresh });
    expect(state).toMatchObject({ runNumber: 2, status: 'completed' });
  });
});
