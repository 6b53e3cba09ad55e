import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pullOfRun, whyNotCommented } from '../../../src/action/comments/fork-run.ts';
import { readRun, type ApiRun } from '../../../src/action/records/earlier-runs.ts';
import type { StoredPull } from '../../support/github/model.ts';
import { restClient } from '../../support/github/rest-client.ts';
import { startResultsService, type ResultsService } from '../../support/github/results-service.ts';
import type { RunOptions } from '../../support/github/workflow-runs.ts';

const HEAD = 'a'.repeat(40);
const OF_FORK: RunOptions = {
  id: 70,
  path: '.github/workflows/gates.yml',
  event: 'pull_request',
  status: 'completed',
  headBranch: 'feature',
  headSha: HEAD,
  headRepository: 'eve/gates',
};
const PULL: StoredPull = {
  number: 7,
  state: 'open',
  head: { ref: 'feature', sha: HEAD, repository: 'eve/gates' },
  base: { ref: 'main', sha: 'b'.repeat(40) },
};

let service: ResultsService;
beforeAll(async () => {
  service = await startResultsService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
  service.world.pulls.splice(0);
});

async function runOf(more: Partial<RunOptions> = {}): Promise<ApiRun> {
  service.world.runs.clear();
  service.addRun({ ...OF_FORK, ...more });
  return readRun(restClient(service), 70);
}

describe('a run that is commented on', () => {
  it('is one of the workflow for a pull request from a fork', async () => {
    expect(whyNotCommented(await runOf(), 'gates.yml', { repository: 'octo/gates' })).toBeUndefined();
  });

  it.each<[string, Partial<RunOptions>, RegExp]>([
    ['another workflow', { path: '.github/workflows/evil.yml' }, /another workflow/],
    ['a workflow in another folder', { path: 'x/.github/workflows/gates.yml' }, /another workflow/],
    ['a workflow whose name goes on', { path: '.github/workflows/gates.yml.yml' }, /another workflow/],
    ['a push', { event: 'push' }, /not of a pull request/],
    ['a start by hand', { event: 'workflow_dispatch' }, /not of a pull request/],
    ['an event with the rights of the base', { event: 'pull_request_target' }, /not of a pull request/],
    ['another workflow_run', { event: 'workflow_run' }, /not of a pull request/],
    ['a run that has not ended', { status: 'in_progress' }, /has not ended/],
    ['a fork that is gone', { headRepository: '' }, /is gone/],
    ['the repository itself', { headRepository: 'octo/gates' }, /not for a fork/],
    ['the repository itself in capitals', { headRepository: 'Octo/Gates' }, /not for a fork/],
  ])('is not of %s', async (_, more, why) => {
    expect(whyNotCommented(await runOf(more), 'gates.yml', { repository: 'octo/gates' })).toMatch(why);
  });

  it('is not of another repository', async () => {
    expect(whyNotCommented(await runOf(), 'gates.yml', { repository: 'octo/others' })).toMatch(/another repository/);
  });
});

describe('the pull request of a run for a fork', () => {
  it('is the one from its branch at its commit', async () => {
    const other = { ...PULL, number: 8, head: { ...PULL.head, repository: 'eve/other' } };
    const closed = { ...PULL, number: 9, state: 'closed' as const };
    service.world.pulls.push(other, closed, PULL);
    expect(await pullOfRun(restClient(service), await runOf())).toMatchObject({ pull: { number: 7 } });
  });

  it.each<[string, StoredPull[], RegExp]>([
    ['there is none', [], /no open pull request/],
    ['it is closed', [{ ...PULL, state: 'closed' }], /no open pull request/],
    ['it comes from another branch', [{ ...PULL, head: { ...PULL.head, ref: 'other' } }], /no open pull request/],
    ['it comes from another account', [{ ...PULL, head: { ...PULL.head, repository: 'mallory/gates' } }], /no open/],
    ['it comes from another repository', [{ ...PULL, head: { ...PULL.head, repository: 'eve/x' } }], /no open/],
    ['its fork is gone', [{ ...PULL, head: { ...PULL.head, repository: '' } }], /no open/],
    ['it has a newer commit', [{ ...PULL, head: { ...PULL.head, sha: 'c'.repeat(40) } }], /newer commit/],
    ['there are two', [PULL, { ...PULL, number: 8, base: { ref: 'next', sha: HEAD } }], /several/],
  ])('is unknown if %s', async (_, pulls, why) => {
    service.world.pulls.push(...pulls);
    expect(await pullOfRun(restClient(service), await runOf())).toEqual({
      why: expect.stringMatching(why) as string,
    });
  });
});
