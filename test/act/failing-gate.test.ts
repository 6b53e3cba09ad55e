import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActReport } from '../support/act/act-run.ts';
import { ACT } from '../support/act/act-tool.ts';
import { ActWorld, decisions, errorsOf, LONG, outputsOf, resultsOf } from './act-world.ts';

describe.runIf(ACT !== undefined)('a gate under act whose output does not meet its contract', { timeout: LONG }, () => {
  let world: ActWorld;
  let failed: ActReport;
  let startedFirst: readonly string[];

  beforeAll(async () => {
    const steps = { design: 'a plan', code: 'its code', review: 'bad code\n40', verify: 'the proof', release: 'it' };
    world = await ActWorld.ofWorkflow('chain.yml', steps);
    failed = await world.run(1);
    startedFirst = await world.started();
  }, LONG);
  afterAll(() => world[Symbol.asyncDispose]());

  it('fails its job, and what comes after does not start', () => {
    expect(failed.ok).toBe(false);
    expect(resultsOf(failed)).toEqual(['code success', 'design success', 'report failure', 'review failure']);
    expect(startedFirst).toEqual(['code', 'design', 'review']);
    expect(outputsOf(failed.job('review'))).toMatchObject({ decision: 'run', passed: 'false', score: '40' });
    expect(errorsOf(failed.job('review')).at(-1)).toBe(
      'Gate failed: the score is below the threshold: gate review: score 40 is below the threshold of 80',
    );
  });

  it('is named by a red report, together with the jobs that were passed over', () => {
    const report = failed.job('report');
    expect(outputsOf(report, '1')).toMatchObject({
      passed: 'false',
      'failed-gates': 'review,release,verify',
      'run-status': 'error',
    });
    expect(errorsOf(report).at(-1)).toBe(
      'Gates failed: not done: review; needed jobs without a satisfied gate: release (skipped), verify (skipped)',
    );
    expect(report.summary).toMatch(/^## ❌ failed: /m);
    expect(report.summary).toMatch(/^\| 2 \| `review` \| 🟡\spartial \| ran \| 40 \|/m);
    expect(report.summary).toContain('- ❌ `verify` (skipped) left no record');
  });

  it('is where the next run goes on after a commit that mends it', async () => {
    await world.say('review', 'good code\n95');
    const report = await world.run(2);
    expect(report.ok).toBe(true);
    expect(await world.started()).toEqual(['release', 'review', 'verify']);
    expect(decisions(report, ['design', 'code', 'review'])).toEqual(['reuse', 'reuse', 'run']);
    expect(outputsOf(report.job('review'))).toMatchObject({ passed: 'true', score: '95' });
    expect(report.job('report').summary).toContain('**5 of 5 gates done**, 2 reused');
  });
});
