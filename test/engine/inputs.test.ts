import { describe, expect, it } from 'vitest';
import { engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

describe('inputs', () => {
  it('that match nothing keep the gate from running, by the name of the glob', async () => {
    const world = engineWorld(() => ({ output: 1 }), { 'src/a.ts': '1' });
    const { errors } = await world.run(pipelineOf({ a: { inputs: ['src/*.ts', 'scr/*.css', '!src/b.ts'] } }));
    expect(errors).toMatchObject([{ code: 'INPUT_UNMATCHED', fault: 'user' }]);
    expect(errors[0]?.message).toContain('scr/*.css');
    expect(world.starts).toEqual([]);
  });

  it('that are none make no file count, and without `inputs` every tracked file does', async () => {
    const world = engineWorld(({ unit }) => ({ output: unit }), { 'a.txt': '1' });
    const pipeline = pipelineOf({ none: { inputs: [] }, all: { inputs: undefined } });
    await world.run(pipeline);
    world.workspace.folder.set('a.txt', '2');
    await world.run(pipeline);
    expect(world.starts).toEqual(['none#1', 'all#1', 'all#1']);
  });
});
