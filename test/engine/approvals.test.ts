import { describe, expect, it } from 'vitest';
import { decide, type Decision } from '../../src/engine/decide.ts';
import { readRun } from '../../src/engine/read-run.ts';
import type { PlannedUnit } from '../../src/run/plan/plan.ts';
import type { Gate } from '../../src/pipeline/pipeline.ts';
import { engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

/** a must be approved before b. */
function waiting(by: string[] = [], more: Partial<Gate['approval']> = {}) {
  const approval: Gate['approval'] = { by, notAuthor: false, perCommit: false, ...more };
  const pipeline = pipelineOf({ a: { inputs: ['a.txt'], approval, retries: 2 }, b: { needs: ['a'] } });
  const answer = { word: 'words' };
  const world = engineWorld(({ unit, files }) => ({ output: [unit, answer.word, files.get('a.txt') ?? ''] }), {
    'a.txt': '1',
  });
  const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
  const said = (decision: Decision['decision'], actor: string) =>
    decide(world.ports(), assignment, { decision, gates: ['a'], actor, reason: 'looked at it' });
  const adopt = (output: string) =>
    decide(world.ports(), assignment, { decision: 'adopt', gates: ['a'], output, actor: 'maria', reason: 'better' });
  const statuses = async () => [...(await world.run(pipeline)).state.units.values()].map(({ status }) => status);
  return { world, pipeline, said, adopt, statuses, answer };
}

describe('a gate that needs an approval', () => {
  it('runs once, and waits; what comes after it runs when somebody approved', async () => {
    const { world, said, statuses } = waiting();
    expect(await statuses()).toEqual(['paused', 'blocked']);
    expect(await statuses()).toEqual(['paused', 'blocked']);
    expect(world.starts).toEqual(['a#1']);
    await said('approve', 'maria');
    expect(await statuses()).toEqual(['passed', 'passed']);
    expect(world.starts).toEqual(['a#1', 'b#1']);
  });

  it('waits in a new run, too, which the plan says, until its output was approved in any run', async () => {
    const { world, pipeline, said, statuses } = waiting();
    await statuses();
    const fresh = { actor: 'maria', reason: 'anew', fresh: true };
    const linesOf = (units: readonly PlannedUnit[]) =>
      units.map(({ key, choice, reason }) => `${key} ${choice}: ${reason}`);
    const planAndRun = async (): Promise<string[]> => {
      const { plan } = await world.plan(pipeline, {}, fresh);
      const ran = await world.run(pipeline, {}, { resume: fresh });
      expect(linesOf(ran.planned)).toEqual(linesOf(plan.units));
      return linesOf(plan.units);
    };
    expect(await planAndRun()).toEqual([
      'a reuse: inputs unchanged; reused from run 1; it waits for approval',
      'b blocked: needs a, which is paused',
    ]);
    await said('approve', 'maria');
    expect(await planAndRun()).toEqual([
      'a reuse: inputs unchanged; reused from run 1',
      'b run: it has not run for this subject',
    ]);
    expect(world.starts).toEqual(['a#1', 'b#1']);
  });

  it('waits again when its request changed, and is approved for the old one only', async () => {
    const { world, pipeline, said, statuses } = waiting();
    await statuses();
    await said('approve', 'maria');
    world.workspace.folder.set('a.txt', '2');
    const again = await world.run(pipeline);
    const why =
      'attempt 1, score 100: waiting for approval; the request changed since maria approved: file a.txt changed';
    expect(again.state.units.get('a')).toMatchObject({
      status: 'paused',
      reason: expect.stringContaining(why.slice(9)),
    });
    const shown = await readRun(world.ports(), { pipeline, subject: 'subject' });
    expect(shown.units.get('a')).toMatchObject({ status: 'paused', reason: again.state.units.get('a')!.reason });
    world.workspace.folder.set('a.txt', '1');
    expect((await statuses())[0]).toBe('passed');
  });

  it('takes the last word of each person, and one reject outweighs every approval', async () => {
    const { said, statuses, world } = waiting();
    await statuses();
    await said('reject', 'paul');
    await said('approve', 'maria');
    expect(await statuses()).toEqual(['paused', 'blocked']);
    expect(world.starts).toEqual(['a#1', 'a#1']);
    await said('reject', 'maria');
    await said('approve', 'maria');
    expect(await statuses()).toEqual(['passed', 'passed']);
  });

  it('is approved by those who may, whatever the records say', async () => {
    const { world, pipeline, said, statuses } = waiting(['maria']);
    await statuses();
    await expect(said('approve', 'paul')).rejects.toMatchObject({ code: 'APPROVER_REFUSED' });
    const anybody = {
      ...pipeline,
      gates: pipeline.gates.map((gate) => ({
        ...gate,
        approval: { by: ['paul'], notAuthor: false, perCommit: false },
      })),
    };
    const assignment = { pipeline: anybody, subject: 'subject', metadata: {}, input: null };
    await decide(world.ports(), assignment, { decision: 'approve', gates: ['a'], actor: 'paul', reason: 'x' });
    expect(await statuses()).toEqual(['paused', 'blocked']);
    await said('approve', 'maria');
    expect(await statuses()).toEqual(['passed', 'passed']);
  });

  it('is not approved by the author of the commit, nor if nobody knows who that is', async () => {
    const { world, said, statuses } = waiting([], { notAuthor: true });
    world.review = { commit: '1'.repeat(40), authors: ['maria@example.com', 'maria'] };
    await statuses();
    await expect(said('approve', 'Maria')).rejects.toMatchObject({ code: 'APPROVER_REFUSED' });
    await said('approve', 'paul');
    expect(await statuses()).toEqual(['passed', 'passed']);
    world.review = { commit: '1'.repeat(40), authors: [] };
    expect(await statuses()).toEqual(['paused', 'blocked']);
    world.review = { commit: '1'.repeat(40), authors: ['Paul'] };
    expect(await statuses()).toEqual(['paused', 'blocked']);
  });

  it('is approved for one commit, if approvals are per commit', async () => {
    const { world, said, statuses, pipeline } = waiting([], { perCommit: true });
    world.review = { commit: '1'.repeat(40), authors: [] };
    await statuses();
    await said('approve', 'maria');
    expect(await statuses()).toEqual(['passed', 'passed']);
    world.review = { commit: '2'.repeat(40), authors: [] };
    // The run that was completed before the next commit stays so.
    const status = async (runNumber: number) => {
      const whole = { pipeline, subject: 'subject', metadata: {}, input: null };
      return (await readRun(world.ports(), whole, runNumber)).status;
    };
    expect(await status(1)).toBe('completed');
    expect(await statuses()).toEqual(['paused', 'blocked']);
    expect(await status(2)).toBe('paused');
    const { units } = await readRun(world.ports(), { pipeline, subject: 'subject' }, 2);
    expect(units.get('a')!.reason).toMatch(/waiting for approval, for commit 2222222$/);
    expect(await status(1)).toBe('completed');
    expect(world.starts).toEqual(['a#1', 'b#1']);
    world.review = { commit: undefined, authors: [] };
    await expect(said('approve', 'maria')).rejects.toMatchObject({ code: 'APPROVER_REFUSED' });
  });

  it('stays approved in a run that was completed before the approval expired', async () => {
    const { world, pipeline, statuses } = waiting();
    const whole = { pipeline, subject: 'subject', metadata: {}, input: null };
    const status = async (runNumber: number) => (await readRun(world.ports(), whole, runNumber)).status;
    await statuses();
    const until = new Date(world.clock.getTime() + 60_000).toISOString();
    const about = { gates: ['a'], actor: 'maria', reason: 'looked at it' };
    await decide(world.ports(), whole, { decision: 'approve', ...about, until });
    expect(await statuses()).toEqual(['passed', 'passed']);
    expect(await statuses()).toEqual(['passed', 'passed']);
    world.clock = new Date(world.clock.getTime() + 60_000);
    expect([await status(1), await status(2)]).toEqual(['completed', 'completed']);
    expect(await statuses()).toEqual(['paused', 'blocked']);
    expect([await status(2), await status(3)]).toEqual(['completed', 'paused']);
    expect(world.starts).toEqual(['a#1', 'b#1']);
  });

  it('stays approved there although the clock was set back before the approval', async () => {
    const { world, pipeline, statuses } = waiting();
    const whole = { pipeline, subject: 'subject', metadata: {}, input: null };
    const later = (minutes: number) => (world.clock = new Date(world.clock.getTime() + minutes * 60_000));
    later(60);
    await statuses();
    later(-60);
    const until = new Date(world.clock.getTime() + 60_000).toISOString();
    const about = { gates: ['a'], actor: 'maria', reason: 'looked at it' };
    await decide(world.ports(), whole, { decision: 'approve', ...about, until });
    expect(await statuses()).toEqual(['passed', 'passed']);
    for (let hours = 0; hours < 2; hours += 1) {
      later(59);
      expect((await readRun(world.ports(), whole, 1)).status).toBe('completed');
    }
  });

  it('keeps its approval in the next run, which starts nothing', async () => {
    const { world, said, statuses } = waiting();
    await statuses();
    await said('approve', 'maria');
    await statuses();
    world.starts.length = 0;
    expect(await statuses()).toEqual(['passed', 'passed']);
    expect(world.starts).toEqual([]);
  });

  it('accepts an adopted output, which takes the place of what the agent said and waits for an approval, too', async () => {
    const { world, said, adopt, statuses } = waiting();
    await statuses();
    await said('approve', 'maria');
    await adopt('mine');
    expect(await statuses()).toEqual(['paused', 'blocked']);
    await adopt('mine after all');
    await said('approve', 'maria');
    expect(await statuses()).toEqual(['passed', 'passed']);
    expect(world.starts).toEqual(['a#1', 'b#1']);
  });

  it('runs again when the output that waits is gone', async () => {
    const { world, pipeline, statuses } = waiting();
    await statuses();
    world.medium.contents.clear();
    expect((await world.plan(pipeline)).plan.units[0]).toMatchObject({
      choice: 'run',
      reason: expect.stringContaining('is missing'),
    });
    expect(await statuses()).toEqual(['paused', 'blocked']);
    expect(world.starts).toEqual(['a#1', 'a#1']);
  });

  it('takes an approval for the newest output, also where one that was approved before is lost', async () => {
    const { world, said, statuses, answer } = waiting();
    await statuses();
    await said('approve', 'maria');
    world.medium.contents.clear();
    answer.word = 'other words';
    expect(await statuses()).toEqual(['paused', 'blocked']);
    await said('approve', 'maria');
    expect(await statuses()).toEqual(['passed', 'passed']);
    expect(world.starts).toEqual(['a#1', 'a#1', 'b#1']);
  });
});
