import { describe, expect, it } from 'vitest';
import type { AgentResult } from '../../src/agent/agent.ts';
import { runPipeline } from '../../src/engine/run-pipeline.ts';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';
import { ciRun } from '../support/ci-run.ts';
import { engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const PIPELINE = pipelineOf({ a: { inputs: [] } });

describe('what to do about an agent that failed', () => {
  it.each<[Partial<AgentResult>, string]>([
    [{ outcome: 'exited', exitCode: 3 }, 'The agent ended with exit code 3.'],
    [{ outcome: 'signalled', signal: 'SIGSEGV' }, 'The agent was ended by SIGSEGV.'],
  ])('says where its logs are: on this machine by our command, of a job in its log (%j)', async (result, what) => {
    const advice = async (printed: Partial<AgentResult>): Promise<string> => {
      const { state } = await engineWorld(() => ({ result: { ...result, ...printed } })).run(PIPELINE);
      return state.units.get('a')!.ended!.verdict.advice;
    };
    expect(await advice({ stdout: 'x', stderr: 'y' })).toBe(`${what} Look at its logs: gateline show a stderr.`);
    expect(await advice({ stdout: 'x', stderr: '' })).toBe(`${what} Look at its logs: gateline show a stdout.`);
    expect(await advice({ stdout: '', stderr: '' })).toBe(`${what} It printed nothing.`);
    const run = ciRun(() => ({ result }));
    const { ended } = await run.job(PIPELINE, 'a');
    expect(ended!.verdict.advice).toBe(`${what} Look at the log of its job.`);
  });
});

describe('what to do about an attempt that could not be prepared', () => {
  /** The verdict on an attempt whose folder cannot be made for this reason. */
  async function verdictOn(why: Error): Promise<Verdict> {
    const world = engineWorld(() => ({ output: 1 }));
    const ports = world.ports();
    const attempts = { ...ports.attempts, create: () => Promise.reject(why) };
    const assignment = { pipeline: PIPELINE, subject: 'subject', metadata: {}, input: null };
    const options = { observe: () => undefined, signal: new AbortController().signal };
    await runPipeline({ ...ports, attempts }, assignment, options).catch(() => undefined);
    const [ended] = (await ports.store.list('test', 'subject')).records.flatMap((record) =>
      record.kind === 'ended' ? [record] : [],
    );
    return ended!.verdict;
  }

  it('is its code, what happened, and the hint, as sentences', async () => {
    const error = new GatelineError('ATTEMPT_EXISTS', 'x exists already');
    expect(await verdictOn(error)).toMatchObject({
      kind: 'not-started',
      advice: 'ATTEMPT_EXISTS: x exists already. Move it away and run again.',
    });
    expect((await verdictOn(new Error('what nobody thought of'))).advice).toBe('INTERNAL: what nobody thought of');
  });

  it('is cut where it is longer than a record may hold', async () => {
    const error = new GatelineError('ATTEMPT_EXISTS', 'x'.repeat(5_000), { hint: 'y' });
    const { advice } = await verdictOn(error);
    expect(advice).toMatch(/^ATTEMPT_EXISTS: x+$/);
    expect(advice.length).toBe(2_000);
  });
});
