import { describe, expect, it } from 'vitest';
import { runPipeline } from '../../src/engine/run-pipeline.ts';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { engineWorld, Killed, type AgentScript, type EngineWorld } from '../support/engine-world.ts';
import { withMethods } from '../support/memory-workspace.ts';
import { gateOf, pipelineOf } from '../support/pipelines.ts';

const STRICT = '{"type": "number"}';
const judged = { needs: ['a'], contract: { ...gateOf('b').contract, schema: { path: 'schema.json' } } };

/** Gate `a` opens the schema that judges gate `b`, whose output is no number. */
const opens =
  (more: (files: Map<string, string>) => void = () => undefined): AgentScript =>
  ({ unit, files }) => {
    if (unit === 'a') {
      files.set('schema.json', 'true');
      more(files);
    }
    return { output: 'text' };
  };

const worldOf = (script: AgentScript): EngineWorld => engineWorld(script, { 'schema.json': STRICT, other: 'other' });

describe('the contract of a gate', () => {
  it('is the one that stood before its agent began, whatever the agent does to it', async () => {
    for (const workspace of ['tree', 'in-place'] as const) {
      const world = worldOf(opens());
      const { state } = await world.run(pipelineOf({ a: { workspace, contract: judged.contract } }));
      expect(state.units.get('a')!.ended!.verdict.kind).toBe('schema');
    }
  });
});

describe('the contract of a later gate', () => {
  it('is not what an earlier gate makes of it in its work tree, handed on or not', async () => {
    for (const files of [[], ['schema.json'], 'changed'] as const) {
      const world = worldOf(opens());
      const pipeline = pipelineOf({ a: { files }, b: judged });
      for (let call = 0; call < 2; call += 1) {
        const { state, errors } = await world.run(pipeline);
        expect(errors).toEqual([]);
        expect(state.units.get('b')!.ended!.verdict.kind).toBe('schema');
      }
    }
  });

  it('is not changed by a gate that edits it in place in the same call', async () => {
    const world = worldOf(opens());
    const { state } = await world.run(pipelineOf({ a: { workspace: 'in-place' }, b: judged }));
    expect(world.workspace.folder.get('schema.json')).toBe('true');
    expect(state.units.get('b')!.ended!.verdict.kind).toBe('schema');
  });

  it('is refused while it stands as an attempt in place left it, until it is restored or committed', async () => {
    const pipeline = pipelineOf({ a: { workspace: 'in-place' }, b: judged });
    for (const way of ['restored', 'committed'] as const) {
      const world = worldOf(opens());
      await world.run(pipeline);
      const refused = await world.run(pipeline);
      expect(refused.errors).toMatchObject([
        { code: 'SCHEMA_LEFT_BY_GATE', fault: 'user', message: expect.stringContaining('gate a left it') as string },
      ]);
      expect(world.starts).toEqual(['a#1', 'b#1']);
      if (way === 'committed') world.workspace.commit.set('schema.json', 'true');
      else world.workspace.folder.set('schema.json', STRICT);
      const { errors, state } = await world.run(pipeline);
      expect(errors).toEqual([]);
      expect(state.units.get('b')!.status).toBe(way === 'committed' ? 'passed' : 'failed');
    }
  });

  it('is refused also where the attempt changed other files before and after it, failed, or handed it on', async () => {
    const around = opens((files) => files.set('other', 'too').set('a', 'too').set('z', 'too'));
    const fails: AgentScript = async (call) => ({ ...(await around(call)), result: { exitCode: 1 } });
    for (const [script, files] of [
      [around, []],
      [fails, []],
      [around, ['schema.json']],
    ] as const) {
      const world = worldOf(script);
      const pipeline = pipelineOf({ a: { workspace: 'in-place', inputs: [], files }, b: judged });
      await world.run(pipeline);
      expect((await world.run(pipeline)).errors).toMatchObject([{ code: 'SCHEMA_LEFT_BY_GATE' }]);
    }
  });

  it('is not refused where a person put it there, after a gate in a work tree made the same', async () => {
    const world = worldOf(opens());
    const pipeline = pipelineOf({ a: { files: ['schema.json'] }, b: judged });
    await world.run(pipeline);
    world.workspace.folder.set('schema.json', 'true');
    const { errors, state } = await world.run(pipeline);
    expect(errors).toEqual([]);
    expect(state.units.get('b')!.status).toBe('passed');
  });

  it('is not refused for what an attempt in place left of another file, or of this one before somebody edited it', async () => {
    const world = worldOf(opens());
    const pipeline = pipelineOf({ a: { workspace: 'in-place' }, b: judged });
    await world.run(pipeline);
    world.workspace.folder.set('schema.json', '{"type": "string"}');
    const { errors, state } = await world.run(pipeline);
    expect(errors).toEqual([]);
    expect(state.units.get('b')!.status).toBe('passed');
  });

  it('is refused also where nobody saw what the attempt in place changed, because it was cut short', async () => {
    const pipeline = pipelineOf({ a: { workspace: 'in-place' }, b: { ...judged, needs: [] } });
    const killed = worldOf(async (call) => {
      await opens()(call);
      throw new Killed('in the middle of a');
    });
    await expect(killed.run(pipeline)).rejects.toThrow(Killed);
    const unseen = worldOf(opens());
    const ports = unseen.ports();
    const broken = () => Promise.reject(new GatelineError('GIT_FAILED', 'index file corrupt'));
    const checkOut: Workspace['checkOut'] = async (request) => ({
      ...(await ports.workspace.checkOut(request)),
      capture: broken,
    });
    const options = { observe: () => undefined, signal: new AbortController().signal };
    const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
    await runPipeline({ ...ports, workspace: withMethods(ports.workspace, { checkOut }) }, assignment, options);
    for (const world of [killed, unseen]) {
      expect((await world.plan(pipeline)).errors).toMatchObject([{ code: 'SCHEMA_LEFT_BY_GATE' }]);
      world.workspace.folder.set('schema.json', STRICT);
      expect((await world.plan(pipeline)).errors).toEqual([]);
      world.workspace.folder.set('schema.json', 'true');
      world.workspace.commit.set('schema.json', 'true');
      expect((await world.plan(pipeline)).errors).toEqual([]);
    }
  });

  it('is not refused for an attempt in place whose agent was never started', async () => {
    const world = worldOf(opens());
    const contract = { ...judged, needs: [] };
    await world.run(pipelineOf({ a: { workspace: 'in-place', secrets: ['MISSING_SECRET'] }, b: contract }));
    world.workspace.folder.set('schema.json', 'true');
    const { errors, state } = await world.run(pipelineOf({ b: contract }));
    expect(errors).toEqual([]);
    expect(state.units.get('b')!.status).toBe('passed');
  });
});
