import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { AttemptMode } from '../../support/github/attempt-modes.ts';
import type { ServiceOptions } from '../../support/github/results-service.ts';
import { IS_FULL, someOf } from '../../support/test-size.ts';
import { startStepProcess } from '../../support/runner/step-process.ts';
import { ActionWorld, errorsOf, outputsOf, redJobs } from './action-world.ts';
import { agent, gateJob, reportJob } from './workflow-text.ts';

/** Ids of attempts, and who lists what an earlier one left, each with each; in half of them listings are behind. */
const MODES: readonly AttemptMode[] = [
  { backendIds: 'per-run', earlierAttempts: 'visible', shownAfter: 0 },
  { backendIds: 'per-run', earlierAttempts: 'rest-only', shownAfter: 5_000 },
  { backendIds: 'per-attempt', earlierAttempts: 'visible', shownAfter: 5_000 },
  { backendIds: 'per-attempt', earlierAttempts: 'rest-only', shownAfter: 0 },
];

const MENDED = 'test -e "$MENDED" || exit 7';

function chain(options: ServiceOptions): Promise<ActionWorld> {
  const jobs = {
    one: gateJob({ run: agent({ from: 'one' }) }),
    two: gateJob({ run: agent({ from: 'two' }, MENDED) }, { needs: 'one' }),
    three: gateJob({ run: agent({ from: 'three' }) }, { needs: ['one', 'two'] }),
    report: reportJob(['one', 'two', 'three']),
  };
  return ActionWorld.ofJobs(jobs, {}, options);
}

it.each(someOf(MODES, 1))('a run goes on in a second and a third attempt: %j', async (mode) => {
  await using world = await chain(mode);
  const mended = world.repository.beside('mended');
  // By processes in one of the modes, whatever the size: what differs in the others is what the services answer.
  const how = mode === MODES[0] ? { startAction: startStepProcess } : {};
  const run = await world.run({ ...how, machine: { MENDED: mended } });
  const first = await run.start().ended;
  expect(errorsOf(first.job('two')).at(-1)).toMatch(/^Gate failed: the agent failed: /);
  expect(errorsOf(first.job('report')).at(-1)).toMatch(/^Gates failed: .*two.*three \(skipped\)$/);
  expect(await world.startedGates()).toEqual(['one', 'two']);

  await writeFile(mended, '');
  const second = await run.rerunFailed().ended;
  expect(redJobs(second)).toEqual([]);
  expect(second.started).toEqual(['two', 'three', 'report']);
  expect(await world.startedGates()).toEqual(['three', 'two']);
  expect(second.job('report').summary).toContain('**3 of 3 gates done**');

  const third = await run.rerunAll().ended;
  expect(redJobs(third)).toEqual([]);
  const decisions = ['one', 'two', 'three'].map((gate) => outputsOf(third.job(gate))['decision']);
  expect(decisions).toEqual(['keep', 'keep', 'keep']);
  expect(await world.startedGates()).toEqual([]);
});

it('a record that is shown late is waited for by who needs it and by the report, and said to be', async () => {
  await using world = await chain({ shownAfter: 5_000 });
  const mended = world.repository.beside('mended');
  await writeFile(mended, '');
  const options = { startAction: startStepProcess, machine: { MENDED: mended } };
  // In the larger sizes nobody makes the listing catch up: it takes its five seconds.
  const run = await world.run(IS_FULL ? { ...options, onLine: undefined } : options);
  const report = await run.start().ended;
  expect(redJobs(report)).toEqual([]);
  expect(report.job('two').log).toContain('waiting until GitHub lists the records of these gates: one');
  expect(report.job('report').log).toContain('waiting until GitHub lists the records of these gates: three');
});
