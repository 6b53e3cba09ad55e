import { describe, expect, it } from 'vitest';
import { execute as report } from '../../../src/action/commands/report.ts';
import { commentLive, commentReport } from '../../../src/action/report/report-comment.ts';
import { restOfStep } from '../../../src/action/event/rest-client.ts';
import type { NameStatus } from '../../../src/store/github/records/github-store.ts';
import type { JobEnvironment } from '../../support/github/job-environment.ts';
import { startResultsService, type ResultsService } from '../../support/github/results-service.ts';
import { failedInput } from '../../report/github/fixtures.ts';
import { stepInProcess } from '../step-in-process.ts';

const name = (gate: string, kind: NameStatus['kind'], n = 1): NameStatus => ({
  gate,
  leg: '',
  runAttempt: 1,
  n,
  kind,
  ...(kind === 'ended' && { status: 'passed' }),
});
const store = (...statuses: NameStatus[]) => ({
  statuses: async () => ({ statuses, complete: true }),
  listedStatuses: () => ({ statuses, complete: true }),
});

/** A job of a run for pull request 7. */
async function pullRequestJob(service: ResultsService): Promise<JobEnvironment> {
  const about = { event: 'pull_request', headBranch: 'topic', pullRequests: [7] };
  const side = { sha: 'a'.repeat(40), ref: 'topic', repo: { full_name: 'octo/gates' } };
  const payload = { pull_request: { number: 7, head: side, base: side }, repository: { full_name: 'octo/gates' } };
  return service.environmentFor({ run: 1, job: 'report', about, payload });
}

describe('the comment of a report', () => {
  it('takes one listing each time it is drawn: at first, and when it is looked at again', async () => {
    await using service = await startResultsService();
    await using job = await pullRequestJob(service);
    const needs = JSON.stringify({ one: { result: 'success', outputs: {} } });
    const step = await stepInProcess(job, { command: 'report', needs, 'github-token': job.token });
    await report(step.invocation);
    expect(service.world.comments).toHaveLength(1);
    // The first is the report's own.
    expect(service.callsOf('ListArtifacts')).toHaveLength(3);
  });

  it('replaces what a job drew from names, more of them than records that anybody can read', async () => {
    await using service = await startResultsService();
    await using job = await pullRequestJob(service);
    const { invocation, log } = await stepInProcess(job, { command: 'report', 'github-token': job.token });
    const rest = restOfStep(invocation);
    const input = failedInput();
    const of = { pipeline: input.state.pipeline, subject: input.state.subject };
    const gates = Array.from({ length: 60 }, (_, at) => `g${at}`);
    const names = gates.flatMap((gate) => [name(gate, 'started'), name(gate, 'ended')]);
    // One record that was uploaded under two names counts once, for both.
    await commentLive(invocation, rest, of, store(...names, name('g1', 'started')));
    const [live] = service.world.comments;
    expect(live?.body).toMatch(/^<!-- \S+ [0-9a-f]{16} 1\.1\.120 -->/);
    expect(input.records.length).toBeLessThan(names.length);
    await commentReport(invocation, rest, of, store(...names), async () => input);
    expect(service.world.comments).toHaveLength(1);
    expect(service.world.comments[0]!.body).toMatch(/^<!-- \S+ [0-9a-f]{16} 1\.1\.120 -->/);
    expect(service.world.comments[0]!.body).toContain('execute');
    expect(log()).toContain('comment on pull request 7: updated (written)');
  });
});
