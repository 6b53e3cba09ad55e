import { describe, expect, it } from 'vitest';
import type { Fault } from '../../support/github/faults.ts';
import { decidedRecord, endedRecord, someone, startedRecord } from '../../contract/samples.ts';
import { QUICK, startRun } from './github-run.ts';

const LOST: readonly [string, Fault][] = [
  ['is reset', { kind: 'reset', carriedOut: true }],
  ['never comes', { kind: 'hang', carriedOut: true }],
  ['is cut off', { kind: 'truncate' }],
];

/** A claim that nobody else could have made. */
const own = startedRecord({ by: { ...someone, pidStart: 'a1b2c3' } });
const theirs = startedRecord({ by: { ...someone, pidStart: 'd4e5f6' } });

describe('a claim whose acknowledgement was lost', () => {
  it.concurrent.each(LOST)("is one's own when the answer to FinalizeArtifact %s", async (_, fault) => {
    await using run = await startRun();
    const store = await run.open({ limits: { ...QUICK, callMs: 3_000, uploadMs: 3_000 } });
    run.service.faults.add({ operation: 'FinalizeArtifact', fault });
    expect(await store.write(own)).toBe('written');
    expect((await (await run.open()).list('ship', 'pr-42')).records).toEqual([own]);
    expect(run.names()).toHaveLength(1);
  });

  it.concurrent.each(LOST)(
    'leaves a name that nobody can use when the answer to CreateArtifact %s',
    async (_, fault) => {
      await using run = await startRun();
      const store = await run.open({ limits: { ...QUICK, callMs: 3_000, uploadMs: 3_000 } });
      run.service.faults.add({ operation: 'CreateArtifact', fault });
      expect(await store.write(own)).toBe('taken');
      // The caller takes the next one.
      expect(await store.write({ ...own, n: 2 })).toBe('written');
      expect((await (await run.open()).list('ship', 'pr-42')).records).toEqual([{ ...own, n: 2 }]);
    },
  );

  it("is somebody else's when that one was there first", async () => {
    await using run = await startRun();
    await (await run.open({ job: 'first' })).write(theirs);
    const store = await run.open({ job: 'second' });
    run.service.faults.add({ operation: 'CreateArtifact', fault: { kind: 'reset' } });
    expect(await store.write(own)).toBe('taken');
    expect((await store.list('ship', 'pr-42')).records).toEqual([theirs]);
  });

  it("is somebody else's also where it cannot be read", async () => {
    await using run = await startRun();
    await (await run.open({ job: 'first' })).write(theirs);
    const store = await run.open({ job: 'second' });
    run.service.faults.add({ operation: 'GetBlob', times: Infinity, fault: { kind: 'status', status: 403 } });
    expect(await store.write(own)).toBe('taken');
    run.service.faults.add({ operation: 'ListArtifacts', times: Infinity, fault: { kind: 'status', status: 403 } });
    expect(await (await run.open({ job: 'third' })).write(own)).toBe('taken');
  });
});

describe('a name', () => {
  it('that another job has begun to upload and has not finished is taken', async () => {
    await using run = await startRun();
    await (await run.open()).write(own);
    run.artifact(/started/).finalized = false;
    expect(await (await run.open({ job: 'second' })).write(theirs)).toBe('taken');
    expect((await (await run.open()).list('ship', 'pr-42')).records).toEqual([]);
  });

  it('of an end whose upload broke off is left alone: it goes up under the next one, and is there once', async () => {
    await using run = await startRun();
    const store = await run.open();
    const value = await store.put('{}');
    const ended = endedRecord({ value });
    run.service.faults.add({ operation: 'PutBlob', name: /ended/, fault: { kind: 'status', status: 403 } });
    expect(await store.write(ended)).toBe('written');
    expect(run.names().filter((name) => name.endsWith('.u2.json'))).toHaveLength(1);
    const reader = await run.open();
    expect(await reader.list('ship', 'pr-42')).toMatchObject({ records: [ended], problems: [] });
    expect(reader.artifactOf(ended)).toMatchObject({ record: expect.any(Number), value: expect.any(Number) });
    // The first one shows itself after all.
    for (const artifact of run.service.world.artifacts) {
      const copy = run.artifact(/ended.*u2/);
      if (!artifact.finalized) Object.assign(artifact, { ...copy, id: 1, name: artifact.name });
    }
    expect((await reader.list('ship', 'pr-42')).records).toEqual([ended]);
  });

  it('of contents whose upload broke off is left alone too', async () => {
    await using run = await startRun();
    const store = await run.open();
    const value = await store.put(`"${'v'.repeat(300_000)}"`);
    const log = await store.put(Buffer.from([255, 0]));
    for (const name of [/value/, /files/])
      run.service.faults.add({ operation: /^PutBlo(?:b|ckList)$/, name, fault: { kind: 'status', status: 403 } });
    expect(await store.write(endedRecord({ value, logs: { stderr: log } }))).toBe('written');
    const reader = await run.open();
    await reader.list('ship', 'pr-42');
    for (const content of [value, log])
      expect(await reader.check(content.digest)).toEqual({ state: 'present', value: content });
  });

  it('of a claim is taken as soon as somebody uploads what belongs to it', async () => {
    await using run = await startRun();
    const claimOf = async (job: string, record: typeof own) => {
      const store = await run.open({ job });
      const request = await store.put(job.repeat(100_000));
      return store.write({ ...record, request: request.digest });
    };
    // The other job has come no further than the request, which is too large to go with the claim.
    run.service.faults.add({
      operation: 'CreateArtifact',
      name: /json/,
      job: 'first',
      times: 9,
      fault: { kind: 'status', status: 403 },
    });
    await expect(claimOf('first', theirs)).rejects.toMatchObject({ code: 'ARTIFACT_UPLOAD_FAILED' });
    expect(await claimOf('second', own)).toBe('taken');
    expect(run.names()).toEqual([expect.stringMatching(/started\.files$/)]);
  });

  it('is taken at once where a listing told of it, whatever came of that attempt', async () => {
    await using run = await startRun();
    await (await run.open({ job: 'first' })).write(endedRecord());
    const store = await run.open({ job: 'second' });
    await store.list('ship', 'pr-42');
    const calls = run.service.calls.length;
    const failed = endedRecord({ verdict: { ...endedRecord().verdict, status: 'failed' } });
    expect(await store.write(failed)).toBe('taken');
    expect(run.service.calls).toHaveLength(calls);
  });

  it('of each decision is its own', async () => {
    await using run = await startRun();
    const store = await run.open();
    for (const decision of ['skip', 'approve'] as const)
      expect(await store.write(decidedRecord({ decision }))).toBe('written');
    expect(await store.write(decidedRecord({ decision: 'skip', reason: 'again' }))).toBe('taken');
  });
});

it('refuses records of another run, and uploads nothing of them', async () => {
  await using run = await startRun();
  const store = await run.open();
  await expect(store.write(startedRecord({ runNumber: 2 }))).rejects.toMatchObject({ code: 'RECORD_INVALID' });
  expect(run.service.calls).toEqual([]);
});

it('says what a quota or a refusal is, and leaves signatures out of it', async () => {
  await using run = await startRun();
  const store = await run.open();
  const message = 'insufficient usage to create artifact';
  run.service.faults.add({ operation: 'CreateArtifact', fault: { kind: 'status', status: 403, message } });
  await expect(store.write(own)).rejects.toMatchObject({
    code: 'ARTIFACT_UPLOAD_FAILED',
    message: expect.stringContaining('quota'),
  });
  run.service.faults.add({ operation: 'CreateArtifact', fault: { kind: 'status', status: 403 } });
  await expect(store.write(own)).rejects.toMatchObject({ message: expect.stringContaining('403') });
  run.service.faults.add({ operation: 'PutBlob', times: Infinity, fault: { kind: 'status', status: 403 } });
  const answer = await store.write(own).catch((error: unknown) => String(error));
  expect(answer).not.toMatch(/sig=[0-9a-f]/);
});

it('refuses a token that is none before it asks anything', async () => {
  await using run = await startRun();
  for (const token of ['', 'x', 'a.b.c', `a.${Buffer.from('{"scp":"Actions.Results"}').toString('base64url')}.c`]) {
    const results = { url: run.service.origin, token };
    await expect(run.open({ results })).rejects.toMatchObject({ code: 'ARTIFACTS_UNAVAILABLE' });
  }
});
