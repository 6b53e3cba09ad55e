import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ActionWorld, errorsOf, messagesOf } from './action-world.ts';
import { agent, agentStep, CHECKOUT, gateAround, gateJob, job, reportJob, type Keys } from './workflow-text.ts';

/** Says that it works, and does not end by itself. */
const WORKS_ON = `echo working; sleep 300`;
const REPORT = { report: reportJob('one') };

/** Steps of a gate whose `complete` never comes. */
function withoutComplete(agent: Keys): Keys[] {
  return gateAround(agent).slice(0, 2);
}

describe('a gate that a job began and did not complete', () => {
  it('is on record as agent-error when the step of its agent failed', async () => {
    await using world = await ActionWorld.ofJobs({
      one: job([CHECKOUT, ...withoutComplete({ run: 'exit 7' })]),
      ...REPORT,
    });
    const report = await (await world.run()).start().ended;
    expect(world.endings()).toEqual(['one 1.1.1 ran agent-error']);
    expect(errorsOf(report.job('report')).at(-1)).toBe('Gates failed: not done: one');
  });

  it('is on record as cancelled when the job was cancelled, and the next attempt goes on', async () => {
    await using world = await ActionWorld.ofJobs({
      one: job([CHECKOUT, ...withoutComplete({ run: 'echo working; sleep "${SECONDS_TO_WORK:-0}"' })]),
    });
    const run = await world.run({ machine: { SECONDS_TO_WORK: '300' } });
    const attempt = run.start();
    await (await attempt.job('one')).logged(/^working$/);
    await attempt.cancel();
    expect((await attempt.ended).conclusion).toBe('cancelled');
    expect(world.endings()).toEqual(['one 1.1.1 ran cancelled']);
  });

  it('makes a job red in which nothing failed, and is on record', async () => {
    await using world = await ActionWorld.ofJobs({ one: job([CHECKOUT, ...withoutComplete(agentStep({ score: 1 }))]) });
    const report = await (await world.run()).start().ended;
    expect(report.conclusion).toBe('failure');
    expect(errorsOf(report.job('one'))).toEqual([
      'Gate never completed: gate one: attempt 1 was left open and is now on record as agent-error',
    ]);
    expect(world.endings()).toEqual(['one 1.1.1 ran agent-error']);
  });
});

describe('a gate whose `run` was', () => {
  it('cancelled ends its agent and is on record as cancelled', async () => {
    await using world = await ActionWorld.ofJobs({ one: gateJob({ run: WORKS_ON }) });
    const attempt = (await world.run()).start();
    await (await attempt.job('one')).logged(/^working$/);
    await attempt.cancel();
    const report = await attempt.ended;
    expect(errorsOf(report.job('one')).at(-1)).toMatch(/^Gate cancelled: gate one: cancelled: /);
    expect(world.endings()).toEqual(['one 1.1.1 ran cancelled']);
  });

  it('killed before it could write anything is on record as cancelled by the post step', async () => {
    await using world = await ActionWorld.ofJobs({ one: gateJob({ run: WORKS_ON }) });
    const attempt = (await world.run({ cancelTimes: { interrupt: 1, terminate: 1 } })).start();
    await (await attempt.job('one')).logged(/^working$/);
    await attempt.cancel();
    const report = await attempt.ended;
    expect(messagesOf(report.job('one'), 'warning')).toEqual([expect.stringMatching(/^Gateline was cut short: /)]);
    expect(world.endings()).toEqual(['one 1.1.1 ran cancelled']);
  });
});

describe('a gate whose runner was lost', () => {
  it('is told as lost by the report and by the next attempt, which goes on', async () => {
    await using world = await ActionWorld.ofJobs({
      zero: gateJob({ run: agent({ score: 1 }) }),
      one: gateJob({ run: agent({ score: 2 }, `test -e "$MENDED" || { ${WORKS_ON}; }`) }, { needs: 'zero' }),
      report: reportJob(['zero', 'one']),
    });
    const mended = world.repository.beside('mended');
    const run = await world.run({ machine: { MENDED: mended } });
    const attempt = run.start();
    const running = await attempt.job('one');
    await running.logged(/^working$/);
    await running.lose();
    const report = await attempt.ended;
    expect(world.endings()).toEqual(['zero 1.1.1 ran passed']);
    expect(errorsOf(report.job('report')).at(-1)).toBe('Gates failed: not done: one');
    console.log(report.job('report').summary);
    console.log(report.job('report').log.filter(l=>!/pload/.test(l)));
    await writeFile(mended, '');
    const again = await run.rerunFailed().ended;
    console.log(again.job('one').log.filter(l=>!/pload/.test(l)), again.job('report').log.at(-1));
  });
});
