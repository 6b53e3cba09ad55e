import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JobEnvironment } from '../support/github/job-environment.ts';
import { startResultsService } from '../support/github/results-service.ts';
import { Clients, endClients } from './clients.ts';

const DAY = 24 * 60 * 60 * 1000;

afterAll(endClients);

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

async function file(job: JobEnvironment, name: string, content: string | Buffer): Promise<string> {
  const path = join(job.workspace, name);
  await writeFile(path, content);
  return path;
}

/** Uploads a file as it is. */
async function uploadRaw(clients: Clients, job: JobEnvironment, name: string, content: string | Buffer = name) {
  const path = await file(job, name, content);
  return clients.call('artifact.uploadArtifact', 'ignored', [path], job.workspace, { skipArchive: true });
}

async function namesSeenBy(clients: Clients): Promise<string[]> {
  const { artifacts } = await clients.call('artifact.listArtifacts');
  return artifacts.map(({ name }: { name: string }) => name).toSorted();
}

/** What the REST half of the artifact client is told. */
const findBy = (token: string, workflowRunId: number) => ({
  findBy: { token, workflowRunId, repositoryOwner: 'octo', repositoryName: 'gates' },
});

/** The id by which the results service knows the run that a runtime token is for. */
function runIdIn(token: string): string {
  const { scp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { scp: string };
  return scp.split(':')[2]!;
}

describe('an artifact in a zip', () => {
  it('is uploaded, listed, found by name, downloaded and deleted', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const path = await file(job, 'value.json', '{"a":1}');
    const uploaded = await clients.call('artifact.uploadArtifact', 'value', [path], job.workspace);
    expect(uploaded).toMatchObject({ id: expect.any(Number), digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const digest = `sha256:${uploaded.digest}`;
    const described = { name: 'value', id: uploaded.id, size: uploaded.size, digest, createdAt: expect.any(Date) };
    expect(await clients.call('artifact.listArtifacts')).toEqual({ artifacts: [described] });
    expect(await clients.call('artifact.getArtifact', 'value')).toEqual({ artifact: described });
    const folder = join(job.temp, 'got');
    const download = { path: folder, expectedHash: digest };
    const got = await clients.call('artifact.downloadArtifact', uploaded.id, download);
    expect(got).toEqual({ downloadPath: folder, digestMismatch: false });
    expect(await readFile(join(folder, 'value.json'), 'utf8')).toBe('{"a":1}');
    expect(await clients.call('artifact.deleteArtifact', 'value')).toEqual({ id: uploaded.id });
    expect(await namesSeenBy(clients)).toEqual([]);
  });

  it('may be larger than one block', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const content = Buffer.alloc(20 * 1024 * 1024, 'gates ');
    const { id, digest, size } = await uploadRaw(clients, job, 'large.bin', content);
    expect({ digest, size }).toEqual({ digest: sha256(content), size: content.length });
    expect(service.callsOf('PutBlock').length).toBeGreaterThan(1);
    expect(service.callsOf('PutBlockList')).toHaveLength(1);
    const download = { path: job.temp, expectedHash: `sha256:${digest}` };
    expect(await clients.call('artifact.downloadArtifact', id, download)).toMatchObject({ digestMismatch: false });
    expect(sha256(await readFile(join(job.temp, 'large.bin')))).toBe(digest);
  });
});

describe('an artifact as it is', () => {
  it('keeps the name, the type and the digest of its file', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const { id, digest } = await uploadRaw(clients, job, 'value.json', '{"a":1}');
    expect(digest).toBe(sha256('{"a":1}'));
    expect(service.world.artifacts[0]).toMatchObject({ name: 'value.json', mimeType: 'application/json' });
    await clients.call('artifact.downloadArtifact', id, { path: job.temp });
    expect(await readFile(join(job.temp, 'value.json'), 'utf8')).toBe('{"a":1}');
  });

  it('can be refused by the service', async () => {
    await using service = await startResultsService({ rawUploads: 'refused' });
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const path = await file(job, 'value.json', '{}');
    const args = ['ignored', [path], job.workspace, { skipArchive: true }] as const;
    const error = await clients.failure('artifact.uploadArtifact', ...args);
    expect(error.message).toContain('(400) Bad Request: unknown field "mime_type"');
    await clients.call('artifact.uploadArtifact', 'value', [path], job.workspace);
    expect(await namesSeenBy(clients)).toEqual(['value']);
  });
});

describe('a name', () => {
  it('is taken once in a run, by whichever job, and free again after a deletion, with another id', async () => {
    await using service = await startResultsService();
    await using one = await service.environmentFor({ run: 1, job: 'one' });
    await using two = await service.environmentFor({ run: 1, job: 'two' });
    const clients = new Clients(one.env);
    const others = new Clients(two.env);
    const { id } = await uploadRaw(clients, one, 'value.json');
    const path = await file(two, 'value.json', 'other');
    const args = ['value', [path], two.workspace, { skipArchive: true }] as const;
    const error = await others.failure('artifact.uploadArtifact', ...args);
    expect(error.message).toContain('(409) Conflict: an artifact with this name already exists on the workflow run');
    await others.call('artifact.deleteArtifact', 'value.json');
    expect((await uploadRaw(others, two, 'value.json')).id).not.toBe(id);
  });

  it.each([
    ['conflict', 409],
    ['allowed', 200],
  ] as const)('of an earlier attempt: %s', async (sameNameOnRerun, status) => {
    await using service = await startResultsService({ sameNameOnRerun });
    await using first = await service.environmentFor({ run: 1, attempt: 1, job: 'build' });
    await using second = await service.environmentFor({ run: 1, attempt: 2, job: 'build' });
    const clients = new Clients(first.env);
    const later = new Clients(second.env);
    await uploadRaw(clients, first, 'value.json');
    await uploadRaw(later, second, 'value.json').catch(() => undefined);
    expect(service.callsOf('CreateArtifact').map((call) => call.status)).toEqual([200, status]);
  });

  it('of an upload that was never finished is taken, and seen by nobody', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    service.faults.add({ operation: 'FinalizeArtifact', fault: { kind: 'status', status: 403 } });
    const path = await file(job, 'value.json', '{}');
    const args = ['value', [path], job.workspace, { skipArchive: true }] as const;
    expect((await clients.failure('artifact.uploadArtifact', ...args)).message).toContain('(403) Forbidden');
    expect(await namesSeenBy(clients)).toEqual([]);
    expect((await clients.failure('artifact.uploadArtifact', ...args)).message).toContain('(409) Conflict');
  });
});

describe('a job sees', () => {
  it.each([
    ['visible', ['1.json', '2.json'], 2],
    ['rest-only', ['2.json'], 2],
    ['hidden', ['2.json'], 1],
  ] as const)('artifacts of earlier attempts: %s', async (earlierAttempts, seen, overRest) => {
    await using service = await startResultsService({ earlierAttempts });
    await using first = await service.environmentFor({ run: 1, attempt: 1, job: 'build' });
    await using second = await service.environmentFor({ run: 1, attempt: 2, job: 'build' });
    const clients = new Clients(first.env);
    const later = new Clients(second.env);
    await uploadRaw(clients, first, '1.json');
    await uploadRaw(later, second, '2.json');
    expect(await namesSeenBy(clients)).toEqual(['1.json']);
    expect(await namesSeenBy(later)).toEqual(seen);
    const { artifacts } = await later.call('artifact.listArtifacts', findBy(second.token, 1));
    expect(artifacts).toHaveLength(overRest);
  });

  it.each(['per-run', 'per-attempt'] as const)(
    'and downloads artifacts of earlier attempts, by the ids that the listing tells: ids %s',
    async (backendIds) => {
      await using service = await startResultsService({ backendIds });
      await using first = await service.environmentFor({ run: 1, attempt: 1, job: 'build' });
      await using second = await service.environmentFor({ run: 1, attempt: 2, job: 'test' });
      const { id } = await uploadRaw(new Clients(first.env), first, '1.json', '{"a":1}');
      await new Clients(second.env).call('artifact.downloadArtifact', id, { path: second.temp });
      expect(await readFile(join(second.temp, '1.json'), 'utf8')).toBe('{"a":1}');
      const ids = [first, second].map(({ env }) => runIdIn(env['ACTIONS_RUNTIME_TOKEN']!));
      expect(new Set(ids).size).toBe(backendIds === 'per-run' ? 1 : 2);
    },
  );

  it('what other jobs uploaded only after a while, where the service is slow to show it', async () => {
    await using service = await startResultsService({ shownAfter: 60_000 });
    await using one = await service.environmentFor({ run: 1, job: 'one' });
    await using two = await service.environmentFor({ run: 1, job: 'two' });
    const clients = new Clients(one.env);
    const others = new Clients(two.env);
    await uploadRaw(clients, one, 'value.json');
    const overRest = async () => (await others.call('artifact.listArtifacts', findBy(two.token, 1))).artifacts.length;
    expect(await namesSeenBy(clients)).toEqual(['value.json']);
    expect([await namesSeenBy(others), await overRest()]).toEqual([[], 0]);
    service.advance(60_000);
    expect([await namesSeenBy(others), await overRest()]).toEqual([['value.json'], 1]);
  });

  it('another run only over REST, with a token that may read actions', async () => {
    await using service = await startResultsService();
    await using one = await service.environmentFor({ run: 1, job: 'build' });
    await using two = await service.environmentFor({ run: 2, job: 'build' });
    const clients = new Clients(one.env);
    const others = new Clients(two.env);
    const { id, digest } = await uploadRaw(clients, one, 'value.json', '{"a":1}');
    expect(await namesSeenBy(others)).toEqual([]);
    expect((await others.failure('artifact.downloadArtifact', id)).name).toBe('ArtifactNotFoundError');
    const options = findBy(two.token, 1);
    const described = { name: 'value.json', id, digest: `sha256:${digest}` };
    expect(await others.call('artifact.listArtifacts', options)).toMatchObject({ artifacts: [described] });
    expect(await others.call('artifact.getArtifact', 'value.json', options)).toMatchObject({ artifact: described });
    const download = { ...options, path: two.temp, expectedHash: `sha256:${digest}` };
    expect(await others.call('artifact.downloadArtifact', id, download)).toMatchObject({ digestMismatch: false });
    expect(await readFile(join(two.temp, 'value.json'), 'utf8')).toBe('{"a":1}');
    const unread = service.issueToken({ repository: 'octo/gates', permissions: { contents: 'read' } });
    const denied = await others.failure('artifact.listArtifacts', findBy(unread, 1));
    expect(denied).toMatchObject({ status: 403, message: expect.stringContaining('not accessible by integration') });
    const writing = service.issueToken({ repository: 'octo/gates', permissions: { actions: 'write' } });
    expect(await others.call('artifact.deleteArtifact', 'value.json', findBy(writing, 1))).toEqual({ id });
  });

  it('the highest id as the latest, which need not be the newest', async () => {
    await using service = await startResultsService({ artifactIds: 'falling', sameNameOnRerun: 'allowed' });
    await using first = await service.environmentFor({ run: 1, attempt: 1, job: 'build' });
    await using second = await service.environmentFor({ run: 1, attempt: 2, job: 'build' });
    const clients = new Clients(first.env);
    const later = new Clients(second.env);
    const older = await uploadRaw(clients, first, 'value.json', 'old');
    await uploadRaw(later, second, 'value.json', 'new');
    const { artifacts } = await later.call('artifact.listArtifacts', { latest: true });
    expect(artifacts).toMatchObject([{ id: older.id, digest: `sha256:${sha256('old')}` }]);
  });

  it('no more than the limit of a listing', async () => {
    await using service = await startResultsService({ listingLimit: 2 });
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    for (const name of ['1.json', '2.json', '3.json']) await uploadRaw(clients, job, name);
    expect(await namesSeenBy(clients)).toHaveLength(2);
    const { artifacts } = await clients.call('artifact.listArtifacts', findBy(job.token, 1));
    expect(artifacts).toHaveLength(3);
  });
});

describe('an artifact', () => {
  it('is kept as long as its upload says, but no longer than the repository allows', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build', retentionDays: 5 });
    const clients = new Clients(job.env);
    const path = await file(job, 'value.json', '{}');
    const options = { skipArchive: true, retentionDays: 30 };
    const { id } = await clients.call('artifact.uploadArtifact', 'value', [path], job.workspace, options);
    expect(clients.log).toContain('Using 5 instead');
    const { createdAt, expiresAt } = service.world.artifacts[0]!;
    expect(Math.round((expiresAt.getTime() - createdAt.getTime()) / DAY)).toBe(5);
    service.advance(6 * DAY);
    await using second = await service.environmentFor({ run: 1, job: 'second' });
    const later = new Clients(second.env, second.token);
    expect(await namesSeenBy(later)).toEqual([]);
    const where = { owner: 'octo', repo: 'gates' };
    const listed = await later.call('octokit.rest.actions.listArtifactsForRepo', { ...where, name: 'value.json' });
    expect(listed.data).toMatchObject({ total_count: 1, artifacts: [{ id, expired: true, workflow_run: { id: 1 } }] });
    const request = { ...where, artifact_id: id, archive_format: 'zip' };
    expect((await later.failure('octokit.rest.actions.downloadArtifact', request)).status).toBe(410);
  });

  it('that another one was put in the place of is told by its digest', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'build' });
    const clients = new Clients(job.env);
    const { id, digest } = await uploadRaw(clients, job, 'value.json', '{"a":1}');
    expect(service.world.blobs.corrupt(service.world.artifacts[0]!.blob)).toBe(true);
    const download = { path: job.temp, expectedHash: `sha256:${digest}` };
    expect(await clients.call('artifact.downloadArtifact', id, download)).toMatchObject({ digestMismatch: true });
    expect(await readFile(join(job.temp, 'value.json'), 'utf8')).not.toBe('{"a":1}');
  });
});
