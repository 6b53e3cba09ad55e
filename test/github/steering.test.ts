import { afterAll, describe, expect, it } from 'vitest';
import { startResultsService } from '../support/github/results-service.ts';
import { Clients, endClients } from './clients.ts';

afterAll(endClients);

const REPOSITORY = { owner: 'octo', repo: 'gates' };
const WORKFLOW = { ...REPOSITORY, workflow_id: 'gates.yml' };
const SHA = 'a'.repeat(40);
const START = 'octokit.rest.actions.createWorkflowDispatch';

async function withWorkflow(permissions: Record<string, 'read' | 'write'>, inputs: string[] | undefined = ['resume']) {
  const service = await startResultsService();
  const job = await service.environmentFor({ run: 1, job: 'report', permissions });
  service.world.heads.set('main', SHA);
  const path = '.github/workflows/gates.yml';
  service.world.workflows.set(path, { path, inputs, titleOf: (given) => `resumes ${given['resume']}` });
  const clients = new Clients(job.env, job.token);
  return { service, clients, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

describe('a workflow that is started over REST', () => {
  it('is a run with its title, on the commit of the branch, by whoever the token acts as', async () => {
    await using world = await withWorkflow({ actions: 'write' });
    const { clients } = world;
    expect((await clients.call(START, { ...WORKFLOW, ref: 'main', inputs: { resume: '1' } })).status).toBe(204);
    const asked = { ...WORKFLOW, event: 'workflow_dispatch', branch: 'main' };
    const { data } = await clients.call('octokit.rest.actions.listWorkflowRuns', asked);
    expect(data.workflow_runs).toMatchObject([
      { display_title: 'resumes 1', head_sha: SHA, status: 'queued', actor: { login: 'github-actions[bot]' } },
    ]);
  });

  it.each([
    ['whose trigger is missing', undefined, 'main', /does not have 'workflow_dispatch' trigger/],
    ['without such an input', ['other'], 'main', /Unexpected inputs provided: \["resume"\]/],
    ['on a branch that is gone', ['resume'], 'gone', /No ref found for: gone/],
  ])('is refused %s', async (_, inputs, ref, message) => {
    await using world = await withWorkflow({ actions: 'write' }, inputs);
    if (inputs === undefined) {
      const path = '.github/workflows/gates.yml';
      world.service.world.workflows.set(path, { path, inputs, titleOf: () => '' });
    }
    const failure = await world.clients.failure(START, { ...WORKFLOW, ref, inputs: { resume: '1' } });
    expect(failure).toMatchObject({ status: 422, message: expect.stringMatching(message) as string });
  });

  it('needs `actions: write`', async () => {
    await using world = await withWorkflow({ actions: 'read' });
    const failure = await world.clients.failure(START, { ...WORKFLOW, ref: 'main', inputs: {} });
    expect(failure.status).toBe(403);
  });
});

describe('a commit', () => {
  it('is what a branch is at, and has the statuses that a token with `statuses: write` gave it', async () => {
    await using world = await withWorkflow({ contents: 'read', statuses: 'write' });
    const { clients, service } = world;
    const { data } = await clients.call('octokit.rest.git.getRef', { ...REPOSITORY, ref: 'heads/main' });
    expect(data.object.sha).toBe(SHA);
    const status = { ...REPOSITORY, sha: SHA, state: 'success', context: 'gateline/web', description: 'done' };
    await clients.call('octokit.rest.repos.createCommitStatus', status);
    expect(service.world.statuses).toMatchObject([{ sha: SHA, state: 'success', context: 'gateline/web' }]);
    const other = new Clients(
      { ...(await service.environmentFor({ run: 2, job: 'gate' })).env },
      service.issueToken({ repository: 'octo/gates', permissions: { statuses: 'read' } }),
    );
    expect((await other.failure('octokit.rest.repos.createCommitStatus', status)).status).toBe(403);
  });

  it('is the head of a pull request', async () => {
    await using world = await withWorkflow({ 'pull-requests': 'read' });
    const head = { ref: 'feature', sha: SHA, repository: 'octo/gates' };
    world.service.world.pulls.push({ number: 7, state: 'open', head, base: { ref: 'main', sha: SHA } });
    const { data } = await world.clients.call('octokit.rest.pulls.get', { ...REPOSITORY, pull_number: 7 });
    expect(data.head).toMatchObject({ ref: 'feature', sha: SHA, repo: { full_name: 'octo/gates' } });
  });
});
