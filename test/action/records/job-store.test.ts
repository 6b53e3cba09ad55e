import { describe, expect, it, vi } from 'vitest';
import { openJobStore } from '../../../src/action/records/job-store.ts';
import { startResultsService } from '../../support/github/results-service.ts';
import { ended } from '../../support/records.ts';
import { stepInProcess } from '../step-in-process.ts';

describe('the first listing', () => {
  it('is asked for when the store is opened, and taken once', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'one' });
    const { invocation } = await stepInProcess(job);
    const store = await openJobStore(invocation);
    await vi.waitFor(() => expect(service.callsOf('ListArtifacts')).toHaveLength(1), { timeout: 10_000 });
    await store.records.list('p', 's');
    expect(service.callsOf('ListArtifacts')).toHaveLength(1);
    await store.records.list('p', 's');
    expect(service.callsOf('ListArtifacts')).toHaveLength(2);
  });
});

describe('a job of an event that outsiders cause', () => {
  it('saves nothing to the cache of the default branch, though its token may', async () => {
    await using service = await startResultsService();
    const about = { event: 'pull_request_target', headBranch: 'topic', pullRequests: [7] };
    // As a workflow with `cache-mode: write` has it.
    const scopes = [{ scope: 'refs/heads/main', permission: 3 as const }];
    await using job = await service.environmentFor({ run: 1, job: 'one', about, scopes });
    const { invocation, log } = await stepInProcess(job);
    const store = await openJobStore(invocation);
    const output = await store.records.put('{}');
    const record = { ...ended({ gate: 'one' }), value: output, exports: output };
    await store.records.write({ ...record, runNumber: invocation.event.runNumber });
    await store.settled();
    expect(log()).toContain('The checkpoint was not saved to the cache: this run may only read the cache.');
    expect(service.calls.filter(({ operation }) => operation.includes('Cache'))).toEqual([]);
  });
});
