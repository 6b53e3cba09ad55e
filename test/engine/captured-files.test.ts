import { describe, expect, it } from 'vitest';
import { beginGate } from '../../src/engine/begin.ts';
import { completeGate } from '../../src/engine/complete.ts';
import type { EnginePorts } from '../../src/engine/ports.ts';
import { runPipeline, type RunResult } from '../../src/engine/run-pipeline.ts';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { EndedRecord } from '../../src/run/records/record.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { engineWorld, type EngineWorld } from '../support/engine-world.ts';
import { withMethods } from '../support/memory-workspace.ts';
import { pipelineOf } from '../support/pipelines.ts';

const endedOf = (result: RunResult, key: string): EndedRecord => result.state.units.get(key)!.ended!;
const assignmentOf = (pipeline: Pipeline) => ({ pipeline, subject: 'subject', metadata: {}, input: null });

/** Runs with a workspace whose places cannot be looked at once an agent was there. */
async function runUncaptured(
  world: EngineWorld,
  pipeline: Pipeline,
  error: Error = new GatelineError('GIT_FAILED', 'index file corrupt'),
): Promise<RunResult & { readonly notices: string[] }> {
  const ports = world.ports();
  const notices: string[] = [];
  const result = await runPipeline(
    { ...ports, workspace: uncapturable(ports.workspace, error) },
    assignmentOf(pipeline),
    {
      observe: (event) => void (event.type === 'notice' && notices.push(`${event.unit}: ${event.message}`)),
      signal: new AbortController().signal,
    },
  );
  return { ...result, notices };
}

function uncapturable(workspace: Workspace, error: Error): Workspace {
  const broken = { capture: () => Promise.reject(error) };
  return withMethods(workspace, {
    checkOut: async (request) => ({ ...(await workspace.checkOut(request)), ...broken }),
    reopen: async (request) => ({ ...(await workspace.reopen(request))!, ...broken }),
  });
}

describe('files that an agent changed', () => {
  it('are handed on where `files` names them, and else named with the line that would do so', async () => {
    const world = engineWorld(
      ({ files }) => {
        for (const path of ['made/1', 'a "quoted" name', 'b', 'c', 'd', 'e', 'f']) files.set(path, 'new');
        return { output: 1 };
      },
      { b: 'old' },
    );
    const result = await world.run(pipelineOf({ a: { files: ['made/**'] }, silent: { files: 'changed' } }));
    const { files, touched, snapshot } = endedOf(result, 'a');
    expect(files.map(({ path }) => path)).toEqual(['made/1']);
    expect(touched.map(({ path }) => path)).toEqual(['a "quoted" name', 'b', 'c', 'd', 'e', 'f']);
    const changed = await world.workspace.differences(snapshot!.from, snapshot!.tree);
    expect(changed).toHaveLength(7);
    const notices = world.events.filter((event) => event.type === 'notice');
    expect(notices).toMatchObject([{ unit: 'a' }]);
    expect(notices[0]!.message).toBe(
      'changed and not handed on: a "quoted" name, b, c, d, e and 1 more. ' +
        'To hand them on, add to files: "a \\"quoted\\" name", "b", "c", "d", "e"',
    );
  });

  it('are kept in the workspace’s own store, whatever becomes of the user’s', async () => {
    const world = engineWorld(({ files }) => {
      files.set('x', 'new');
      return { output: 1 };
    });
    const ports = world.ports();
    const kept: unknown[] = [];
    const keep: Workspace['keep'] = async (...trees) => void kept.push(trees);
    const { state } = await runPipeline(
      { ...ports, workspace: withMethods(ports.workspace, { keep }) },
      assignmentOf(pipelineOf({ a: {} })),
      { observe: () => undefined, signal: new AbortController().signal },
    );
    const { from, tree } = state.units.get('a')!.ended!.snapshot!;
    expect(kept).toEqual([[from, tree]]);
  });

  it('are not handed on when they hold a secret, and the gate fails for it', async () => {
    const world = engineWorld(({ files }) => {
      files.set('made.txt', 'the key is s3cr3t-value!');
      return { output: { text: 'also s3cr3t-value! here' } };
    });
    world.environment['API_KEY'] = 's3cr3t-value!';
    const result = await world.run(pipelineOf({ a: { files: ['made.txt'], secrets: ['API_KEY'] } }));
    expect(endedOf(result, 'a').verdict).toMatchObject({ kind: 'files' });
    for (const bytes of world.medium.contents.values()) expect(Buffer.from(bytes).toString()).not.toContain('s3cr3t');
    for (const record of world.medium.records.values())
      expect(Buffer.from(record.bytes as Uint8Array).toString()).not.toContain('s3cr3t');
  });
});

describe('files that cannot be captured', () => {
  const script = () => engineWorld(() => ({ output: { said: 'well' } }));

  it('fail a gate that hands on files, and its output is kept', async () => {
    const world = script();
    const result = await runUncaptured(world, pipelineOf({ a: { files: 'changed' }, b: { needs: ['a'] } }));
    const ended = endedOf(result, 'a');
    expect(ended).toMatchObject({ verdict: { status: 'failed', kind: 'workspace' }, files: [], touched: [] });
    expect(ended.verdict.issues[0]!.message).toContain('GIT_FAILED: index file corrupt');
    expect(ended.exports).toBeUndefined();
    const read = await world.ports().store.get(ended.value!.digest);
    expect(read.state === 'present' && Buffer.from(read.value).toString()).toBe('{"said":"well"}');
    expect(result.state.units.get('b')!.status).toBe('blocked');
    expect((await world.run(pipelineOf({ a: { files: 'changed' } }))).state.status).toBe('completed');
  });

  it('are a notice for a gate that hands on none: its output is judged', async () => {
    const world = script();
    const result = await runUncaptured(world, pipelineOf({ a: {}, b: { needs: ['a'] } }));
    expect(result.state.status).toBe('completed');
    expect(endedOf(result, 'a').verdict.status).toBe('passed');
    expect(endedOf(result, 'a').snapshot).toBeUndefined();
    expect(result.notices[0]).toMatch(/^a: GIT_FAILED: .*index file corrupt/);
  });

  it('do not hide why else a gate failed', async () => {
    const world = engineWorld(() => ({ result: { exitCode: 3 } }));
    const result = await runUncaptured(world, pipelineOf({ a: { files: 'changed' } }));
    expect(endedOf(result, 'a').verdict.kind).toBe('agent-error');
  });

  it('end a gate that is completed by another process in the same way', async () => {
    for (const files of ['changed', []] as const) {
      const world = script();
      const pipeline = pipelineOf({ a: { run: undefined, inputs: [], files } });
      const begun = await beginGate(world.ports(), assignmentOf(pipeline), 'a', () => undefined, { place: 'tree' });
      if (begun.choice !== 'run') throw new Error(begun.planned.reason);
      const ports: EnginePorts = world.ports();
      const directory = await ports.attempts.open(begun.started);
      await directory!.write('output.json', ['1']);
      const workspace = uncapturable(ports.workspace, new GatelineError('GIT_TIMEOUT', 'git took too long'));
      const { token } = begun;
      const ended = await completeGate({ ...ports, workspace }, assignmentOf(pipeline), { token }, () => undefined);
      expect(ended.verdict.kind).toBe(files === 'changed' ? 'workspace' : 'passed');
      expect(ended.value).toBeDefined();
    }
  });

  it('for another reason end the call, and the attempt is on record', async () => {
    const world = script();
    const full = new GatelineError('STORE_WRITE_FAILED', 'no space left');
    await expect(runUncaptured(world, pipelineOf({ a: {} }), full)).rejects.toBe(full);
    const { records } = await world.ports().store.list('test', 'subject');
    expect(records.map(({ kind }) => kind)).toEqual(['started', 'ended']);
    expect(world.workspace.trees).toEqual([]);
  });
});
