import { describe, expect, it } from 'vitest';
import { endedRecord, startedRecord } from '../../contract/samples.ts';
import type { Content } from '../../../src/run/records/record.ts';
import type { Fault } from '../../support/github/faults.ts';
import { QUICK, startRun, type GithubRun } from './github-run.ts';

/** What never answers is given up so soon that tests can wait for it, side by side. */
const IMPATIENT = { ...QUICK, callMs: 800, downloadMs: 800, tries: 2, readingMs: 30_000 };

const NEVER: readonly [string, Fault][] = [
  ['hangs', { kind: 'hang' }],
  ['is cut off', { kind: 'truncate' }],
];
const BROKEN: readonly [string, Fault][] = [
  ...NEVER,
  ['is reset', { kind: 'reset' }],
  ['is answered with 500', { kind: 'status', status: 500 }],
  ['is answered with 503 and a page', { kind: 'status', status: 503, html: true }],
  ['is answered with 429', { kind: 'status', status: 429, retryAfter: 0 }],
];

/** An attempt that is done, with contents of all three kinds: inside the record, the value by itself, in a zip. */
async function done(run: GithubRun): Promise<{ record: ReturnType<typeof endedRecord>; value: Content; log: Content }> {
  const store = await run.open({ job: 'plan' });
  const value = await store.put(`"${'v'.repeat(300_000)}"`);
  const log = await store.put(Buffer.from([255, 0, 255]));
  const record = endedRecord({ value, logs: { stderr: log } });
  await store.write(record);
  return { record, value, log };
}

const READS = ['ListArtifacts', 'GetSignedArtifactURL', 'GetBlob'];
const REST_READS = ['actions/list-workflow-run-artifacts', 'actions/download-artifact', 'GetBlob'];

describe('a call that goes wrong once', () => {
  it.concurrent.each(READS.flatMap((operation) => BROKEN.map(([what, fault]) => [operation, what, fault] as const)))(
    '%s that %s is made again, and nothing is missing',
    async (operation, _, fault) => {
      await using run = await startRun();
      const { record, value, log } = await done(run);
      const store = await run.open({ limits: { ...IMPATIENT, tries: 3 } });
      const planned = run.service.faults.add({ operation, fault });
      expect(await store.list('ship', 'pr-42')).toMatchObject({ records: [record], problems: [] });
      for (const content of [value, log])
        expect(await store.check(content.digest)).toEqual({ state: 'present', value: content });
      expect(planned.hits).toBe(1);
    },
  );
});

describe('an artifact that the service lists and denies', () => {
  const DOWNLOAD = 'actions/download-artifact';

  it.each([403, 404])('is read over REST: %s', async (status) => {
    await using run = await startRun();
    const { record, value, log } = await done(run);
    const store = await run.open();
    run.service.faults.add({ operation: 'GetSignedArtifactURL', times: Infinity, fault: { kind: 'status', status } });
    expect(await store.list('ship', 'pr-42')).toMatchObject({ records: [record], problems: [] });
    for (const content of [value, log])
      expect(await store.check(content.digest)).toEqual({ state: 'present', value: content });
    expect(run.service.callsOf(DOWNLOAD)).toHaveLength(3);
  });

  it('is unreadable where there is no token, or where REST denies it too', async () => {
    await using run = await startRun();
    await done(run);
    run.service.faults.add({
      operation: /^GetSigned|download/,
      times: Infinity,
      fault: { kind: 'status', status: 404, message: 'no such artifact' },
    });
    const messageOf = async (noRest: boolean) => (await (await run.open({ noRest })).list('ship', 'pr-42')).problems;
    const denied = 'GetSignedArtifactURL was answered with 404: no such artifact';
    expect(await messageOf(true)).toMatchObject([{ code: 'UNREADABLE', message: denied }]);
    const both =
      /^GetSigned\S+ was answered with 404: no such artifact, and GET \S+\/zip was answered with 404: no such artifact$/;
    const message = expect.stringMatching(both);
    expect(await messageOf(false)).toMatchObject([{ code: 'UNREADABLE', message }]);
  });

  it('is unknown while REST does not answer', async () => {
    await using run = await startRun();
    await done(run);
    const store = await run.open({ limits: IMPATIENT });
    run.service.faults.add({ operation: 'GetSignedArtifactURL', times: 9, fault: { kind: 'status', status: 404 } });
    run.service.faults.add({ operation: DOWNLOAD, times: 9, fault: { kind: 'status', status: 503 } });
    expect((await store.list('ship', 'pr-42')).problems).toMatchObject([{ code: 'OUTAGE' }]);
  });
});

describe('a call that always goes wrong', () => {
  it.concurrent.each(BROKEN)('ListArtifacts that %s is an outage, in bounded time and tries', async (_, fault) => {
    await using run = await startRun();
    const { log } = await done(run);
    const store = await run.open({ limits: IMPATIENT });
    const planned = run.service.faults.add({ operation: 'ListArtifacts', times: Infinity, fault });
    expect(await store.list('ship', 'pr-42')).toMatchObject({ records: [], problems: [{ code: 'OUTAGE' }] });
    expect(planned.hits).toBe(2);
    expect((await store.statuses('ship', 'pr-42')).complete).toBe(false);
    expect(await store.get(log.digest)).toMatchObject({ state: 'unknown', problem: { code: 'OUTAGE' } });
  });

  it.concurrent.each(
    ['GetSignedArtifactURL', 'GetBlob'].flatMap((operation) =>
      BROKEN.map(([what, fault]) => [operation, what, fault] as const),
    ),
  )('%s that %s makes a record unknown, which still counts as an attempt', async (operation, _, fault) => {
    await using run = await startRun();
    await done(run);
    const store = await run.open({ limits: IMPATIENT });
    run.service.faults.add({ operation, times: Infinity, fault });
    const { records, problems } = await store.list('ship', 'pr-42');
    expect(records).toEqual([]);
    expect(problems).toMatchObject([{ code: 'OUTAGE', names: { gate: 'design', n: 1, kind: 'ended' } }]);
  });

  const cases = REST_READS.flatMap((operation) => NEVER.map(([what, fault]) => [operation, what, fault] as const));
  // A redirect says all that it has to say in its head.
  const isWhole = (operation: string, fault: Fault) => operation.includes('download') && fault.kind === 'truncate';
  it.concurrent.each(cases.filter(([operation, , fault]) => !isWhole(operation, fault)))(
    '%s of an earlier attempt that %s is an outage',
    async (operation, _, fault) => {
      await using run = await startRun({ earlierAttempts: 'rest-only' });
      await done(run);
      const store = await run.open({ attempt: 2, limits: IMPATIENT });
      run.service.faults.add({ operation, times: Infinity, fault });
      expect(await store.list('ship', 'pr-42')).toMatchObject({ records: [], problems: [{ code: 'OUTAGE' }] });
    },
  );

  it.concurrent.each(NEVER)(
    'a download of contents that %s is unknown, and is asked for again the next time',
    async (_, fault) => {
      await using run = await startRun();
      const { value, log } = await done(run);
      const store = await run.open({ limits: IMPATIENT });
      await store.list('ship', 'pr-42');
      run.service.faults.add({ operation: 'GetBlob', times: Infinity, fault });
      for (const { digest } of [value, log])
        expect(await store.get(digest)).toMatchObject({ state: 'unknown', problem: { code: 'OUTAGE', where: digest } });
      run.service.faults.clear();
      for (const { digest } of [value, log]) expect(await store.get(digest)).toMatchObject({ state: 'present' });
    },
  );

  it.concurrent.each(
    ['CreateArtifact', 'PutBlob', 'FinalizeArtifact'].flatMap((operation) =>
      NEVER.map(([what, fault]) => [operation, what, fault] as const),
    ),
  )(
    'an upload whose %s %s ends in an error or a name for somebody else, never in silence',
    async (operation, _, fault) => {
      await using run = await startRun();
      const store = await run.open({ limits: { ...IMPATIENT, uploadMs: 400 } });
      run.service.faults.add({ operation, times: Infinity, fault });
      const came = await store.write(startedRecord()).catch((error: { code: string }) => error.code);
      expect([
        'taken',
        'ARTIFACTS_OUTAGE',
        ...(operation === 'FinalizeArtifact' && fault.kind === 'truncate' ? ['written'] : []),
      ]).toContain(came);
    },
  );

  it.concurrent.each(
    ['CreateArtifact', 'PutBlock', 'PutBlockList', 'FinalizeArtifact'].flatMap((operation) =>
      NEVER.map(([what, fault]) => [operation, what, fault] as const),
    ),
  )(
    'an upload of files whose %s %s ends in an error, and the record that needs them is not written',
    async (...told) => {
      const [operation, , fault] = told;
      await using run = await startRun();
      const store = await run.open({ limits: { ...IMPATIENT, uploadMs: 400 } });
      const binary = await store.put(Buffer.from([255, 0, 254]));
      run.service.faults.add({ operation, times: Infinity, fault });
      const came = await store
        .write(endedRecord({ logs: { stdout: binary } }))
        .catch((error: { code: string }) => error.code);
      expect(came).toBe('ARTIFACTS_OUTAGE');
      run.service.faults.clear();
      expect((await (await run.open()).list('ship', 'pr-42')).records).toEqual([]);
    },
  );

  it('is given up for good once all tries together are used up', async () => {
    await using run = await startRun();
    const store = await run.open();
    await Promise.all(Array.from({ length: 30 }, (_, n) => store.write(startedRecord({ n }))));
    const planned = run.service.faults.add({
      operation: 'GetBlob',
      times: Infinity,
      fault: { kind: 'status', status: 500 },
    });
    const reader = await run.open({ limits: { ...QUICK, retries: 5 } });
    expect((await reader.list('ship', 'pr-42')).problems).toHaveLength(30);
    expect(planned.hits).toBe(35);
  });

  it('takes no more time than all reading may', async () => {
    await using run = await startRun();
    const store = await run.open();
    await Promise.all(Array.from({ length: 40 }, (_, n) => store.write(startedRecord({ n }))));
    run.service.faults.add({ operation: 'GetBlob', times: Infinity, fault: { kind: 'hang' } });
    const reader = await run.open({ limits: { ...IMPATIENT, tries: 1, readingMs: 300 } });
    const { problems } = await reader.list('ship', 'pr-42');
    expect(problems).toHaveLength(40);
    // 16 at a time: the others were not asked for any more.
    expect(run.service.callsOf('GetBlob')).toHaveLength(16);
  });
});

describe('a refusal', () => {
  it.concurrent.each([403, 404, 410])('of a download with %i is final, and told', async (status) => {
    await using run = await startRun();
    await done(run);
    const store = await run.open();
    const planned = run.service.faults.add({
      operation: 'GetBlob',
      times: Infinity,
      fault: { kind: 'status', status },
    });
    expect((await store.list('ship', 'pr-42')).problems).toMatchObject([
      { code: 'UNREADABLE', names: { gate: 'design' } },
    ]);
    expect(planned.hits).toBe(1);
  });

  it('that lasts longer than anybody waits is given up at once', async () => {
    await using run = await startRun();
    const store = await run.open();
    const fault = { kind: 'status', status: 429, retryAfter: 3_600 } as const;
    const planned = run.service.faults.add({ operation: 'ListArtifacts', times: Infinity, fault });
    expect((await store.list('ship', 'pr-42')).problems).toMatchObject([{ code: 'OUTAGE' }]);
    expect(planned.hits).toBe(1);
  });
});

describe('a wrong digest', () => {
  it('of a download on its way is asked for again; one that stays is told', async () => {
    await using run = await startRun();
    const { record } = await done(run);
    run.service.faults.add({ operation: 'GetBlob', fault: { kind: 'digest' } });
    expect((await (await run.open()).list('ship', 'pr-42')).records).toEqual([record]);
    run.service.world.blobs.corrupt(run.artifact(/ended\.passed/).blob);
    const { records, problems } = await (await run.open()).list('ship', 'pr-42');
    expect(records).toEqual([]);
    expect(problems).toMatchObject([{ code: 'CONTENT_ALTERED', names: { gate: 'design', kind: 'ended' } }]);
  });

  it.concurrent.each([/value/, /files/])(
    'of contents on the disk of the service is told, and never handed on: %s',
    async (name) => {
      await using run = await startRun();
      const { value, log } = await done(run);
      run.service.world.blobs.corrupt(run.artifact(name).blob);
      const store = await run.open();
      await store.list('ship', 'pr-42');
      const altered = { state: 'unknown', problem: { code: 'CONTENT_ALTERED' } };
      const [bad, good] = name.test('value') ? [value, log] : [log, value];
      expect(await store.get(bad.digest)).toMatchObject(altered);
      expect(await store.check(bad.digest)).toMatchObject(altered);
      expect(await store.check(good.digest)).toMatchObject({ state: 'present' });
    },
  );

  it('that the listing tells makes nothing readable', async () => {
    await using run = await startRun();
    await done(run);
    run.service.faults.add({ operation: 'ListArtifacts', times: Infinity, fault: { kind: 'digest' } });
    expect(await (await run.open()).list('ship', 'pr-42')).toMatchObject({
      records: [],
      problems: [{ code: 'CONTENT_ALTERED' }],
    });
  });
});

describe('an answer that is none', () => {
  it.each<[string, Fault]>([
    ['a page', { kind: 'status', status: 200, html: true }],
    ['an error that says it is good', { kind: 'status', status: 200 }],
  ])('%s instead of an address or a list of REST is an outage', async (_, fault) => {
    await using run = await startRun({ earlierAttempts: 'rest-only' });
    await done(run);
    for (const operation of ['actions/list-workflow-run-artifacts', 'actions/download-artifact']) {
      const store = await run.open({ attempt: 2 });
      run.service.faults.clear();
      run.service.faults.add({ operation, times: Infinity, fault });
      expect((await store.list('ship', 'pr-42')).problems).toMatchObject([{ code: 'OUTAGE' }]);
    }
  });
});
