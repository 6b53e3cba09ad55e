import { describe, expect, it } from 'vitest';
import { ATTEMPT_MODES } from '../../support/github/attempt-modes.ts';
import type { RunReport, WorkflowRun } from '../../support/runner/workflow-run.ts';
import { errorsOf, outputsOf, redJobs } from './action-world.ts';
import { BEFORE_3, FROM_3, outcomeOfLocalRun, WebTestsWorld } from './web-tests-world.ts';
import { IS_FULL, bySize, spread } from '../../support/test-size.ts';

const LONG = { timeout: 600_000 };
const ALL = [...FROM_3, ...BEFORE_3].toSorted();

/** The first attempt of a run in which the agent of gate 3 fails, as it will until it is mended. */
async function failedAtGate3(example: WebTestsWorld): Promise<WorkflowRun> {
  await example.setFault(true);
  const run = await example.run();
  const report = await run.start().ended;
  expect(await example.world.startedGates()).toEqual(['code', ...BEFORE_3]);
  expect(errorsOf(report.job('code')).at(-1)).toBe(
    'Gate failed: the agent failed: gate code: agent-error: The agent ended with exit code 1. Look at the log of its job.',
  );
  expect(report).toMatchObject({ conclusion: 'failure', started: ['data', 'design', 'map', 'code', 'report'] });
  expect(errorsOf(report.job('report')).at(-1)).toBe('Gates failed: not done: code, execute, learn');
  return run;
}

function decisions(report: RunReport, gates: readonly string[]): string[] {
  return gates.map((gate) => outputsOf(report.job(gate))['decision']!);
}

/** The other one is that of a soak: unfinished.test.ts and attempts.test.ts run again in both. */
const MODES = spread(ATTEMPT_MODES, bySize({ sample: 1, full: 1, soak: 2 }));

describe.runIf(IS_FULL)('examples/web-tests after a transient fault at gate 3', () => {
  it.each(MODES)('goes on from gate 3 when the failed jobs are run again: %j', LONG, async (mode) => {
    await using example = await WebTestsWorld.create(mode);
    const run = await failedAtGate3(example);
    await example.setFault(false);
    const report = await run.rerunFailed().ended;
    expect(report).toMatchObject({ conclusion: 'success', started: ['code', 'execute', 'learn', 'report'] });
    expect(await example.world.startedGates()).toEqual(FROM_3);
    expect(report.job('report').log.at(-1)).toBe('6 of 6 gates done');
    expect(example.outcome()).toEqual(await outcomeOfLocalRun());
  });

  it.each(MODES)('runs no gate twice when all jobs are run again: %j, and what else is seen', LONG, async (mode) => {
    await using example = await WebTestsWorld.create(mode);
    const { service } = example.world;
    const run = await failedAtGate3(example);
    const all = async (): Promise<RunReport> => run.rerunAll().ended;

    // Nobody sees it: the cache alone tells.
    service.behaviour.earlierAttempts = 'hidden';
    const hidden = await all();
    expect(decisions(hidden, BEFORE_3)).toEqual(['reuse', 'reuse', 'reuse']);
    expect(await example.world.startedGates()).toEqual(['code']);

    service.behaviour.earlierAttempts = 'visible';
    expect(service.evictCaches()).toBeGreaterThan(0);
    const visible = await all();
    expect(decisions(visible, BEFORE_3)).toEqual(['keep', 'keep', 'keep']);
    expect(await example.world.startedGates()).toEqual(['code']);

    service.behaviour.earlierAttempts = 'rest-only';
    service.evictCaches();
    await example.setFault(false);
    const overRest = await all();
    expect(decisions(overRest, BEFORE_3)).toEqual(['keep', 'keep', 'keep']);
    expect(await example.world.startedGates()).toEqual(FROM_3);
    expect(overRest.conclusion).toBe('success');
  });

  it.each(MODES)('runs every gate again where nothing is left of the first attempt: %j', LONG, async (mode) => {
    await using example = await WebTestsWorld.create(mode);
    const { service } = example.world;
    const run = await failedAtGate3(example);
    await example.setFault(false);
    service.behaviour.earlierAttempts = 'hidden';
    service.evictCaches();
    const report = await run.rerunAll().ended;
    expect(redJobs(report)).toEqual([]);
    expect(await example.world.startedGates()).toEqual(ALL);
    for (const [, job] of report.jobs) expect(errorsOf(job)).toEqual([]);
  });
});
