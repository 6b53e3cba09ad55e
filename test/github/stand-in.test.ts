import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGithub, type Github } from '../support/github/github.ts';
import { countInSeries } from '../support/github/faults.ts';

const run = promisify(execFile);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateline-clients-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a module with GitHub's clients as a job's step; returns its last line as JSON. */
async function runClient(github: Github, script: string, runAttempt = 1): Promise<unknown> {
  const identity = { repository: 'octo/gates', runId: 7, runAttempt, job: 'gate' };
  const env = {
    PATH: process.env['PATH'],
    ACTIONS_CACHE_SERVICE_V2: 'True',
    ACTIONS_RESULTS_URL: `${github.origin}/`,
    ACTIONS_RUNTIME_TOKEN: github.mintRuntimeToken(identity),
    GITHUB_API_URL: github.origin,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_WORKSPACE: folder,
    RUNNER_TEMP: folder,
    TOKEN: github.issueToken({ repository: 'octo/gates' }),
  };
  const module = `process.chdir(process.env.RUNNER_TEMP);${script}process.exit();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', module], {
    cwd: import.meta.dirname,
    env,
  });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
}

const ARTIFACTS = `
import { DefaultArtifactClient } from '@actions/artifact';
import { readFileSync, writeFileSync } from 'node:fs';
const client = new DefaultArtifactClient();
writeFileSync('document.json', '{"a":1}');
const { id, digest } = await client.uploadArtifact('', ['document.json'], '.', { skipArchive: true });
const zip = await client.uploadArtifact('zip', ['document.json'], '.');
const taken = await client.uploadArtifact('zip', ['document.json'], '.').catch((error) => error.message);
const findBy = { token: process.env.TOKEN, workflowRunId: 7, repositoryOwner: 'octo', repositoryName: 'gates' };
const expectedHash = 'sha256:' + digest;
const internal = await client.downloadArtifact(id, { path: 'internal', skipDecompress: true, expectedHash });
await client.downloadArtifact(id, { path: 'rest', skipDecompress: true, findBy });
await client.downloadArtifact(zip.id, { path: 'unzipped' });
const names = async (options) => (await client.listArtifacts(options)).artifacts.map(({ name }) => name).toSorted();
const read = (place) => readFileSync(place + '/document.json', 'utf8');
console.log(JSON.stringify({ taken, internal: await names(), rest: await names({ findBy }), mismatch: internal.digestMismatch,
  content: [read('internal'), read('rest'), read('unzipped')] }));
`;

const LIST = `
import { DefaultArtifactClient } from '@actions/artifact';
const { artifacts } = await new DefaultArtifactClient().listArtifacts();
console.log(JSON.stringify(artifacts.map(({ name }) => name)));
`;

const CACHES = `
import { restoreCache, saveCache } from '@actions/cache';
import { writeFileSync } from 'node:fs';
writeFileSync('pointer', '');
const saved = await saveCache(['pointer'], 'gateline-1-abc-7-1-def');
console.log(JSON.stringify([saved > 0, await restoreCache(['pointer'], 'gateline-1-abc-', [], { lookupOnly: true }),
  await restoreCache(['pointer'], 'gateline-1-other-', [], { lookupOnly: true }) ?? null]));
`;

const OCTOKIT = `
import { getOctokit } from '@actions/github';
const { rest, graphql } = getOctokit(process.env.TOKEN);
const at = { owner: 'octo', repo: 'gates' };
const { data: comment } = await rest.issues.createComment({ ...at, issue_number: 4, body: 'one' });
await rest.issues.updateComment({ ...at, comment_id: comment.id, body: 'two' });
const { data: comments } = await rest.issues.listComments({ ...at, issue_number: 4 });
const { node } = await graphql('query($id: ID!) { node(id: $id) { ... on IssueComment { author { login } includesCreatedEdit createdViaEmail edited: lastEditedAt } } }', { id: comment.node_id });
const wrong = await graphql('{ node(id: "' + comment.node_id + '") { ... on IssueComment { minimised } } }').catch((error) => error.message);
const { data: { permission } } = await rest.repos.getCollaboratorPermissionLevel({ ...at, username: 'octocat' });
const missing = await rest.pulls.get({ ...at, pull_number: 9 }).catch((error) => error.status);
console.log(JSON.stringify({ bodies: comments.map(({ body, user }) => [body, user.login]), node: { ...node, edited: node.edited !== null }, wrong, permission, missing }));
`;

describe('the stand-in', () => {
  it.each(['run', 'attempt'] as const)('serves artifacts to the real client; a job sees its %s', async (mode) => {
    await using github = await startGithub({ mode });
    const { runs } = github.addRepository();
    const user = { login: 'octocat', id: 1, type: 'User', permission: 'write' } as const;
    runs.push({
      ...{
        id: 7,
        number: 1,
        path: '.github/workflows/a.yml',
        name: 'a',
        displayTitle: 'a',
        event: 'push',
        actor: user,
      },
      ...{
        headBranch: 'main',
        headSha: '',
        headRepository: 'octo/gates',
        pullRequests: [],
        createdAt: new Date(),
        attempts: [],
      },
    });
    const names = ['document.json', 'zip'];
    expect(await runClient(github, ARTIFACTS)).toEqual({
      taken: expect.stringContaining('already exists'),
      ...{ internal: names, rest: names, mismatch: false, content: ['{"a":1}', '{"a":1}', '{"a":1}'] },
    });
    expect(await runClient(github, LIST, 2)).toEqual(mode === 'run' ? names : []);
    expect(github.callsOf('GET /actions/runs/:id/artifacts')).toHaveLength(1);
    expect(countInSeries(github.calls)).toBeGreaterThan(10);
  });

  it('serves caches to the real client, by prefix and by scope', async () => {
    await using github = await startGithub();
    const { caches } = github.addRepository();
    expect(await runClient(github, CACHES)).toEqual([true, 'gateline-1-abc-7-1-def', null]);
    caches[0]!.scope = 'refs/pull/4/merge';
    expect(await runClient(github, CACHES)).toEqual([true, 'gateline-1-abc-7-1-def', null]);
    expect(caches.map(({ scope }) => scope)).toEqual(['refs/pull/4/merge', 'refs/heads/main']);
  });

  it('serves REST and GraphQL to Octokit, and refuses unknown fields', async () => {
    await using github = await startGithub();
    github.addRepository();
    expect(await runClient(github, OCTOKIT)).toEqual({
      bodies: [['two', 'github-actions[bot]']],
      node: { author: { login: 'github-actions' }, includesCreatedEdit: true, createdViaEmail: false, edited: true },
      wrong: expect.stringContaining("Field 'minimised' doesn't exist"),
      permission: 'write',
      missing: 404,
    });
  });

  it('lets a request fail as planned: lost acknowledgement, status, cut answer', async () => {
    await using github = await startGithub();
    github.addRepository();
    const headers = { authorization: `bearer ${github.issueToken({ repository: 'octo/gates' })}` };
    const get = async (): Promise<number | 'lost'> => {
      const url = `${github.origin}/repos/octo/gates/issues/4/comments`;
      const response = fetch(url, { method: 'POST', headers, body: '{"body":"a"}' });
      return response.then(async (answer) => (await answer.text(), answer.status)).catch(() => 'lost');
    };
    const faults = [
      github.fail({ route: /comments$/, fault: { kind: 'drop', done: true } }),
      github.fail({ route: /comments$/, nth: 2, fault: { kind: 'status', status: 503 } }),
      github.fail({ route: /comments$/, nth: 3, fault: { kind: 'truncate' } }),
    ];
    expect([await get(), await get(), await get(), await get()]).toEqual(['lost', 503, 'lost', 201]);
    expect(github.repository('octo/gates').comments).toHaveLength(3);
    expect(faults.map(({ hits }) => hits)).toEqual([1, 1, 1]);
  });
});
