import { describe, expect, it } from 'vitest';
import { execute } from '../../../src/action/commands/report.ts';
import { startResultsService } from '../../support/github/results-service.ts';
import { stepInProcess } from '../step-in-process.ts';

describe('a report without a checkout', () => {
  it('says that no gateline.yml was looked for, and needs to be told of the jobs', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'report' });
    const silent = await stepInProcess(job, { command: 'report' });
    await expect(execute(silent.invocation)).rejects.toMatchObject({
      code: 'ACTION_INPUTS_INVALID',
      problems: [{ input: 'needs', hint: expect.stringContaining('needs: ${{ toJSON(needs) }}') }],
    });
    expect(silent.log()).toMatch(/^::notice title=No checkout::There is no repository here/m);
    const needs = JSON.stringify({ one: { result: 'skipped', outputs: {} } });
    const told = await stepInProcess(job, { command: 'report', needs });
    expect(await execute(told.invocation)).toMatchObject({ ok: false });
    expect(told.log()).toMatch(/^::notice title=No checkout::There is no repository here/m);
  });
});
