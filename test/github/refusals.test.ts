import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startResultsService, type ResultsService } from '../support/github/results-service.ts';
import { backendIds } from '../support/github/runtime-token.ts';

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

describe('the service refuses', () => {
  async function ask(service: ResultsService, token: string, body: object, method = 'ListArtifacts'): Promise<number> {
    const path = `/twirp/github.actions.results.api.v1.ArtifactService/${method}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(service.origin + path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  }
  const idsOf = (run: number, job = 'build') => {
    const ids = backendIds({ run, attempt: 1, job });
    return { workflow_run_backend_id: ids.run, workflow_job_run_backend_id: ids.job };
  };

  it('a token that it did not sign, that has expired, or that is for another run or job', async () => {
    await using service = await startResultsService();
    const token = service.mintToken({ run: 1, job: 'build' });
    expect(await ask(service, token, idsOf(1))).toBe(200);
    expect(await ask(service, token, idsOf(2))).toBe(403);
    const upload = { ...idsOf(1, 'other'), name: 'value', version: 7 };
    expect(await ask(service, token, upload, 'CreateArtifact')).toBe(403);
    const [head, , signature] = token.split('.');
    const payload = service.mintToken({ run: 2, job: 'build' }).split('.')[1];
    expect(await ask(service, `${head}.${payload}.${signature}`, idsOf(2))).toBe(401);
    service.advance(7 * 60 * 60 * 1000);
    expect(await ask(service, token, idsOf(1))).toBe(401);
  });

  it('an address whose signature it did not give, or gave for something else', async () => {
    await using service = await startResultsService();
    const blob = 'artifacts/1.zip';
    service.world.blobs.put(blob, Buffer.from('0123456789'), 'application/zip', service.world.now());
    const grant = { blob, permission: 'read', caller: undefined, subject: 'value.json', headers: {} } as const;
    const address = service.origin + service.world.blobs.sign(grant);
    const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;
    expect(await status(address)).toBe(200);
    expect(await status(address.replace(blob, 'artifacts/2.zip'))).toBe(403);
    expect(await status(address.replace(/sig=./, 'sig=x'))).toBe(403);
    expect(await status(address, { method: 'PUT', body: 'x' })).toBe(403);
    const part = await fetch(address, { headers: { 'x-ms-range': 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234']);
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
    expect(await status(address, { headers: { range: 'bytes=10-' } })).toBe(416);
  });

  it.each([
    ['not-found', 404],
    ['accepted', 200],
  ] as const)('or accepts to finish an upload again: %s', async (finalizeAgain, status) => {
    await using service = await startResultsService({ finalizeAgain });
    const token = service.mintToken({ run: 1, job: 'build' });
    await ask(service, token, { ...idsOf(1), name: 'value', version: 7 }, 'CreateArtifact');
    const { blob } = service.world.artifacts[0]!;
    service.world.blobs.put(blob, Buffer.from('12'), 'text/plain', service.world.now());
    const told = { ...idsOf(1), name: 'value', size: '2', hash: `sha256:${sha256('12')}` };
    expect(await ask(service, token, { ...told, size: '3' }, 'FinalizeArtifact')).toBe(400);
    expect(await ask(service, token, told, 'FinalizeArtifact')).toBe(200);
    expect(await ask(service, token, told, 'FinalizeArtifact')).toBe(status);
  });

  it('more artifacts of a job than are allowed', async () => {
    await using service = await startResultsService({ artifactsPerJob: 1 });
    const token = service.mintToken({ run: 1, job: 'build' });
    const create = (name: string) => ask(service, token, { ...idsOf(1), name, version: 7 }, 'CreateArtifact');
    expect([await create('one'), await create('two'), await create('a:b')]).toEqual([200, 400, 400]);
  });
});
