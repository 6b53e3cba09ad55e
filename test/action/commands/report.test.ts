import { describe, expect, it } from 'vitest';
import { execute } from '../../../src/action/commands/report.ts';
import { execute as run } from '../../../src/action/commands/run.ts';
import { startResultsService } from '../../support/github/results-service.ts';
import { stepInProcess } from '../step-in-process.ts';

describe('a report of gates that no file defines', () => {
  const GATE = { command: 'run', gate: 'one', run: 'echo "{}" > "$GATELINE_OUTPUT"', inputs: '[]', cache: 'off' };
  const NEEDS = JSON.stringify({ one: { result: 'success', outputs: {} } });

  /** Whether a report is green after a gate, each with these inputs beside. */
  async function isGreen(ofGate: Readonly<Record<string, string>>, ofReport: Readonly<Record<string, string>>) {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'one' });
    expect(await run((await stepInProcess(job, { ...GATE, ...ofGate })).invocation)).toMatchObject({ ok: true });
    await using last = await service.environmentFor({ run: 1, job: 'report' });
    const step = await stepInProcess(last, { command: 'report', needs: NEEDS, ...ofReport });
    return (await execute(step.invocation)).ok;
  }

  it('is about the pipeline that it names, else that of the workflow file', async () => {
    expect(await isGreen({}, {})).toBe(true);
    expect(await isGreen({ pipeline: 'ship' }, { pipeline: 'ship' })).toBe(true);
    expect(await isGreen({}, { pipeline: 'gates' })).toBe(true);
    expect(await isGreen({ pipeline: 'ship' }, {})).toBe(false);
    expect(await isGreen({}, { pipeline: 'ship' })).toBe(false);
  });

  it('is about the subject that it names, else that of the event', async () => {
    expect(await isGreen({ subject: 'moon' }, { subject: 'moon' })).toBe(true);
    expect(await isGreen({ subject: 'moon' }, {})).toBe(false);
    expect(await isGreen({ subject: 'main' }, {})).toBe(true);
  });
});

describe('a report without a checkout', () => {
  it('says that no gateline.yml was looked for, and needs to be told of the jobs', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'report' });
    const silent = await stepInProcess(job, { command: 'report' });
    await expect(execute(silent.invocation)).rejects.toMatchObject({
      code: 'ACTION_INPUTS_INVALID',
      problems: [{ input: 'needs', hint: expect.stringContaining('needs: ${{ toJSON(needs) }}') }],
    });
    expect(silent.log()).toMatch(/^::notice title=No checkout::The repository is not checked out/m);
    const needs = JSON.stringify({ one: { result: 'skipped', outputs: {} } });
    const told = await stepInProcess(job, { command: 'report', needs });
    expect(await execute(told.invocation)).toMatchObject({ ok: false });
    expect(told.log()).toMatch(/^::notice title=No checkout::The repository is not checked out/m);
  });
});
