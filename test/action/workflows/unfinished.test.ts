import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ATTEMPT_MODES } from '../../support/github/attempt-modes.ts';
import { startStepProcess } from '../../support/runner/step-process.ts';
import { ActionWorld, errorsOf, messagesOf } from './action-world.ts';
import { ACTION, agent, agentStep, CHECKOUT, gateAround, gateJob, job, reportJob, type Keys } from './workflow-text.ts';

/** Says that it works, and does not end by itself. */
const WORKS_ON = `echo working; sleep 300`;
/** The runner's patience with what is cancelled, all but none. Milliseconds. */
const AT_ONCE = { interrupt: 1, terminate: 1 };
const REPORT = { report: reportJob('one') };

/** `complete` as people write it who do not think of failures. */
const DONE_IF_ALL_WENT_WELL: Keys = {
  if: "steps.gate.outputs.decision == 'run'",
  uses: ACTION,
  with: { command: 'complete', token: '${{ steps.gate.outputs.token }}' },
};

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
    const report = await (await world.run({ startAction: startStepProcess })).start().ended;
    expect(world.endings()).toEqual(['one 1.1.1 ran agent-error']);
    expect(errorsOf(report.job('report')).at(-1)).toBe('Gates failed: not done: one');
  });

  it.each(ATTEMPT_MODES)(
    'is on record as cancelled when the job was, and the next attempt goes on: %j',
    async (mode) => {
      const mended = 'test -e "$MENDED" || { echo working; sleep 300; }';
      const steps = [...gateAround(agentStep({ score: 1 }, mended)).slice(0, 2), DONE_IF_ALL_WENT_WELL];
      await using world = await ActionWorld.ofJobs({ one: job([CHECKOUT, ...steps]) }, {}, mode);
      const file = world.repository.beside('mended');
      const run = await world.run({ startAction: startStepProcess, machine: { MENDED: file }, cancelTimes: AT_ONCE });
      const attempt = run.start();
      await (await attempt.job('one')).logged(/^working$/);
      await attempt.cancel();
      expect((await attempt.ended).conclusion).toBe('cancelled');
      expect(world.endings()).toEqual(['one 1.1.1 ran cancelled']);
      await writeFile(file, '');
      expect((await run.rerunFailed().ended).conclusion).toBe('success');
      expect(world.endings()).toEqual(['one 1.1.1 ran cancelled', 'one 1.2.1 ran passed']);
    },
  );

  it.each([
    ['passed', agentStep({ score: 1 })],
    ['missing', { run: 'true' }],
  ])('makes a job red in which nothing failed, and is on record as what the agent made: %s', async (kind, step) => {
    await using world = await ActionWorld.ofJobs({ one: job([CHECKOUT, ...withoutComplete(step)]) });
    const report = await (await world.run({ startAction: startStepProcess })).start().ended;
    expect(report.conclusion).toBe('failure');
    expect(errorsOf(report.job('one'))).toEqual([
      `Gate never completed: gate one: attempt 1 was not completed and is now recorded as ${kind}. Add a step with \`command: complete\` after the agent, with \`if: always()\``,
    ]);
    expect(world.endings()).toEqual([`one 1.1.1 ran ${kind}`]);
  });
});

describe('a gate whose `run` was', () => {
  it('cancelled ends its agent and is on record as cancelled', async () => {
    await using world = await ActionWorld.ofJobs({ one: gateJob({ run: WORKS_ON }) });
    const attempt = (await world.run({ startAction: startStepProcess })).start();
    await (await attempt.job('one')).logged(/^working$/);
    await attempt.cancel();
    const report = await attempt.ended;
    expect(errorsOf(report.job('one')).at(-1)).toMatch(/^Gate cancelled: gate one: cancelled: /);
    expect(world.endings()).toEqual(['one 1.1.1 ran cancelled']);
  });

  it('killed before it could write anything is on record as cancelled by the post step', async () => {
    await using world = await ActionWorld.ofJobs({ one: gateJob({ run: WORKS_ON }) });
    const attempt = (await world.run({ startAction: startStepProcess, cancelTimes: AT_ONCE })).start();
    await (await attempt.job('one')).logged(/^working$/);
    await attempt.cancel();
    const report = await attempt.ended;
    expect(messagesOf(report.job('one'), 'warning')).toEqual([expect.stringMatching(/^Gateline was interrupted: /)]);
    expect(world.endings()).toEqual(['one 1.1.1 ran cancelled']);
  });
});

describe('a gate whose runner was lost', () => {
  it.each(ATTEMPT_MODES)('is told as lost by the report and by the next attempt, which goes on: %j', async (mode) => {
    const jobs = {
      zero: gateJob({ run: agent({ score: 1 }) }),
      one: gateJob({ run: agent({ score: 2 }, `test -e "$MENDED" || { ${WORKS_ON}; }`) }, { needs: 'zero' }),
      report: reportJob(['zero', 'one']),
    };
    await using world = await ActionWorld.ofJobs(jobs, {}, mode);
    const mended = world.repository.beside('mended');
    const run = await world.run({ startAction: startStepProcess, machine: { MENDED: mended } });
    const attempt = run.start();
    const running = await attempt.job('one');
    await running.logged(/^working$/);
    await running.lose();
    // By the time of the report GitHub lists the claim.
    world.service.advance(mode.shownAfter);
    const report = await attempt.ended;
    expect(world.endings()).toEqual(['zero 1.1.1 ran passed']);
    expect(errorsOf(report.job('report')).at(-1)).toBe('Gates failed: not done: one');
    expect(errorsOf(report.job('report')).at(-2)).toMatch(/^Gate one: lost: .*its job is gone and left no result$/);
    expect(report.job('report').summary).toContain('**1 of 2 gates done** · 💥 1 lost');
    expect(await world.startedGates()).toEqual(['one', 'zero']);
    await writeFile(mended, '');
    const again = await run.rerunFailed().ended;
    expect(again.job('one').log).toContainEqual(
      expect.stringMatching(/^gate one: run: attempt 1 began at .*; its job is gone and left no result$/),
    );
    expect(again).toMatchObject({ conclusion: 'success', started: ['one', 'report'] });
    expect(await world.startedGates()).toEqual(['one']);
    expect(world.endings()).toEqual(['one 1.2.1 ran passed', 'zero 1.1.1 ran passed']);
  });
});
