import { describe, expect, it } from 'vitest';
import { engineWorld, Killed, type AgentScript, type EngineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const CHAIN = pipelineOf({
  a: { inputs: ['x'], files: ['made/**'] },
  b: { needs: ['a'], inputs: undefined, files: 'changed' },
  c: { needs: ['b'], inputs: ['x', 'made/**'] },
});

const FILES = { x: 'mine', gone: 'here' };

/** What the agents of {@link CHAIN} make of their files. */
const edit: AgentScript = ({ unit, files }) => {
  const saw = [...files]
    .map((file) => file.join(' '))
    .toSorted()
    .join(' ');
  files.set(`made/${unit}`, unit);
  if (unit === 'b') files.delete('gone');
  return { output: saw };
};

async function outputs(world: EngineWorld): Promise<unknown[]> {
  const { state } = await world.run(CHAIN);
  expect(state.status).toBe('completed');
  expect(state.problems).toEqual([]);
  return Promise.all(
    [...state.units.values()].map(async ({ ended }) => {
      const read = await world.ports().store.get(ended!.value!.digest);
      return read.state === 'present' && Buffer.from(read.value).toString();
    }),
  );
}

describe('an engine that is killed', () => {
  it('while an agent works leaves nothing of what that agent did', async () => {
    let dies = true;
    const world = engineWorld((call) => {
      if (call.unit !== 'b' || !dies) return edit(call);
      call.files.set('made/half', 'done');
      call.files.set('x', 'spoilt');
      call.files.delete('gone');
      throw new Killed('in the middle of b');
    }, FILES);
    await expect(world.run(CHAIN)).rejects.toThrow(Killed);
    expect(world.workspace.trees).toHaveLength(1);
    dies = false;
    const { plan } = await world.plan(CHAIN);
    expect(plan.units.map(({ choice }) => choice)).toEqual(['keep', 'run', 'depends']);
    expect(plan.units[1]!.reason).toContain('its process is gone');
    const left = await outputs(world);
    expect(world.starts).toEqual(['a#1', 'b#1', 'b#1', 'c#1']);
    expect(left).toEqual(await outputs(engineWorld(edit, FILES)));
    expect(Object.fromEntries(world.workspace.folder)).toEqual(FILES);
    expect(world.workspace.trees).toEqual([]);
  });

  it('whenever that is goes on as if nothing had been: what is done is kept, and nothing half done is used', async () => {
    const expected = await outputs(engineWorld(edit, FILES));
    let operations = 0;
    for (let survived = false; !survived; operations += 1) {
      const world = engineWorld(edit, FILES);
      survived = await world.run(CHAIN, {}, { dieAfter: operations }).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          return false;
        },
      );
      const before = new Set(world.starts);
      const passed = (await world.ports().store.list('test', 'subject')).records.filter(({ kind }) => kind === 'ended');
      expect(await outputs(world), `after ${operations} operations`).toEqual(expected);
      const again = world.starts.slice(before.size);
      expect(again.length, `after ${operations} operations`).toBe(3 - passed.length);
      expect(world.workspace.trees).toEqual([]);
      expect(Object.fromEntries(world.workspace.folder)).toEqual(FILES);
    }
    expect(operations).toBeGreaterThan(50);
  });

  it('while several agents work leaves none of their claims, and what they write later is not used', async () => {
    let late: (() => void) | undefined;
    const world = engineWorld(async ({ unit, files }) => {
      if (world.starts.length > 2) return { output: files.get('half') ?? 'clean' };
      files.set('half', unit);
      if (unit === 'two') throw new Killed('while one is at work');
      await new Promise<void>((resolve) => (late = resolve));
      files.set('half', 'written late');
      return { output: 'late' };
    });
    const both = { inputs: undefined, files: 'changed' } as const;
    const pipeline = pipelineOf({ one: both, two: both });
    await expect(world.run(pipeline)).rejects.toThrow(Killed);
    const result = world.run(pipeline);
    late?.();
    const { state } = await result;
    expect(state.status).toBe('completed');
    expect([...state.units.values()].map(({ ended }) => ended!.files)).toEqual([[], []]);
  });
});
