import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startResultsService } from '/work/main/test/support/github/results-service.ts';
import { Clients } from '/work/main/test/github/clients.ts';
await using service = await startResultsService();
const observe = async (title: string, fault: any, path: string, more: (job: any) => unknown[], wait = 12000) => {
  service.faults.clear();
  const run = 100 + service.world.runs.size;
  await using job = await service.environmentFor({ run, job: 'j', workspace: '/tmp/explore-ws' });
  await using clients = Clients.alone(job.env, job.token);
  const id = service.world.artifacts[0]?.id;
  await clients.call('artifact.listArtifacts');
  service.faults.add(fault);
  const before = service.calls.length;
  const began = Date.now();
  const r: any = await Promise.race([clients.call(path, ...more(job)).then((v) => ['value', v], (e) => ['error', e.name, e.message]), sleep(wait, ['pending'])]);
  console.log('##', title, Date.now() - began, JSON.stringify(r)?.slice(0, 300), service.calls.slice(before).map((c) => `${c.operation}:${c.status}:${c.fault ?? ''}`).join(' '));
  console.log(clients.log.split('\n').filter((l) => /fail|retry|warn|attempt/i.test(l)).slice(-4).join('\n'));
};
const { mkdir } = await import('node:fs/promises');
await mkdir('/tmp/explore-ws', { recursive: true });
await writeFile('/tmp/explore-ws/v.json', '{"a":1}');
const up = () => ['v', ['/tmp/explore-ws/v.json'], '/tmp/explore-ws', { skipArchive: true }];
const save = () => [['/tmp/explore-ws/v.json'], 'key' + Math.random()];
const f = (operation: string, fault: any) => ({ operation, fault, times: 1 });
const which = process.argv[2];
const all: Record<string, () => Promise<void>> = {
  a: () => observe('PutBlock truncate', f('PutBlock', { kind: 'truncate' }), 'artifact.uploadArtifact', up),
  b: () => observe('PutBlock 503', f('PutBlock', { kind: 'status', status: 503 }), 'artifact.uploadArtifact', up),
  c: () => observe('PutBlock 403', f('PutBlock', { kind: 'status', status: 403 }), 'artifact.uploadArtifact', up),
  d: () => observe('PutBlock reset', f('PutBlock', { kind: 'reset' }), 'artifact.uploadArtifact', up),
  e: () => observe('PutBlobList digest', f('PutBlock', { kind: 'digest' }), 'artifact.uploadArtifact', up),
  f: () => observe('Finalize reset', f('FinalizeArtifact', { kind: 'reset', carriedOut: true }), 'artifact.uploadArtifact', up),
  g: () => observe('Finalize 500 carried', f('FinalizeArtifact', { kind: 'status', status: 500, carriedOut: true }), 'artifact.uploadArtifact', up),
  h: () => observe('Create 500 carried', f('CreateArtifact', { kind: 'status', status: 500, carriedOut: true }), 'artifact.uploadArtifact', up),
  i: () => observe('PutBlob 403', f('PutBlob', { kind: 'status', status: 403 }), 'cache.saveCache', save),
  j: () => observe('PutBlob truncate', f('PutBlob', { kind: 'truncate' }), 'cache.saveCache', save),
  k: () => observe('lookup 429', f('GetCacheEntryDownloadURL', { kind: 'status', status: 429, retryAfter: 7 }), 'cache.restoreCache', () => [['/tmp/x'], 'k']),
  l: () => observe('lookup reset', f('GetCacheEntryDownloadURL', { kind: 'reset' }), 'cache.restoreCache', () => [['/tmp/x'], 'k']),
  m: () => observe('lookup html 404', f('GetCacheEntryDownloadURL', { kind: 'status', status: 404, html: true }), 'cache.restoreCache', () => [['/tmp/x'], 'k'], 4000),
  n: () => observe('comments truncate', f('issues/list-comments', { kind: 'truncate' }), 'octokit.rest.issues.listComments', () => [{ owner: 'octo', repo: 'gates', issue_number: 1 }]),
  o: () => observe('comments reset', f('issues/list-comments', { kind: 'reset' }), 'octokit.rest.issues.listComments', () => [{ owner: 'octo', repo: 'gates', issue_number: 1 }]),
  p: () => observe('comments 429', f('issues/list-comments', { kind: 'status', status: 429, retryAfter: 3 }), 'octokit.rest.issues.listComments', () => [{ owner: 'octo', repo: 'gates', issue_number: 1 }]),
  q: () => observe('list 429', f('ListArtifacts', { kind: 'status', status: 429, retryAfter: 1 }), 'artifact.listArtifacts', () => []),
  r: () => observe('list reset', f('ListArtifacts', { kind: 'reset' }), 'artifact.listArtifacts', () => []),
  s: () => observe('list truncate', f('ListArtifacts', { kind: 'truncate' }), 'artifact.listArtifacts', () => [], 5000),
  t: async () => {
    await observe('upload', f('none', {kind:'hang'}), 'artifact.uploadArtifact', up);
    const a = service.world.artifacts[0]!;
    const dl = (job: any) => [a.id, { path: job.temp, findBy: { token: job.token, workflowRunId: a.run, repositoryOwner: 'octo', repositoryName: 'gates' } }];
    await observe('GetBlob 500', f('GetBlob', { kind: 'status', status: 500 }), 'artifact.downloadArtifact', dl);
    await observe('GetBlob reset', f('GetBlob', { kind: 'reset' }), 'artifact.downloadArtifact', dl);
    await observe('GetBlob 403', f('GetBlob', { kind: 'status', status: 403 }), 'artifact.downloadArtifact', dl);
    await observe('GetBlob trunc', f('GetBlob', { kind: 'truncate' }), 'artifact.downloadArtifact', dl, 45000);
    await observe('findBy list 500', f('actions/list-workflow-run-artifacts', { kind: 'status', status: 500 }), 'artifact.listArtifacts', (job) => [dl(job)[1]]);
    await observe('findBy list trunc', f('actions/list-workflow-run-artifacts', { kind: 'truncate' }), 'artifact.listArtifacts', (job) => [dl(job)[1]]);
  },
};
for (const [name, run] of Object.entries(all)) if (which === undefined || which.includes(name)) await run();
process.exit(0);
