import { afterAll, describe, expect, it } from 'vitest';
import { startResultsService } from '../support/github/results-service.ts';
import { Clients, endClients } from './clients.ts';

afterAll(endClients);

const REPOSITORY = { owner: 'octo', repo: 'gates' };
const ISSUE = { ...REPOSITORY, issue_number: 7 };

describe('comments', () => {
  it('are listed page by page, oldest first', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'report' });
    const clients = new Clients(job.env, job.token);
    const bodies = Array.from({ length: 65 }, (_, index) => `comment ${index}`);
    for (const body of bodies) await clients.call('octokit.rest.issues.createComment', { ...ISSUE, body });
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const all = await clients.call('octokit.paginate', route, { ...ISSUE, per_page: 30 });
    expect(all.map(({ body }: { body: string }) => body)).toEqual(bodies);
    expect(service.callsOf('issues/list-comments')).toHaveLength(3);
    const page = await clients.call('octokit.rest.issues.listComments', { ...ISSUE, page: 2 });
    expect(page.data).toHaveLength(30);
    expect(page.headers.link.match(/rel="\w+"/g)).toEqual(['rel="prev"', 'rel="next"', 'rel="last"', 'rel="first"']);
    const elsewhere = await clients.call('octokit.rest.issues.listComments', { ...ISSUE, issue_number: 8 });
    expect(elsewhere.data).toEqual([]);
  });

  it('have the author that the token acts as, and can be changed and deleted', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'report' });
    const identity = { login: 'octocat', id: 583_231, type: 'User' } as const;
    const token = service.issueToken({ repository: 'octo/gates', permissions: { issues: 'write' }, identity });
    const bot = new Clients(job.env, job.token);
    const person = new Clients(job.env, token);
    const { data: first } = await bot.call('octokit.rest.issues.createComment', { ...ISSUE, body: 'one' });
    const { data: second } = await person.call('octokit.rest.issues.createComment', { ...ISSUE, body: 'two' });
    expect(first.user).toMatchObject({ login: 'github-actions[bot]', type: 'Bot' });
    expect(second.user).toMatchObject({ login: 'octocat', type: 'User' });
    expect(second.id).toBeGreaterThan(first.id);
    await bot.call('octokit.rest.issues.updateComment', { ...REPOSITORY, comment_id: second.id, body: 'changed' });
    const changed = await person.call('octokit.rest.issues.getComment', { ...REPOSITORY, comment_id: second.id });
    expect(changed.data).toMatchObject({ body: 'changed', user: { login: 'octocat' } });
    const gone = { ...REPOSITORY, comment_id: first.id };
    expect((await bot.call('octokit.rest.issues.deleteComment', gone)).status).toBe(204);
    expect((await bot.failure('octokit.rest.issues.updateComment', { ...gone, body: 'x' })).status).toBe(404);
  });

  it('may have 65,536 characters', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'report' });
    const clients = new Clients(job.env, job.token);
    const comment = (length: number) => ({ ...ISSUE, body: 'ü'.repeat(length) });
    expect((await clients.call('octokit.rest.issues.createComment', comment(65_536))).status).toBe(201);
    expect((await clients.failure('octokit.rest.issues.createComment', comment(65_537))).status).toBe(422);
  });
});

describe('a token', () => {
  it.each([403, 404] as const)('that may only read is told %i', async (deniedAs) => {
    await using service = await startResultsService({ deniedAs });
    await using job = await service.environmentFor({ run: 1, job: 'a', permissions: { 'pull-requests': 'read' } });
    const clients = new Clients(job.env, job.token);
    expect((await clients.call('octokit.rest.issues.listComments', ISSUE)).data).toEqual([]);
    const error = await clients.failure('octokit.rest.issues.createComment', { ...ISSUE, body: 'x' });
    const message = deniedAs === 403 ? 'Resource not accessible by integration' : 'Not Found';
    expect(error).toMatchObject({ status: deniedAs, message: expect.stringContaining(message) });
    expect(service.world.comments).toEqual([]);
  });

  it('that nobody issued, or for another repository, opens nothing', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'a' });
    const other = service.issueToken({ repository: 'octo/other', permissions: { issues: 'write' } });
    const stranger = new Clients(job.env, 'ghs_none');
    const neighbour = new Clients(job.env, other);
    expect((await stranger.failure('octokit.rest.issues.listComments', ISSUE)).status).toBe(401);
    expect((await neighbour.failure('octokit.rest.issues.listComments', ISSUE)).status).toBe(404);
  });

  it('is told how many requests are left, and refused when there are none', async () => {
    await using service = await startResultsService({ restLimit: 2 });
    await using job = await service.environmentFor({ run: 1, job: 'a' });
    const clients = new Clients(job.env, job.token);
    const left = async () => (await clients.call('octokit.rest.issues.listComments', ISSUE)).headers;
    expect((await left())['x-ratelimit-remaining']).toBe('1');
    expect((await left())['x-ratelimit-remaining']).toBe('0');
    const error = await clients.failure('octokit.rest.issues.listComments', ISSUE);
    expect(error).toMatchObject({ status: 403, headers: { 'x-ratelimit-remaining': '0' } });
    expect(error.message).toContain('API rate limit exceeded');
  });
});

describe('runs', () => {
  it('tell their event, their origin, their workflow and their attempts', async () => {
    await using service = await startResultsService();
    const about = { event: 'pull_request', headBranch: 'topic', headRepository: 'stranger/gates' };
    await using first = await service.environmentFor({ run: 5, attempt: 1, job: 'build', about });
    Object.assign(first.job, { status: 'completed', conclusion: 'failure', completedAt: service.world.now() });
    await using second = await service.environmentFor({ run: 5, attempt: 2, job: 'build' });
    const clients = new Clients(second.env, second.token);
    const run = { ...REPOSITORY, run_id: 5 };
    expect((await clients.call('octokit.rest.actions.getWorkflowRun', run)).data).toMatchObject({
      id: 5,
      run_attempt: 2,
      event: 'pull_request',
      head_branch: 'topic',
      head_repository: { full_name: 'stranger/gates' },
      path: '.github/workflows/gates.yml',
      conclusion: null,
    });
    const attempt = { ...run, attempt_number: 1 };
    const before = await clients.call('octokit.rest.actions.getWorkflowRunAttempt', attempt);
    expect(before.data).toMatchObject({ run_attempt: 1, conclusion: 'failure' });
    const jobs = await clients.call('octokit.rest.actions.listJobsForWorkflowRunAttempt', attempt);
    expect(jobs.data).toMatchObject({
      total_count: 1,
      jobs: [{ name: 'build', run_attempt: 1, conclusion: 'failure' }],
    });
    const newest = await clients.call('octokit.rest.actions.listJobsForWorkflowRun', run);
    expect(newest.data).toMatchObject({ total_count: 1, jobs: [{ run_attempt: 2, conclusion: null }] });
    const none = { ...REPOSITORY, run_id: 6 };
    expect((await clients.failure('octokit.rest.actions.getWorkflowRun', none)).status).toBe(404);
  });

  it('are listed by workflow, branch and conclusion, the newest first', async () => {
    await using service = await startResultsService();
    for (const id of [1, 2, 3]) service.addRun({ id, status: 'completed', conclusion: 'success' });
    service.addRun({ id: 4, path: '.github/workflows/other.yml' });
    service.addRun({ id: 5, headBranch: 'topic' });
    await using job = await service.environmentFor({ run: 6, job: 'build' });
    const clients = new Clients(job.env, job.token);
    const list = async (more: object) => {
      const request = { ...REPOSITORY, workflow_id: 'gates.yml', ...more };
      const { data } = await clients.call('octokit.rest.actions.listWorkflowRuns', request);
      return data.workflow_runs.map(({ id }: { id: number }) => id);
    };
    expect(await list({})).toEqual([6, 5, 3, 2, 1]);
    expect(await list({ branch: 'topic' })).toEqual([5]);
    expect(await list({ status: 'success', per_page: 2 })).toEqual([3, 2]);
    expect(await list({ workflow_id: 'other.yml' })).toEqual([4]);
  });
});

describe('cache entries', () => {
  it('are listed by prefix and last use, and removed by id', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'clean', permissions: { actions: 'write' } });
    const clients = new Clients(job.env, job.token);
    for (const [id, key] of ['gateline-a', 'gateline-b', 'npm'].entries()) {
      const at = new Date(Date.now() + id * 1_000);
      const place = {
        repository: 'octo/gates',
        version: '0'.repeat(64),
        scope: 'refs/heads/main',
        blob: `caches/${id}`,
      };
      service.world.caches.push({ id, key, ...place, createdAt: at, usedAt: at, finalized: true });
    }
    const asked = { ...REPOSITORY, key: 'gateline-', sort: 'last_accessed_at', direction: 'asc' };
    const list = async (): Promise<string[]> => {
      const { data } = await clients.call('octokit.rest.actions.getActionsCacheList', asked);
      return data.actions_caches.map(({ key, ref }: { key: string; ref: string }) => `${key} ${ref}`);
    };
    expect(await list()).toEqual(['gateline-a refs/heads/main', 'gateline-b refs/heads/main']);
    const gone = { ...REPOSITORY, cache_id: 0 };
    expect((await clients.call('octokit.rest.actions.deleteActionsCacheById', gone)).status).toBe(204);
    expect(await list()).toEqual(['gateline-b refs/heads/main']);
    expect((await clients.failure('octokit.rest.actions.deleteActionsCacheById', gone)).status).toBe(404);
  });
});
