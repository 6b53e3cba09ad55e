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

const PIPELINE = 'gates';
const CURRENT = 1_000;

interface Entry {
  readonly run: number;
  readonly attempt?: number;
  readonly about?: Partial<RunOptions>;
  readonly content?: string | Buffer;
  /** Other runs that its document has entries of. */
  readonly carries?: readonly number[];
  readonly artifact?: Partial<StoredArtifact>;
}

interface Document {
  readonly run?: number;
  readonly carries?: readonly number[];
}

/** An artifact as the service holds it after an upload. */
function put(service: ResultsService, { run, attempt = 1, about = {}, content, carries, artifact }: Entry): void {
  service.addRun({ id: run, attempt, ...about });
  const bytes = Buffer.from(content ?? JSON.stringify({ run, attempt, carries }));
  const { world } = service;
  const id = 5_000 - world.artifacts.length;
  const createdAt = new Date(Date.UTC(2026, 0, 1) + run * 60_000 + attempt * 1_000);
  world.blobs.put(`history-${id}`, bytes, 'application/json', createdAt);
  world.artifacts.push({
    id,
    run,
    attempt,
    job: 'report',
    name: historyArtifactName(PIPELINE, attempt),
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
  const runsIn = (document: unknown): string[] => {
    const { run = 0, carries = [] } = document as Document;
    return [run, ...carries].map(String);
  };
  return readHistory(rest, { pipeline: PIPELINE, currentRunId: CURRENT, runAttempt: 1, runsIn, ...more });
}

function runsOf({ documents }: { readonly documents: readonly unknown[] }): (number | undefined)[] {
  return documents.map((document) => (document as Document).run);
}

describe('history', () => {
  it('is in the documents of the newest reports, without those of the run that reads it', async () => {
    await using service = await startResultsService();
    for (const run of [1, 2, 3]) put(service, { run });
    put(service, { run: 2, attempt: 2 });
    put(service, { run: 2, attempt: 3 });
    put(service, { run: CURRENT });
    put(service, { run: 9, artifact: { name: `gl1.history.ffffffff.1.json` } });
    expect(await read(service)).toEqual({
      documents: [
        { run: 3, attempt: 1 },
        { run: 2, attempt: 3 },
        { run: 1, attempt: 1 },
      ],
      notices: [],
    });
  });

  it('takes at most 5 listings and 3 downloads, whatever the number of runs', async () => {
    const runs = 300;
    await using service = await startResultsService();
    for (let run = CURRENT + 1; run <= CURRENT + runs; run += 1) put(service, { run });
    expect(runsOf(await read(service))).toEqual([0, 1, 2].map((before) => CURRENT + runs - before));
    expect(service.callsOf('actions/list-artifacts-for-repo')).toHaveLength(4);
    expect(service.callsOf('actions/download-artifact')).toHaveLength(3);
    await read(service, { runAttempt: 7 });
    expect(service.callsOf('actions/list-artifacts-for-repo')).toHaveLength(4 + 5);
    expect(service.callsOf('actions/download-artifact')).toHaveLength(3 + 3);
  }, 120_000);

  it('reads documents of runs that no newer one carries', async () => {
    await using service = await startResultsService();
    put(service, { run: 9, carries: [8, 7, 5] });
    for (const run of [8, 7, 6, 5]) put(service, { run, carries: [4, 3] });
    for (const run of [4, 3, 2]) put(service, { run });
    put(service, { run: 10, carries: [9], artifact: { name: historyArtifactName(PIPELINE, 1, 2) } });
    expect(runsOf(await read(service))).toEqual([10, 8, 7]);
    put(service, { run: 11, carries: [10, 9, 8, 7] });
    expect(runsOf(await read(service))).toEqual([11, 6, 5]);
  });

  it('of forks does not count, however much of it there is', async () => {
    await using service = await startResultsService();
    const about = { event: 'pull_request', headRepository: 'stranger/gates' };
    for (let run = 2; run < 50; run += 1) put(service, { run, about });
    put(service, { run: 1 });
    const found = await read(service);
    expect(runsOf(found)).toEqual([1]);
    expect(found.notices).toEqual(['History entries that are left out: 48 of forks.']);
  });

  it('whose origin GitHub does not tell does not count, and is not called a fork’s', async () => {
    await using service = await startResultsService();
    put(service, { run: 1 });
    for (const run of [2, 3]) put(service, { run, about: { event: 'pull_request', headRepository: '' } });
    put(service, { run: 4, about: { event: 'pull_request', headRepository: 'stranger/gates' } });
    const { documents, notices } = await read(service);
    expect(runsOf({ documents })).toEqual([1]);
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
    ['is too large', { content: JSON.stringify('x'.repeat(1_100_000)) }, 'too large'],
    [
      'says it is small and is not',
      { content: JSON.stringify('x'.repeat(1_100_000)), artifact: { size: 9 } },
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
    expect(await read(service)).toMatchObject({ documents: [{ run: 3 }, { run: 2 }, { run: 1 }], notices: [] });
  });

  it('that cannot be listed is none, with a notice', async () => {
    await using service = await startResultsService();
    put(service, { run: 1 });
    const none = { documents: [], notices: [expect.stringMatching(/^No history is shown: /)] };
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
    const { documents, notices } = await read(service, { budgetMs: 700 });
    expect(documents).toEqual([]);
    expect(notices).toEqual([expect.stringContaining('run 1 is left out')]);
    expect(performance.now() - begun).toBeLessThan(8_000);
  });

  it('in a zip that unpacks to too much is left out', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 8, job: 'report' });
    const name = historyArtifactName(PIPELINE, 1);
    const path = join(job.workspace, name);
    await writeFile(path, JSON.stringify('x'.repeat(2_000_000)));
    await new Clients(job.env).call('artifact.uploadArtifact', name, [path], job.workspace, {});
    expect(service.world.artifacts[0]!.size).toBeLessThan(10_000);
    const found = await read(service);
    expect(found).toEqual({ documents: [], notices: [expect.stringContaining('of at most 1,048,576 bytes')] });
  });

  it.each([
    ['as it is', { skipArchive: true }],
    ['in a zip', {}],
  ])("is read as GitHub's own client uploaded it: %s", async (_, options) => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 8, job: 'report' });
    const name = historyArtifactName(PIPELINE, 1);
    const path = join(job.workspace, name);
    await writeFile(path, '{"run":8}');
    await new Clients(job.env).call('artifact.uploadArtifact', name, [path], job.workspace, options);
    expect(await read(service)).toEqual({
      documents: [{ run: 8 }],
      notices: [],
    });
  });
});
