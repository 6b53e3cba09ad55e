import { describe, expect, it } from 'vitest';
import { beginGate, type BeginResult } from '../../src/engine/begin.ts';
import type { Assignment } from '../../src/engine/call/call.ts';
import { completeGate } from '../../src/engine/complete.ts';
import { decide } from '../../src/engine/decide.ts';
import type { EnginePorts } from '../../src/engine/ports.ts';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import { withMethods } from '../support/memory-workspace.ts';
import { engineWorld } from '../support/engine-world.ts';
import { gateOf, pipelineOf } from '../support/pipelines.ts';

const PIPELINE = pipelineOf({ made: { files: ['out/**'] }, outside: { run: undefined, needs: ['made'] } });
const ASSIGNMENT: Assignment = { pipeline: PIPELINE, subject: 'subject', metadata: {}, input: null };

const world = () =>
  engineWorld(({ files }) => {
    files.set('out/made', 'made');
    return { output: 1 };
  });

async function begin(ports: EnginePorts): Promise<Extract<BeginResult, { choice: 'run' }>> {
  const begun = await beginGate(ports, ASSIGNMENT, 'outside', () => undefined, { place: 'tree' });
  if (begun.choice !== 'run') throw new Error(begun.planned.reason);
  return begun;
}

const complete = (ports: EnginePorts, token: string) => completeGate(ports, ASSIGNMENT, { token }, () => undefined);

describe('the claim of an agent that runs by itself', () => {
  it('does not outlast a beginning that failed', async () => {
    const bench = world();
    await bench.run(PIPELINE);
    const ports = bench.ports();
    const blocked = new GatelineError('APPLY_FAILED', 'out is a file');
    const workspace = withMethods(ports.workspace, { checkOut: () => Promise.reject(blocked) });
    await expect(begin({ ...ports, workspace })).rejects.toBe(blocked);
    expect(await begin(bench.ports())).toMatchObject({ choice: 'run' });
  });

  it('ends when what it was begun with is lost, so that the gate can be begun again', async () => {
    for (const lost of ['directory', 'place.json', 'work tree']) {
      const bench = world();
      await bench.run(PIPELINE);
      const { token } = await begin(bench.ports());
      const ports = bench.ports();
      const open: typeof ports.attempts.open = async (id) => {
        const directory = await ports.attempts.open(id);
        if (lost === 'place.json') await directory?.write('place.json', ['written over by an agent']);
        return lost === 'directory' ? undefined : directory;
      };
      const attempts = { ...ports.attempts, open };
      const reopen = lost === 'work tree' ? { reopen: () => Promise.resolve(undefined) } : {};
      const workspace = withMethods(ports.workspace, reopen);
      const refused = complete({ ...ports, attempts, workspace }, token);
      await expect(refused, lost).rejects.toMatchObject({
        code: 'ATTEMPT_LOST',
        message: expect.stringContaining(lost) as string,
      });
      await expect(complete(bench.ports(), token), lost).rejects.toMatchObject({ code: 'ALREADY_COMPLETED' });
      expect(await begin(bench.ports()), lost).toMatchObject({ choice: 'run' });
    }
  });

  it('is given up when somebody asks for a new attempt, and what it comes to is not used', async () => {
    const bench = world();
    await bench.run(PIPELINE);
    const { token } = await begin(bench.ports());
    await expect(begin(bench.ports())).rejects.toMatchObject({ code: 'GATE_CLAIMED' });
    const forced = { decision: 'force', gates: ['outside'], actor: 'me', reason: 'the token is lost' } as const;
    await decide(bench.ports(), ASSIGNMENT, forced);
    await expect(complete(bench.ports(), token)).rejects.toMatchObject({ code: 'CLAIM_EXPIRED' });
    expect(await begin(bench.ports())).toMatchObject({
      choice: 'run',
      planned: { reason: 'me asked for a new attempt: the token is lost' },
    });
  });
});

describe('a decision', () => {
  const pipeline = pipelineOf({ a: {}, b: { needs: ['a'] } });
  const assignment = { ...ASSIGNMENT, pipeline };
  const about = { gates: ['a'], actor: 'me', reason: 'because' } as const;

  it('may be about what a completed run came to', async () => {
    const bench = engineWorld(({ unit }) => ({ output: unit }));
    await bench.run(pipeline);
    await decide(bench.ports(), assignment, { decision: 'reject', ...about });
    const { state } = await bench.run(pipeline);
    expect(bench.starts).toEqual(['a#1', 'b#1', 'a#1']);
    expect(state).toMatchObject({ runNumber: 2, status: 'completed' });
  });

  it('needs an attempt that ended to be about', async () => {
    const bench = engineWorld(() => ({}));
    const refused = { code: 'DECISION_WITHOUT_ATTEMPT' };
    await expect(decide(bench.ports(), assignment, { decision: 'reject', ...about })).rejects.toMatchObject(refused);
  });
});

describe('approve and reject', () => {
  const contract = { ...gateOf('a').contract, score: '/score', threshold: 80 };
  const legs = ['x', 'y'].map((id) => ({ id, matrix: { part: id } }));
  const matrix = pipelineOf({ a: { contract, legs } });
  const assignment = { ...ASSIGNMENT, pipeline: matrix };
  const about = { gates: ['a'], actor: 'me', reason: 'because' } as const;

  it('refuse to approve a gate that failed, and then record nothing about its other legs', async () => {
    const bench = engineWorld(({ unit }) => (unit === 'a/x' ? { output: { score: 1 } } : { result: { exitCode: 1 } }));
    await bench.run(matrix);
    await expect(decide(bench.ports(), assignment, { decision: 'approve', ...about })).rejects.toMatchObject({
      code: 'NOTHING_TO_APPROVE',
      message: 'gate a/y failed (agent-error), so it has no output to approve',
      hint: expect.stringContaining('gateline skip') as string,
    });
    expect(
      (await bench.ports().store.list('test', 'subject')).records.filter(({ kind }) => kind === 'decided'),
    ).toEqual([]);
    await decide(bench.ports(), assignment, { decision: 'approve', ...about, gates: ['a/x'] });
    expect((await bench.run(matrix)).state.units.get('a/x')).toMatchObject({ status: 'partial', done: true });
  });

  it('are about the last attempt also when the gate was skipped since', async () => {
    const bench = engineWorld(({ unit }) => (unit === 'a' ? { output: 1 } : { result: { exitCode: 1 } }));
    const pipeline = pipelineOf({ a: {}, b: { needs: ['a'] } });
    const plain = { ...ASSIGNMENT, pipeline };
    await bench.run(pipeline);
    await decide(bench.ports(), plain, { decision: 'skip', ...about });
    const call = await decide(bench.ports(), plain, { decision: 'reject', ...about });
    expect(call.journal.state().units.get('a')).toMatchObject({ reason: 'rejected by me: because' });
  });
});

describe('the reason to run again', () => {
  it('is no secret that the stored request does not show', async () => {
    const bench = engineWorld(() => ({ output: 1 }), { x: 'one' });
    bench.environment['TOKEN'] = 'a-secret-that-is-long';
    const gate = { secrets: ['TOKEN'], env: { URL: 'https://host/?key=a-secret-that-is-long' }, inputs: ['x'] };
    await bench.run(pipelineOf({ a: gate }));
    bench.workspace.folder.set('x', 'two');
    const { planned } = await bench.run(pipelineOf({ a: gate }));
    expect(planned[0]!.differences).toEqual([{ what: 'file', name: 'x', change: 'changed' }]);
  });
});
