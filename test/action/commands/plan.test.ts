import { describe, expect, it } from 'vitest';
import { execute } from '../../../src/action/commands/plan.ts';
import { startResultsService } from '../../support/github/results-service.ts';
import { stepInProcess } from '../step-in-process.ts';

describe('the plan of a gate without a gateline.yml', () => {
  it('says that it is blocked, and by what, where what it needs is not done', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'code' });
    const step = await stepInProcess(job, { command: 'plan', run: 'true', needs: 'design', inputs: '[]' });
    expect(await execute(step.invocation)).toMatchObject({
      ok: true,
      message: '0 of 1 gates would run their agents now',
    });
    expect(await job.outputs()).toEqual({
      decision: 'blocked',
      reason: 'The gate cannot run now, see the log.',
    });
    expect(step.log()).toMatch(/UPSTREAM_NOT_DONE.*design/);
    expect(await job.summary()).toMatch(/code.*blocked.*design/);
  });
});
