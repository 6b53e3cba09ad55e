import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../support/github/faults.ts';
import type { Permissions } from '../../support/github/model.ts';
import { parseWorkflow } from '../../support/runner/workflow-file.ts';
import { messagesOf, RUN, type GateJobs } from '../gate-jobs.ts';
import { CHECKOUT, job, reportJob, workflowOf } from '../workflows/workflow-text.ts';
import { TIME_LIMITS, twoGates, type TwoGates } from './two-gates.ts';
import { IS_FULL } from '../../support/test-size.ts';

let gates: TwoGates;
beforeAll(async () => {
  gates = await twoGates('here');
});
afterAll(() => gates[Symbol.asyncDispose]());

const DOWN = { kind: 'status', status: 503 } as const;
const END_OF_PLAN = { operation: 'GetSignedArtifactURL', name: /\.plan\._\.1\.1\.ended\./, fault: DOWN } as const;

/** Jobs of a second attempt of the run, while this goes wrong. */
async function second(name: string, fault: Omit<FaultRule, 'times'> | undefined, permissions?: Permissions) {
  const jobs = await gates.jobs.fork(name, { earlierAttempts: permissions === undefined ? 'visible' : 'rest-only' });
  if (fault !== undefined) jobs.service.faults.add({ ...fault, times: Infinity });
  const optionsOf = (name: string) => ({ run: RUN, job: name, attempt: 2, ...(permissions && { permissions }) });
  return {
    jobs,
    code: () =>
      jobs.run('code', { attempt: 2, machine: TIME_LIMITS, needs: gates.needs, order: { options: optionsOf('code') } }),
    report: () => report(jobs),
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}

function report(jobs: GateJobs) {
  const definition = parseWorkflow(workflowOf({ plan: job([CHECKOUT]), report: reportJob('plan') }), 'report.yml').jobs[
    'report'
  ]!;
  const call = { attempt: 2, machine: TIME_LIMITS, needs: gates.needs };
  // The job is none of the workflow's own.
  return jobs.run('plan', { ...call, order: { definition, options: { run: RUN, job: 'report', attempt: 2 } } });
}

describe('a record that the service lists and does not give', () => {
  it('is told to the gate that needs it as unreadable: which one, and why', async () => {
    await using again = await second('no address', END_OF_PLAN);
    const { conclusion, annotations } = await again.code();
    expect(conclusion).toBe('failure');
    expect(messagesOf({ annotations })).toEqual([
      expect.stringMatching(
        /^error Gate blocked: a record of a needed gate cannot be read: UPSTREAM_UNREADABLE: gate code cannot begin: plan: the result of attempt 1 could not be read: gl1\.[0-9a-f]{8}\.plan\.\S+: GetSignedArtifactURL was answered with 503.*\nRe-run the failed jobs: (?!.*permission)/,
      ),
    ]);
    expect(await again.jobs.starts()).toEqual([]);
  });

  it('is told by the report, which says neither that nothing began nor that nothing was left', async () => {
    await using again = await second('report of no address', END_OF_PLAN);
    const { conclusion, annotations, summary } = await again.report();
    expect(conclusion).toBe('failure');
    expect(messagesOf({ annotations }).at(-1)).toBe('error Records could not be read: not done: plan');
    expect(summary).toContain('the result of attempt 1 could not be read: gl1.');
    expect(summary).not.toMatch(/No gate has started|not started|left no record|needs nothing/);
  });
});

describe('a listing that fails', () => {
  it('does not mean that there is nothing', async () => {
    await using again = await second('no listing', { operation: /[Ll]ist/, fault: DOWN });
    const { annotations } = await again.code();
    expect(messagesOf({ annotations })).toEqual([
      expect.stringMatching(/^notice .*it cannot be read from which gate this run starts again: .* 503/),
      expect.stringContaining(
        `UPSTREAM_UNREADABLE: gate code cannot begin: plan: it may have left a record: artifacts of run ${RUN}: ListArtifacts`,
      ),
    ]);
  });

  it.runIf(IS_FULL)('is what the report says of a run of which nothing is known', async () => {
    await using again = await second('report of no listing', { operation: /[Ll]ist/, fault: DOWN });
    const { annotations, summary } = await again.report();
    expect(messagesOf({ annotations }).at(-1)).toMatch(
      /^error Records could not be read: nothing was checked, as not everything could be read: artifacts of run 501: ListArtifacts/,
    );
    expect(summary).toMatch(/^## ❌ not everything could be read: /);
    expect(summary).not.toMatch(/No gate has started|left no record:/);
  });
});

describe('a record of an earlier attempt that is hidden', () => {
  it('asks for the permission that is missing, and for none that is there', async () => {
    await using denied = await second('denied', undefined, { contents: 'read' });
    const { annotations } = await denied.code();
    expect(messagesOf({ annotations }).at(-1)).toMatch(
      /UPSTREAM_UNREADABLE: gate code cannot begin: no record of plan is listed in this run, and its job says .*\n.*`permissions: actions: read`/,
    );
    await using granted = await second('granted', undefined, { contents: 'read', actions: 'read' });
    expect((await granted.code()).conclusion).toBe('success');
  });
});
