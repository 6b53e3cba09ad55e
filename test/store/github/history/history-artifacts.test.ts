import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  historyArtifactName,
  readHistory,
  type HistoryRequest,
} from '../../../../src/store/github/history/history-artifacts.ts';
import { digestOf } from '../../../../src/json/digest.ts';
import { Clients, endClients } from '../../../github/clients.ts';
import type { StoredArtifact } from '../../../support/github/model.ts';
import { restClient } from '../../../support/github/rest-client.ts';
import { startResultsService, type ResultsService } from '../../../support/github/results-service.ts';
import type { RunOptions } from '../../../support/github/workflow-runs.ts';

afterAll(endClients);

const PREFIX = '0123abcd';
const CURRENT = 1_000;

interface Entry {
  readonly run: number;
  readonly attempt?: number;
  readonly about?: Partial<RunOptions>;
  readonly content?: string | Buffer;
  readonly artifact?: Partial<StoredArtifact>;
}

/** An artifact as the service holds it after an upload. */
function put(service: ResultsService, { run, attempt = 1, about = {}, content, artifact }: Entry): void {
  service.addRun({ id: run, attempt, ...about });
  const bytes = Buffer.from(content ?? JSON.stringify({ run, attempt }));
  const { world } = service;
  const id = 5_000 - world.artifacts.length;
  const createdAt = new Date(Date.UTC(2026, 0, 1) + run * 60_000 + attempt * 1_000);
  world.blobs.put(`history-${id}`, bytes, 'application/json', createdAt);
  world.artifacts.push({
    id,
    run,
    attempt,
    job: 'report',
    name: historyArtifactName(PREFIX, attempt),
    mimeType: 'application/json',
    blob: `history-${id}`,
    createdAt,
    expiresAt: new Date(Date.UTC(2100, 0, 1)),
    finalized: true,
    size: bytes.length,
    digest: digestOf(bytes),
    ...artifact,
  });
}

function read(service: ResultsService, more: Partial<HistoryRequest> = {}, token?: string) {
  const rest = restClient(service, token === undefined ? {} : { token });
  return readHistory(rest, { prefix: PREFIX, currentRunId: CURRENT, runAttempt: 1, ...more });
}

function runsOf({ entries }: { readonly entries: readonly { readonly runId: number }[] }): number[] {
  return entries.map(({ runId }) => runId);
}

describe('history', () => {
  it('is the last attempt of each run, the newest run first, without the run that reads it', async () => {
    await using service = await startResultsService();
    for (const run of [1, 2, 3]) put(service, { run });
    put(service, { run: 2, attempt: 2 });
    put(service, { run: 2, attempt: 3 });
    put(service, { run: CURRENT });
    put(service, { run: 9, artifact: { name: `gl1.ffffffff.history.1.json` } });
    expect(await read(service)).toEqual({
      entries: [
        { runId: 3, runAttempt: 1, entry: { run: 3, attempt: 1 } },
        { runId: 2, runAttempt: 3, entry: { run: 2, attempt: 3 } },
        { runId: 1, runAttempt: 1, entry: { run: 1, attempt: 1 } },
      ],
      notices: [],
    });
  });

  it('takes 3 requests and 1 an entry', async () => {
    await using service = await startResultsService();
    for (let run = 1; run <= 40; run += 1) put(service, { run });
    expect(runsOf(await read(service))).toEqual(Array.from({ length: 20 }, (_, index) => 40 - index));
    expect(service.callsOf('actions/list-artifacts-for-repo')).toHaveLength(3);
    expect(service.callsOf('actions/download-artifact')).toHaveLength(20);
    expect(runsOf(await read(service, { runs: 2, runAttempt: 7 }))).toEqual([40, 39]);
    expect(service.callsOf('actions/list-artifacts-for-repo')).toHaveLength(3 + 4);
  });

  it('of forks does not count, however much of it there is', async () => {
    await using service = await startResultsService();
    put(service, { run: 1 });
    const about = { event: 'pull_request', headRepository: 'stranger/gates' };
    for (let run = 2; run < 50; run += 1) put(service, { run, about });
    const { entries, notices } = await read(service, { runs: 1 });
    expect(runsOf({ entries })).toEqual([1]);
    expect(notices).toEqual(['History entries that are left out: 48 of forks.']);
  });

  it('whose origin GitHub does not tell does not count, and is not called a fork’s', async () => {
    await using service = await startResultsService();
    put(service, { run: 1 });
    for (const run of [2, 3]) put(service, { run, about: { event: 'pull_request', headRepository: '' } });
    put(service, { run: 4, about: { event: 'pull_request', headRepository: 'stranger/gates' } });
    const { entries, notices } = await read(service);
    expect(runsOf({ entries })).toEqual([1]);
    const left = 'History entries that are left out: 1 of forks, 2 of an unknown repository.';
    expect(notices).toEqual([left]);
  });

  it('that is left out for another reason is not counted as left out', async () => {
    await using service = await startResultsService();
    put(service, { run: 1 });
    const about = { event: 'pull_request', headRepository: 'stranger/gates' };
    put(service, { run: 2, about, artifact: { expiresAt: new Date(0) } });
    put(service, { run: CURRENT, about });
    expect((await read(service)).notices).toEqual([]);
  });

  it.each<readonly [string, Partial<Entry>, string | undefined]>([
    ['was changed', { artifact: { digest: digestOf('other') } }, 'not the content that was uploaded'],
    ['has no digest', { artifact: { digest: '' } }, 'no digest'],
    ['is too large', { content: JSON.stringify('x'.repeat(70_000)) }, 'too large'],
    [
      'says it is small and is not',
      { content: JSON.stringify('x'.repeat(70_000)), artifact: { size: 9 } },
      'more than',
    ],
    ['is cut off', { content: '{"run":1' }, 'not JSON'],
    ['is 1,000 deep', { content: '['.repeat(1_000) + ']'.repeat(1_000) }, 'not JSON'],
    ['speaks of __proto__', { content: '{"__proto__":{"polluted":true}}' }, 'not JSON'],
    ['is a broken zip', { content: 'PK\u0003\u0004 and no more' }, 'zip cannot be read'],
    ['is expired', { artifact: { expiresAt: new Date(0) } }, undefined],
  ])('without the entry that %s is still history', async (_, wrong, notice) => {
    await using service = await startResultsService();
    put(service, { run: 1 });
    put(service, { run: 2, ...wrong });
    put(service, { run: 3 });
    const found = await read(service);
    expect(runsOf(found)).toEqual([3, 1]);
    expect(found.notices).toEqual(notice === undefined ? [] : [expect.stringContaining(notice)]);
  });

  it('goes on after faults of single requests', async () => {
    await using service = await startResultsService();
    for (const run of [1, 2, 3]) put(service, { run });
    service.faults.add({ operation: 'GetBlob', nth: 1, fault: { kind: 'status', status: 403 } });
    service.faults.add({ operation: 'GetBlob', nth: 2, fault: { kind: 'truncate' } });
    service.faults.add({ operation: 'actions/list-artifacts-for-repo', fault: { kind: 'status', status: 502 } });
    expect(await read(service)).toMatchObject({ entries: [{ runId: 3 }, { runId: 2 }, { runId: 1 }], notices: [] });
  });

  it('that cannot be listed is none, with a notice', async () => {
    await using service = await startResultsService();
    put(service, { run: 1 });
    const none = { entries: [], notices: [expect.stringMatching(/^No history is shown: /)] };
    const token = service.issueToken({ repository: 'octo/gates', permissions: {} });
    expect(await read(service, {}, token)).toEqual(none);
    service.faults.add({ times: Infinity, fault: { kind: 'truncate' } });
    expect(await read(service)).toEqual(none);
  });

  it('that never comes holds nobody up', async () => {
    await using service = await startResultsService();
    put(service, { run: 1 });
    service.faults.add({ operation: 'GetBlob', times: Infinity, fault: { kind: 'hang' } });
    const begun = performance.now();
    const { entries, notices } = await read(service, { budgetMs: 700 });
    expect(entries).toEqual([]);
    expect(notices).toEqual([expect.stringContaining('run 1 is left out')]);
    expect(performance.now() - begun).toBeLessThan(8_000);
  });

  it('in a zip that unpacks to too much is left out', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 8, job: 'report' });
    const name = historyArtifactName(PREFIX, 1);
    const path = join(job.workspace, name);
    await writeFile(path, JSON.stringify('x'.repeat(1_000_000)));
    await new Clients(job.env).call('artifact.uploadArtifact', name, [path], job.workspace, {});
    expect(service.world.artifacts[0]!.size).toBeLessThan(10_000);
    const found = await read(service);
    expect(found).toEqual({ entries: [], notices: [expect.stringContaining('of at most 65,536 bytes')] });
  });

  it.each([
    ['as it is', { skipArchive: true }],
    ['in a zip', {}],
  ])("is read as GitHub's own client uploaded it: %s", async (_, options) => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 8, job: 'report' });
    const name = historyArtifactName(PREFIX, 1);
    const path = join(job.workspace, name);
    await writeFile(path, '{"what":"a run"}');
    await new Clients(job.env).call('artifact.uploadArtifact', name, [path], job.workspace, options);
    expect(await read(service)).toEqual({
      entries: [{ runId: 8, runAttempt: 1, entry: { what: 'a run' } }],
      notices: [],
    });
  });
});
