import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { REPOSITORY, plainEnvironment } from '../support/command-line.ts';
import type { JobEnvironment } from '../support/github/job-environment.ts';
import { startResultsService } from '../support/github/results-service.ts';
import { Clients, endClients } from './clients.ts';

afterAll(endClients);

const ISSUE = { owner: 'octo', repo: 'gates', issue_number: 7 };
const SOON = { timeout: 30_000, interval: 20 };

/** Long enough that a call would have been answered; a slower machine only makes the check weaker. */
const QUIET = 300;

/** Arguments of an upload of one raw file. */
async function upload(job: JobEnvironment, content = '{"a":1}'): Promise<readonly unknown[]> {
  const path = join(job.workspace, 'value.json');
  await writeFile(path, content);
  return ['ignored', [path], job.workspace, { skipArchive: true }];
}

function findBy(job: JobEnvironment) {
  return { findBy: { token: job.token, workflowRunId: 1, repositoryOwner: 'octo', repositoryName: 'gates' } };
}

describe('a status', () => {
  it.each([
    [500, undefined],
    [503, undefined],
    [429, 1],
  ])('%i of the artifact service is tried again after 3 s, whatever retry-after says', async (status, retryAfter) => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    await using clients = Clients.alone(job.env);
    const fault = { kind: 'status', status, ...(retryAfter === undefined ? {} : { retryAfter }) } as const;
    service.faults.add({ operation: 'ListArtifacts', times: Infinity, fault });
    const listing = clients.begin('artifact.listArtifacts');
    await vi.waitFor(() => expect(clients.log).toContain('Retrying request in 3000 ms'), SOON);
    expect(clients.log).toContain(`(${status})`);
    expect(listing.isSettled()).toBe(false);
    expect(service.calls).toMatchObject([{ operation: 'ListArtifacts', status, fault: 'status' }]);
  });

  it('of 403 is final for artifacts', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    service.faults.add({ operation: 'CreateArtifact', fault: { kind: 'status', status: 403 } });
    const error = await clients.failure('artifact.uploadArtifact', ...(await upload(job)));
    expect(error.message).toContain('non-retryable error: Failed request: (403) Forbidden');
    expect(service.world.artifacts).toEqual([]);
  });

  it('of 429 ends a cache lookup at once', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const fault = { kind: 'status', status: 429, retryAfter: 7 } as const;
    service.faults.add({ operation: 'GetCacheEntryDownloadURL', fault });
    expect(await clients.call('cache.restoreCache', [job.workspace], 'key')).toBeUndefined();
    expect(clients.log).toContain('your rate limit will reset in 7 seconds');
    expect(service.calls).toHaveLength(1);
  });

  it('may come with a page instead of JSON, which the clients try again', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    await using clients = Clients.alone(job.env);
    service.faults.add({ times: Infinity, fault: { kind: 'status', status: 404, html: true } });
    clients.begin('cache.restoreCache', [job.workspace], 'key');
    await vi.waitFor(() => expect(clients.log).toMatch(/is not valid JSON. Retrying request in 3000 ms/), SOON);
  });

  it('of REST reaches the caller with its headers', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env, job.token);
    const message = 'You have exceeded a secondary rate limit';
    const fault = { kind: 'status', status: 403, retryAfter: 60, message } as const;
    service.faults.add({ operation: /^issues\//, fault });
    const error = await clients.failure('octokit.rest.issues.listComments', ISSUE);
    expect(error).toMatchObject({ status: 403, headers: { 'retry-after': '60' } });
    expect(error.message).toContain(message);
  });

  it('of a blob upload is tried again by the storage client, but for 403', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const refused = service.faults.add({ operation: 'PutBlock', fault: { kind: 'status', status: 403 } });
    expect((await clients.failure('artifact.uploadArtifact', ...(await upload(job)))).name).toBe('RestError');
    expect(refused.hits).toBe(1);
    service.world.artifacts.splice(0);
    service.faults.add({ operation: 'PutBlock', fault: { kind: 'status', status: 503 } });
    await clients.call('artifact.uploadArtifact', ...(await upload(job)));
    expect(service.callsOf('PutBlock').map(({ status }) => status)).toEqual([403, 503, 201]);
  });
});

describe('a lost connection', () => {
  it('is not tried again by the artifact client, carried out or not', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const fault = service.faults.add({ operation: 'CreateArtifact', fault: { kind: 'reset' } });
    const args = await upload(job);
    expect((await clients.failure('artifact.uploadArtifact', ...args)).message).toContain('ECONNRESET');
    expect({ ...fault, artifacts: service.world.artifacts.length }).toMatchObject({ hits: 1, artifacts: 0 });
    service.faults.add({ operation: 'CreateArtifact', fault: { kind: 'reset', carriedOut: true } });
    expect((await clients.failure('artifact.uploadArtifact', ...args)).message).toContain('ECONNRESET');
    expect((await clients.failure('artifact.uploadArtifact', ...args)).message).toContain('(409) Conflict');
  });

  it('after FinalizeArtifact leaves an artifact that its uploader knows nothing of', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    service.faults.add({ operation: 'FinalizeArtifact', fault: { kind: 'reset', carriedOut: true } });
    expect((await clients.failure('artifact.uploadArtifact', ...(await upload(job)))).message).toContain('ECONNRESET');
    expect(await clients.call('artifact.getArtifact', 'value.json')).toMatchObject({ artifact: { size: 7 } });
  });

  it('is a miss of a cache', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    service.faults.add({ operation: 'GetCacheEntryDownloadURL', fault: { kind: 'reset' } });
    expect(await clients.call('cache.restoreCache', [job.workspace], 'key')).toBeUndefined();
    expect(clients.log).toContain('::warning::Failed to restore:');
  });
});

describe('a call that is never answered', () => {
  it.each([
    ['ListArtifacts', 'artifact.listArtifacts', []],
    ['GetCacheEntryDownloadURL', 'cache.restoreCache', [['/none'], 'key']],
    ['issues/list-comments', 'octokit.rest.issues.listComments', [ISSUE]],
  ] as const)('%s hangs', async (operation, path, args) => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    await using clients = Clients.alone(job.env, job.token);
    service.faults.add({ operation, fault: { kind: 'hang' } });
    const call = clients.begin(path, ...args);
    await vi.waitFor(() => expect(service.callsOf(operation)).toHaveLength(1), SOON);
    await sleep(QUIET);
    expect(call.isSettled()).toBe(false);
    expect(service.calls).toMatchObject([{ status: undefined, fault: 'hang' }]);
  });
});

describe('half an answer', () => {
  /** Ends as an action ends whose event loop has run dry. */
  async function exitOf(
    job: JobEnvironment,
    code: string,
  ): Promise<{ readonly code: number; readonly stdout: string }> {
    const env = { ...plainEnvironment(), ...job.env };
    const args = ['--input-type=module', '-e', code];
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: REPOSITORY, env }, (error, stdout) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout });
      });
    });
  }

  const LIST = `const { DefaultArtifactClient } = await import('@actions/artifact'); await new DefaultArtifactClient().listArtifacts();`;
  const LOOKUP = `const { restoreCache } = await import('@actions/cache'); await restoreCache(['/none'], 'key');`;

  it.each([
    ['ListArtifacts', LIST],
    ['GetCacheEntryDownloadURL', LOOKUP],
  ])('to %s never settles: an action ends green, with nothing done', async (operation, work) => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const fault = service.faults.add({ operation, times: Infinity, fault: { kind: 'truncate' } });
    const main = `async function main() { ${work} console.log('do' + 'ne'); }`;
    const caught = await exitOf(job, `${main} main().catch(() => { process.exitCode = 1; });`);
    expect({ ...caught, stdout: caught.stdout.includes('done') }).toEqual({ code: 0, stdout: false });
    expect((await exitOf(job, `${main} await main();`)).code).toBe(13);
    expect(fault.hits).toBe(2);
  });

  it('of REST is no error to Octokit: status 200, and an empty text instead of the data', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env, job.token);
    await clients.call('octokit.rest.issues.createComment', { ...ISSUE, body: 'text' });
    service.faults.add({ operation: 'issues/list-comments', fault: { kind: 'truncate' } });
    const answer = await clients.call('octokit.rest.issues.listComments', ISSUE);
    expect(answer).toMatchObject({ status: 200, data: '' });
  });

  it('to an upload fails it, though the content arrived', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    service.faults.add({ operation: 'PutBlockList', fault: { kind: 'truncate' } });
    expect((await clients.failure('artifact.uploadArtifact', ...(await upload(job)))).name).toBe('RestError');
    expect(service.world.blobs.blobs.size).toBe(1);
    expect(service.callsOf('FinalizeArtifact')).toEqual([]);
  });

  it('to a download is waited for', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    await using clients = Clients.alone(job.env);
    const { id } = await clients.call('artifact.uploadArtifact', ...(await upload(job)));
    service.faults.add({ operation: 'GetBlob', fault: { kind: 'truncate' } });
    const download = clients.begin('artifact.downloadArtifact', id, { path: job.temp });
    await vi.waitFor(
      () => expect(service.callsOf('GetBlob')).toMatchObject([{ fault: 'truncate', status: 200 }]),
      SOON,
    );
    await sleep(QUIET);
    expect(download.isSettled()).toBe(false);
  });
});

describe('a wrong digest', () => {
  it('of a download is only told, beside the wrong file', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const { id, digest } = await clients.call('artifact.uploadArtifact', ...(await upload(job)));
    const options = { path: job.temp, expectedHash: `sha256:${digest}` };
    service.faults.add({ operation: 'GetBlob', fault: { kind: 'digest' } });
    expect(await clients.call('artifact.downloadArtifact', id, options)).toMatchObject({ digestMismatch: true });
    expect(await readFile(join(job.temp, 'value.json'), 'utf8')).not.toBe('{"a":1}');
    expect(await clients.call('artifact.downloadArtifact', id, options)).toMatchObject({ digestMismatch: false });
  });

  it('of an upload is in the listing, or in the content, and the uploader is not told', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    service.faults.add({ operation: 'FinalizeArtifact', fault: { kind: 'digest' } });
    const { id, digest } = await clients.call('artifact.uploadArtifact', ...(await upload(job)));
    const { artifact } = await clients.call('artifact.getArtifact', 'value.json');
    expect(artifact.digest).not.toBe(`sha256:${digest}`);
    service.world.artifacts.splice(0);
    service.faults.add({ operation: 'PutBlock', fault: { kind: 'digest' } });
    const second = await clients.call('artifact.uploadArtifact', ...(await upload(job)));
    expect(second).toMatchObject({ digest, size: 7 });
    const options = { path: job.temp, expectedHash: `sha256:${digest}` };
    expect(second.id).not.toBe(id);
    expect(await clients.call('artifact.downloadArtifact', second.id, options)).toMatchObject({ digestMismatch: true });
  });

  it('of a listing is in its answer alone', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const { digest } = await clients.call('artifact.uploadArtifact', ...(await upload(job)));
    for (const [operation, options] of [
      ['ListArtifacts', undefined],
      ['actions/list-workflow-run-artifacts', findBy(job)],
    ] as const) {
      service.faults.add({ operation, fault: { kind: 'digest' } });
      const told = async () => (await clients.call('artifact.listArtifacts', options)).artifacts[0].digest;
      expect(await told()).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(service.calls.at(-1)).toMatchObject({ operation, fault: 'digest' });
      expect(await told()).toBe(`sha256:${digest}`);
    }
  });
});
