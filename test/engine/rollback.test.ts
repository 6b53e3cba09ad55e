import { describe, expect, it } from 'vitest';
import { apply } from '../../src/engine/apply.ts';
import { readRun } from '../../src/engine/read-run.ts';
import { rollback } from '../../src/engine/rollback.ts';
import { runPipeline } from '../../src/engine/run-pipeline.ts';
import { snapshots } from '../../src/engine/snapshots.ts';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { engineWorld, Killed, type EngineWorld } from '../support/engine-world.ts';
import { withMethods } from '../support/memory-workspace.ts';
import { Mortal } from '../support/mortal.ts';
import { pipelineOf } from '../support/pipelines.ts';

const PIPELINE = pipelineOf({
  a: { files: 'changed' },
  b: { files: 'changed', needs: ['a'] },
  c: { files: 'changed', needs: ['b'] },
  beside: { files: 'changed' },
});
const FILES = { shared: 'old', gone: 'gone', 'folder/x': 'x', mine: 'mine' };
const ABOUT = { pipeline: PIPELINE, subject: 'subject' };
const WHOLE = { ...ABOUT, metadata: {}, input: null };
const SAVED = '/workspace/.state/applied/now';
const BY = { actor: 'maria', reason: 'test', saved: SAVED };

/** Each gate writes a file of its own, and all but one the shared one. */
async function ran(): Promise<EngineWorld> {
  const world = engineWorld(({ unit, files }) => {
    files.set(`of-${unit}`, unit);
    if (unit !== 'beside') files.set('shared', unit);
    if (unit === 'a') files.set('brief', 'a');
    if (unit === 'b') files.delete('brief');
    if (unit === 'b') files.delete('gone');
    return { output: unit };
  }, FILES);
  await world.run(PIPELINE);
  await apply(world.ports(), ABOUT, { saved: SAVED });
  expect(Object.fromEntries(world.workspace.folder)).toMatchObject({ shared: 'c', 'of-a': 'a', 'of-beside': 'beside' });
  return world;
}

const folderOf = (world: EngineWorld): Record<string, string> => Object.fromEntries(world.workspace.folder);

describe('rollback', () => {
  it('restores what the kept gate made and a later one removed', async () => {
    const world = await ran();
    expect(folderOf(world)).not.toHaveProperty('brief');
    await rollback(world.ports(), WHOLE, { ...BY, to: 'a' });
    expect(folderOf(world)).toEqual({ ...FILES, shared: 'a', 'of-a': 'a', brief: 'a' });
  });

  it('keeps the named gate and what it needs, and nothing beside them', async () => {
    const world = await ran();
    const seen: string[] = [];
    const done = await rollback(world.ports(), WHOLE, {
      ...BY,
      to: 'b',
      preview: ({ puts }) =>
        seen.push(...puts.map(({ path, action }) => `${path} ${action}, now ${folderOf(world)[path]}`)),
    });
    expect(done.gates).toEqual(['c', 'beside']);
    expect(folderOf(world)).toEqual({ ...FILES, gone: undefined, shared: 'b', 'of-a': 'a', 'of-b': 'b' });
    // The preview comes before the change.
    expect(seen).toContain('shared written, now c');
    const state = await readRun(world.ports(), ABOUT);
    expect(state.status).toBe('paused');
    expect([...state.units.values()].map(({ key, done: isDone }) => `${key} ${isDone}`)).toEqual([
      'a true',
      'b true',
      'c false',
      'beside false',
    ]);
  });

  it.each([undefined, 'a', 'b'])(
    'killed at any moment ends in the same state when it is repeated (to %s)',
    async (to) => {
      const asked = { ...BY, ...(to !== undefined && { to }) };
      const whole = await ran();
      await rollback(whole.ports(), WHOLE, asked);
      const expected = { folder: folderOf(whole), state: await summary(whole) };
      let kills = 0;
      for (let k = 1; ; k += 1) {
        const world = await ran();
        const process = new Mortal(k);
        const work = rollback(world.ports(process), WHOLE, asked);
        const end = await Promise.race([work, process.died]).then(
          () => 'done',
          (error: unknown) => {
            if (!(error instanceof Killed)) throw error;
            return 'killed';
          },
        );
        if (end === 'done') break;
        kills += 1;
        for (const [path, text] of Object.entries(folderOf(world)))
          expect(['c', 'b', 'a', 'old', FILES[path as keyof typeof FILES], path.slice(3)], path).toContain(text);
        await rollback(world.ports(), WHOLE, asked);
        expect(folderOf(world), `killed at ${k}`).toEqual(expected.folder);
        expect(await summary(world), `killed at ${k}`).toEqual(expected.state);
      }
      expect(kills).toBeGreaterThan(5);
    },
  );
});

describe('rollback of a gate in the user’s folder', () => {
  const inPlace = pipelineOf({ here: { workspace: 'in-place', secrets: ['KEY'] } });
  const about = { ...WHOLE, pipeline: inPlace };
  const worldWith = (environment: Record<string, string>): EngineWorld => {
    const world = engineWorld(({ files }) => {
      files.set('mine', 'changed');
      return { output: 1 };
    }, FILES);
    Object.assign(world.environment, environment);
    return world;
  };

  it('is refused if its changes could not be determined, unless it is forced', async () => {
    const world = worldWith({ KEY: 'a value that is long' });
    const ports = world.ports();
    const checkOut: Workspace['checkOut'] = async (request) => ({
      ...(await ports.workspace.checkOut(request)),
      capture: () => Promise.reject(new GatelineError('GIT_FAILED', 'index file corrupt')),
    });
    const broken = { ...ports, workspace: withMethods(ports.workspace, { checkOut }) };
    await runPipeline(broken, about, { observe: () => undefined, signal: new AbortController().signal });
    expect(folderOf(world)).toMatchObject({ mine: 'changed' });
    await expect(rollback(world.ports(), about, BY)).rejects.toMatchObject({
      code: 'ROLLBACK_CONFLICT',
      message: expect.stringContaining('what these gates changed in your folder: here'),
    });
    expect((await rollback(world.ports(), about, { ...BY, force: true })).gates).toEqual(['here']);
  });

  it('is not refused if no agent was started', async () => {
    const world = worldWith({});
    await world.run(inPlace);
    expect((await rollback(world.ports(), about, BY)).gates).toEqual(['here']);
    expect(folderOf(world)).toEqual(FILES);
  });
});

describe('snapshots', () => {
  it('names the version of the workspace before the first gate, and after each that ran', async () => {
    const world = await ran();
    const found = await snapshots(world.ports(), ABOUT);
    expect(found.map(({ unit }) => unit)).toEqual([undefined, ...unitsOf(PIPELINE).keys()]);
    const after = await Promise.all(
      found.map(async ({ tree }) =>
        [...(await world.workspace.files(tree!)).keys()].filter((path) => path.startsWith('of-')),
      ),
    );
    expect(after).toEqual([[], ['of-a'], ['of-a', 'of-b'], ['of-a', 'of-b', 'of-c'], ['of-beside']]);
    await world.run(PIPELINE);
    const reused = await snapshots(world.ports(), ABOUT, 2);
    expect(reused.every(({ database }) => database === undefined)).toBe(true);
    expect(await snapshots(engineWorld(() => undefined).ports(), ABOUT)).toEqual([]);
  });
});

async function summary(world: EngineWorld): Promise<unknown> {
  const { status, runNumber, units, problems } = await readRun(world.ports(), ABOUT);
  return {
    status,
    runNumber,
    problems,
    units: [...units.values()].map(({ key, status: own, done }) => [key, own, done]),
  };
}
