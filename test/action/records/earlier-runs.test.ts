import { describe, expect, it } from 'vitest';
import { checkEarlierRun } from '../../../src/action/records/earlier-runs.ts';
import type { CurrentRef } from '../../../src/action/records/earlier-run-ref.ts';
import type { RestClient } from '../../../src/github/rest/rest.ts';
import { GatelineError } from '../../../src/errors/gateline-error.ts';
import { restClient } from '../../support/github/rest-client.ts';
import { startResultsService, type ResultsService } from '../../support/github/results-service.ts';
import type { RunOptions } from '../../support/github/workflow-runs.ts';

const EARLIER = 5;
const CURRENT = 6;
const ENDED = { status: 'completed', conclusion: 'failure' } as const;

/** An earlier run that is as it should be but for `about`, and the one that wants to go on from it. */
function addRuns(service: ResultsService, about: Partial<RunOptions> = {}, current: Partial<RunOptions> = {}): void {
  service.addRun({ id: EARLIER, ...ENDED, ...about });
  service.addRun({ id: CURRENT, event: 'workflow_dispatch', ...current });
}

function check(service: ResultsService, runId = EARLIER, token?: string, current: CurrentRef = ON_TOPIC) {
  const rest = restClient(service, token === undefined ? {} : { token });
  return checkEarlierRun(rest, { runId, currentRunId: CURRENT, current });
}

async function refusalOf(work: Promise<unknown>): Promise<GatelineError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GatelineError);
  return error as GatelineError;
}

/** A run on a branch, and one of the pull request of that branch. */
const ON_TOPIC: CurrentRef = {
  ref: 'refs/heads/topic',
  refName: 'topic',
  defaultBranch: 'main',
  pullRequest: undefined,
};
const PULL: CurrentRef = {
  ref: 'refs/pull/7/merge',
  refName: '7/merge',
  defaultBranch: 'main',
  pullRequest: {
    number: 7,
    headRepository: 'octo/gates',
    headSha: undefined,
    headBranch: 'topic',
    baseBranch: 'next',
    baseSha: undefined,
  },
};

describe('an earlier run', () => {
  it('of the same workflow file is gone on from; that takes 2 requests', async () => {
    await using service = await startResultsService();
    addRuns(service, { number: 41, attempt: 3, headBranch: 'topic' });
    expect(await check(service)).toEqual({
      id: EARLIER,
      runNumber: 41,
      runAttempt: 3,
      workflowPath: '.github/workflows/gates.yml',
      event: 'push',
      status: 'completed',
      conclusion: 'failure',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      repository: 'octo/gates',
      headRepository: 'octo/gates',
      headBranch: 'topic',
      headSha: '1'.repeat(40),
      title: 'a change',
      actor: { login: 'octocat', isBot: false },
      pullRequests: [],
      use: 'all',
    });
    expect(service.calls.map(({ operation }) => operation)).toEqual(Array(2).fill('actions/get-workflow-run'));
  });

  it.each(['push', 'schedule', 'workflow_dispatch'])('may have been caused by %s', async (event) => {
    await using service = await startResultsService();
    addRuns(service, { event });
    expect(await check(service)).toMatchObject({ id: EARLIER, event });
  });

  it('has the same workflow file though an answer names its ref too', async () => {
    await using service = await startResultsService();
    addRuns(service, { path: '.github/workflows/gates.yml@refs/heads/topic' });
    expect(await check(service)).toMatchObject({ workflowPath: '.github/workflows/gates.yml' });
  });

  it.each<readonly [string, Partial<RunOptions>, string]>([
    ['of another workflow file', { path: '.github/workflows/other.yml' }, 'WORKFLOW'],
    ['of a file whose name goes on', { path: '.github/workflows/gates.yml.yml' }, 'WORKFLOW'],
    ['of a file in another place', { path: 'dynamic/gates.yml' }, 'WORKFLOW'],
    ['of a fork', { event: 'pull_request', headRepository: 'stranger/gates' }, 'FORK'],
    ['of a fork whose name begins like ours', { headRepository: 'octo/gates2' }, 'FORK'],
    ['of a fork that is gone', { event: 'pull_request', headRepository: '' }, 'FORK'],
    ['by pull_request_target', { event: 'pull_request_target' }, 'EVENT'],
    ['by a comment', { event: 'issue_comment' }, 'EVENT'],
    ['by another workflow', { event: 'workflow_run' }, 'EVENT'],
    ['by an event that nobody knows yet', { event: 'brand_new' }, 'EVENT'],
    ['that is at work', { status: 'in_progress', conclusion: null }, 'UNFINISHED'],
    ['that waits', { status: 'queued', conclusion: null }, 'UNFINISHED'],
  ])('%s is refused', async (_, about, code) => {
    await using service = await startResultsService();
    addRuns(service, about);
    const error = await refusalOf(check(service));
    expect(error).toMatchObject({ fault: 'user', code: `EARLIER_RUN_${code}` });
    expect(error.message).toContain(`Run ${EARLIER}`);
    expect(error.hint).toMatch(/\.$/);
  });

  it('of a fork is not even gone on from by a run of a fork that is gone too', async () => {
    await using service = await startResultsService();
    addRuns(service, { headRepository: '' }, { headRepository: '' });
    expect(await refusalOf(check(service))).toMatchObject({ code: 'EARLIER_RUN_FORK' });
  });

  it('of another repository is not there', async () => {
    await using service = await startResultsService();
    addRuns(service, { repository: 'octo/other' });
    expect(await refusalOf(check(service))).toMatchObject({ code: 'EARLIER_RUN_ABSENT' });
    expect(await refusalOf(check(service, 404))).toMatchObject({ code: 'EARLIER_RUN_ABSENT' });
  });

  it('of a repository that answers under our name, and says another, is refused', async () => {
    await using service = await startResultsService();
    addRuns(service);
    const rest = restClient(service);
    // As after a rename: the API leads on to whatever has the name now.
    const moved: RestClient = {
      ...rest,
      call: async (request, schema) => {
        const run = await rest.call(request, schema);
        return { ...run, repository: 'stranger/gates' };
      },
    };
    const refusal = refusalOf(checkEarlierRun(moved, { runId: EARLIER, currentRunId: CURRENT, current: ON_TOPIC }));
    expect(await refusal).toMatchObject({ code: 'EARLIER_RUN_REPOSITORY' });
  });

  it('is no run of its own', async () => {
    await using service = await startResultsService();
    addRuns(service);
    expect(await refusalOf(check(service, CURRENT))).toMatchObject({ code: 'EARLIER_RUN_ITSELF' });
    expect(service.calls).toEqual([]);
  });

  it('that may not be looked at, and one that GitHub does not tell of, are told apart', async () => {
    await using service = await startResultsService();
    addRuns(service);
    const token = service.issueToken({ repository: 'octo/gates', permissions: {} });
    expect(await refusalOf(check(service, EARLIER, token))).toMatchObject({ code: 'EARLIER_RUN_UNREADABLE' });
    service.faults.add({ times: Infinity, fault: { kind: 'truncate' } });
    expect(await refusalOf(check(service))).toMatchObject({ fault: 'platform', code: 'REST_OUTAGE' });
  });
});

describe('whose records a run takes', () => {
  const DEFAULT: CurrentRef = { ...ON_TOPIC, ref: 'refs/heads/main', refName: 'main' };
  const COMMENT: CurrentRef = { ...PULL, ref: 'refs/heads/main', refName: 'main' };
  const pull = (...pullRequests: number[]): Partial<RunOptions> => ({
    event: 'pull_request',
    headBranch: 'topic',
    pullRequests,
  });

  it.each<readonly [string, CurrentRef, Partial<RunOptions>]>([
    ['a branch of itself', ON_TOPIC, { headBranch: 'topic' }],
    ['a branch of the default branch', ON_TOPIC, { headBranch: 'main' }],
    ['the default branch of itself', DEFAULT, { headBranch: 'main' }],
    ['a pull request of its base', PULL, { headBranch: 'next' }],
    ['a pull request of the default branch', PULL, { headBranch: 'main' }],
    ['a pull request of itself', PULL, pull(7)],
    ['a pull request of itself, where GitHub names none', PULL, pull()],
    ['a pull request of itself, which shares its branch', PULL, pull(6, 7)],
  ])('%s', async (_, current, about) => {
    await using service = await startResultsService();
    addRuns(service, about);
    expect(await check(service, EARLIER, undefined, current)).toMatchObject({ id: EARLIER });
  });

  it.each<readonly [string, CurrentRef, Partial<RunOptions>, string]>([
    [
      'a branch of another',
      ON_TOPIC,
      { headBranch: 'other' },
      'is of "other"; this run takes records of "topic", "main" only',
    ],
    ['the default branch of another', DEFAULT, { headBranch: 'topic' }, 'records of "main" only'],
    ['a branch of its pull request', ON_TOPIC, pull(7), 'is of the pull request of #7, and this run is not'],
    ['the default branch of a pull request', DEFAULT, pull(7), 'is of the pull request of #7'],
    ['a pull request of another', PULL, pull(8), 'is of the pull request of #8'],
    ['a pull request of that of another branch', PULL, { ...pull(), headBranch: 'other' }, 'of the branch "other"'],
    ['a pull request of its own branch', PULL, { headBranch: 'topic' }, 'records of "next", "main" only'],
    ['a comment on a pull request of it', COMMENT, pull(7), 'is of the pull request of #7'],
  ])('not %s', async (_, current, about, message) => {
    await using service = await startResultsService();
    addRuns(service, about);
    const error = await refusalOf(check(service, EARLIER, undefined, current));
    expect(error).toMatchObject({ fault: 'user', code: 'EARLIER_RUN_REF' });
    expect(error.message).toContain(message);
  });
});

describe('a run that started this one', () => {
  const wait = (shownMs: number, told: string[] = []) => ({
    limits: { shownMs, pauseMs: 20, longestPauseMs: 40 },
    signal: new AbortController().signal,
    onWait: (message: string): void => void told.push(message),
  });

  it('is waited for until it ends, for a bounded time', async () => {
    await using service = await startResultsService();
    addRuns(service, { headBranch: 'topic', status: 'in_progress', conclusion: null });
    const told: string[] = [];
    const request = { runId: EARLIER, currentRunId: CURRENT, current: ON_TOPIC };
    const waiting = checkEarlierRun(restClient(service), { ...request, wait: wait(60_000, told) });
    await expect.poll(() => service.calls.length).toBeGreaterThan(3);
    service.addRun({ id: EARLIER, ...ENDED });
    expect(await waiting).toMatchObject({ id: EARLIER, status: 'completed' });
    expect(told).toEqual([`waiting until run ${EARLIER} ends`]);

    service.addRun({ id: EARLIER, status: 'in_progress', conclusion: null });
    const refused = await refusalOf(checkEarlierRun(restClient(service), { ...request, wait: wait(50) }));
    expect(refused.code).toBe('EARLIER_RUN_UNFINISHED');
  });

  it('may be one of the pull request that this run was started for, on its head branch', async () => {
    await using service = await startResultsService();
    addRuns(service, { headBranch: 'topic', event: 'pull_request', pullRequests: [7] });
    const refs = { ...ON_TOPIC, pullRequest: PULL.pullRequest };
    const dispatch = { resume: String(EARLIER), subject: 'pr-7', sender: undefined };
    expect(await check(service, EARLIER, undefined, { ...refs, dispatch })).toMatchObject({ id: EARLIER });
    expect(await refusalOf(check(service, EARLIER, undefined, refs))).toMatchObject({ code: 'EARLIER_RUN_REF' });
    service.addRun({ id: EARLIER, event: 'workflow_dispatch', pullRequests: [] });
    expect(await check(service, EARLIER, undefined, { ...refs, dispatch })).toMatchObject({ id: EARLIER });
  });
});
