import { describe, expect, it } from 'vitest';
import { beginGate, type BeginOptions, type BeginResult } from '../../src/engine/begin.ts';
import type { Assignment } from '../../src/engine/call/call.ts';
import { completeGate } from '../../src/engine/complete.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { EndedRecord } from '../../src/run/records/record.ts';
import { engineWorld, type EngineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

/** Makes files, and is followed by gates whose agents run by themselves. */
const PIPELINE = pipelineOf({
  make: { inputs: ['x'], files: ['made'] },
  outside: { run: undefined, needs: ['make'], inputs: ['x', 'made'], files: ['out', 'x'], timeoutMinutes: 1 },
  after: { needs: ['outside'], inputs: ['out', 'x'] },
});

const worldOf = (): EngineWorld =>
  engineWorld(
    ({ unit, files }) => {
      if (unit === 'make') files.set('made', `of ${files.get('x')!}`);
      return { output: files.get('out') ?? unit };
    },
    { x: 'mine', y: 'y' },
  );

type Begun = Extract<BeginResult, { choice: 'run' }>;

function assignmentOf(pipeline: Pipeline): Assignment {
  return { pipeline, subject: 'subject', metadata: {}, input: null };
}

async function begin(world: EngineWorld, options: BeginOptions = {}, pipeline = PIPELINE): Promise<Begun> {
  const begun = await beginGate(world.ports(), assignmentOf(pipeline), 'outside', () => undefined, options);
  if (begun.choice !== 'run') throw new Error(begun.planned.reason);
  return begun;
}

/** Completes in another process, with an output. @returns also what was told */
async function complete(
  world: EngineWorld,
  { token, started }: Begun,
  pipeline = PIPELINE,
): Promise<EndedRecord & { readonly notices: string[] }> {
  const ports = world.ports();
  const directory = await ports.attempts.open(started);
  await directory!.write('output.json', ['1']);
  const notices: string[] = [];
  const ended = await completeGate(ports, assignmentOf(pipeline), { token }, (event) => {
    if (event.type === 'notice') notices.push(`${event.unit}: ${event.message}`);
  });
  return { ...ended, notices };
}

const claims = async (world: EngineWorld): Promise<number> =>
  (await world.ports().store.list('test', 'subject')).records.filter(
    ({ kind, gate }) => kind === 'started' && gate === 'outside',
  ).length;

describe('an agent that runs by itself in a work tree', () => {
  it('finds what its request names, and the folder stays as it is', async () => {
    const world = worldOf();
    await world.run(PIPELINE);
    const begun = await begin(world, { place: 'tree' });
    const files = world.workspace.at(begun.root);
    expect(Object.fromEntries(files)).toEqual({ x: 'mine', y: 'y', made: 'of mine' });
    files.set('out', 'by hand');
    files.set('x', 'edited by hand');
    world.workspace.folder.set('y', 'edited meanwhile');
    const { verdict, files: handedOn } = await complete(world, begun);
    expect(verdict.status).toBe('passed');
    expect(handedOn.map(({ path }) => path)).toEqual(['out', 'x']);
    expect(Object.fromEntries(world.workspace.folder)).toEqual({ x: 'mine', y: 'edited meanwhile' });
    expect(world.workspace.trees).toEqual([]);
    const { state } = await world.run(PIPELINE);
    expect(state.status).toBe('completed');
    expect(world.starts).toEqual(['make#1', 'after#1']);
  });

  it('keeps its tree while others run, until its time is over', async () => {
    const world = worldOf();
    await world.run(PIPELINE);
    const begun = await begin(world, { place: 'tree' });
    world.workspace.folder.set('x', 'edited');
    await world.run(PIPELINE, { subject: 'another' });
    expect(world.workspace.trees).toEqual([begun.root]);
    expect((await complete(world, begun)).verdict.status).toBe('passed');
    world.workspace.folder.set('x', 'edited again');
    await world.run(PIPELINE);
    const late = await begin(world, { place: 'tree' });
    world.clock = new Date(world.clock.getTime() + 61_000);
    await world.run(PIPELINE, { subject: 'another' });
    expect(world.workspace.trees).toEqual([]);
    await expect(complete(world, late)).rejects.toMatchObject({ code: 'CLAIM_EXPIRED' });
  });
});

describe('an agent that runs by itself in the user’s folder', () => {
  it('cannot begin while the folder lacks what its request names, and takes no claim', async () => {
    const world = worldOf();
    await world.run(PIPELINE);
    await expect(begin(world)).rejects.toMatchObject({
      code: 'GATE_NOT_APPLIED',
      message: expect.stringContaining('made') as string,
      hint: expect.stringContaining('gateline apply') as string,
    });
    world.workspace.folder.set('made', 'of another');
    await expect(begin(world)).rejects.toMatchObject({ code: 'GATE_NOT_APPLIED' });
    expect(await claims(world)).toBe(0);
    world.workspace.folder.set('made', 'of mine');
    const begun = await begin(world);
    expect(begun.root).toBe(world.workspace.root);
    expect(begun.started).toMatchObject({ place: 'in-place' });
  });

  it('must declare its inputs where it hands on files', async () => {
    const world = worldOf();
    const pipeline = pipelineOf({ outside: { run: undefined, inputs: undefined, files: ['out'] } });
    await expect(begin(world, {}, pipeline)).rejects.toMatchObject({ code: 'IN_PLACE_NEEDS_INPUTS' });
    expect(await claims(world)).toBe(0);
    expect(await begin(world, { place: 'tree' }, pipeline)).toMatchObject({ choice: 'run' });
    const handsOnNothing = pipelineOf({ outside: { run: undefined, inputs: undefined } });
    expect(await begin(worldOf(), {}, handsOnNothing)).toMatchObject({ root: world.workspace.root });
  });

  it('leaves the user’s version there, and done gates that read what it changed are named', async () => {
    const world = worldOf();
    await world.run(PIPELINE);
    world.workspace.folder.set('made', 'of mine');
    const begun = await begin(world);
    world.workspace.folder.set('x', 'edited by hand');
    world.workspace.folder.set('y', 'touched');
    const { files, touched, notices } = await complete(world, begun);
    expect([files, touched].map((list) => list.map(({ path }) => path))).toEqual([['x'], ['y']]);
    expect(notices.filter((notice) => notice.includes('will run again'))).toEqual([
      'make: x changed in the folder and is among its inputs: the gate will run again',
      expect.stringMatching(/^outside: x changed .* will run again, because .* `--tree` or leave these paths out/),
    ]);
    const { planned } = await world.run(PIPELINE);
    expect(planned.map(({ key, choice }) => `${key} ${choice}`)).toContain('make run');
  });

  it('is completed with what stood there when it was begun: edits before that are not its own', async () => {
    const world = worldOf();
    await world.run(PIPELINE);
    world.workspace.folder.set('made', 'of mine');
    world.workspace.folder.set('y', 'edited by the user');
    const begun = await begin(world);
    world.workspace.folder.set('out', 'made');
    const { files, touched } = await complete(world, begun);
    expect([files, touched].map((list) => list.map(({ path }) => path))).toEqual([['out'], []]);
  });
});
