import { describe, expect, it } from 'vitest';
import { commentLive, commentReport } from '../../src/action/report-comment.ts';
import { restOfStep } from '../../src/action/step-rest.ts';
import type { NameStatus } from '../../src/store/github/github-store.ts';
import { startResultsService } from '../support/github/results-service.ts';
import { failedInput } from '../report/github/fixtures.ts';
import { stepInProcess } from './step-in-process.ts';

const name = (gate: string, kind: NameStatus['kind'], n = 1): NameStatus => ({
  gate,
  leg: '',
  runAttempt: 1,
  n,
  kind,
  ...(kind === 'ended' && { status: 'passed' }),
});
const store = (...statuses: NameStatus[]) => ({ statuses: async () => ({ statuses, complete: true }) });

describe('the comment of a report', () => {
  it('replaces what a job drew from names, more of them than records that anybody can read', async () => {
    await using service = await startResultsService();
    const about = { event: 'pull_request', headBranch: 'topic', pullRequests: [7] };
    const side = { sha: 'a'.repeat(40), ref: 'topic', repo: { full_name: 'octo/gates' } };
    const payload = { pull_request: { number: 7, head: side, base: side }, repository: { full_name: 'octo/gates' } };
    await using job = await service.environmentFor({ run: 1, job: 'report', about, payload });
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
