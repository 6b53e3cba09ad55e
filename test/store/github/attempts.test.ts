import { describe, expect, it } from 'vitest';
import { decidedRecord, endedRecord, startedRecord } from '../../contract/samples.ts';
import { digestOf } from '../../../src/json/digest.ts';
import { startRun, type GithubRun, type OpenOptions } from './github-run.ts';

const gates = (records: readonly { readonly gate: string }[]) => records.map(({ gate }) => gate).toSorted();

/** A first attempt with one gate done, and its value. */
async function firstAttempt(run: GithubRun) {
  const store = await run.open({ job: 'plan' });
  const value = await store.put('{"first":true}');
  const big = await store.put(Buffer.alloc(300_000, 7));
  await store.write(startedRecord({ gate: 'plan' }));
  const record = endedRecord({ gate: 'plan', value, logs: { stdout: big } });
  await store.write(record);
  return { record, value, big };
}

describe('a later attempt of a run', () => {
  it.each([
    ['visible', 'per-run', 'conflict'],
    ['visible', 'per-attempt', 'conflict'],
    ['visible', 'per-run', 'allowed'],
    ['rest-only', 'per-run', 'conflict'],
    ['rest-only', 'per-attempt', 'conflict'],
    ['rest-only', 'per-run', 'allowed'],
  ] as const)(
    'reads what an earlier one left, where it is %s, ids are %s and a name again gives a %s',
    async (earlierAttempts, backendIds, sameNameOnRerun) => {
      await using run = await startRun({ earlierAttempts, backendIds, sameNameOnRerun, artifactIds: 'shuffled' });
      const { record, value, big } = await firstAttempt(run);
      const second = await run.open({ job: 'build', attempt: 2 });
      expect(await second.write(startedRecord({ gate: 'build', runAttempt: 2 }))).toBe('written');
      const { records, problems } = await second.list('ship', 'pr-42');
      expect(problems).toEqual([]);
      expect(gates(records)).toEqual(['build', 'plan', 'plan']);
      expect(records).toContainEqual(record);
      expect(await second.check(value.digest)).toEqual({ state: 'present', value });
      expect(await second.check(big.digest)).toEqual({ state: 'present', value: big });
      const { statuses } = await second.statuses('ship', 'pr-42');
      expect(statuses.map(({ gate, runAttempt }) => `${gate} ${runAttempt}`).toSorted()).toEqual([
        'build 2',
        'plan 1',
        'plan 1',
      ]);
    },
  );

  it.each(['per-run', 'per-attempt'] as const)(
    'needs no token for what the service shows it: ids %s',
    async (backendIds) => {
      await using run = await startRun({ backendIds });
      const { record, value, big } = await firstAttempt(run);
      const second = await run.open({ job: 'build', attempt: 2, noRest: true });
      expect((await second.list('ship', 'pr-42')).records).toContainEqual(record);
      for (const content of [value, big])
        expect(await second.check(content.digest)).toEqual({ state: 'present', value: content });
    },
  );

  it('begins anew where nothing of an earlier one can be seen', async () => {
    await using run = await startRun({ earlierAttempts: 'hidden' });
    await firstAttempt(run);
    const second = await run.open({ attempt: 2 });
    expect(await second.list('ship', 'pr-42')).toMatchObject({ records: [], problems: [] });
    expect(await second.write(startedRecord({ gate: 'plan', runAttempt: 2 }))).toBe('written');
    expect(gates((await second.list('ship', 'pr-42')).records)).toEqual(['plan']);
  });

  it('says so where the token may not ask for earlier ones, and goes on with what it sees', async () => {
    for (const deniedAs of [403, 404] as const) {
      await using run = await startRun({ earlierAttempts: 'rest-only', deniedAs });
      await firstAttempt(run);
      const token = run.service.issueToken({ repository: 'octo/gates', permissions: { contents: 'read' } });
      const rest = { apiUrl: run.service.origin, token, repository: 'octo/gates' };
      const second = await run.open({ attempt: 2, rest });
      for (const _ of [1, 2]) expect(await second.list('ship', 'pr-42')).toMatchObject({ records: [], problems: [] });
      expect(run.notices).toEqual([expect.stringContaining('actions: read')]);
      expect(second.hiddenBy()).toBe('not-permitted');
    }
  });

  it('knows whether anything may be hidden from it', async () => {
    await using run = await startRun();
    const hiddenFrom = async (options: OpenOptions) => {
      const store = await run.open(options);
      await store.list('ship', 'pr-42');
      return store.hiddenBy();
    };
    expect(await hiddenFrom({ attempt: 2 })).toBe(undefined);
    expect(await hiddenFrom({ attempt: 2, noRest: true })).toBe('no-token');
    expect(await hiddenFrom({ noRest: true })).toBe(undefined);
  });

  it('takes nothing for absent when REST does not answer, or is at its rate limit', async () => {
    await using run = await startRun({ earlierAttempts: 'rest-only' });
    await firstAttempt(run);
    const second = await run.open({ attempt: 2 });
    const operation = 'actions/list-workflow-run-artifacts';
    run.service.faults.add({ operation, times: Infinity, fault: { kind: 'status', status: 503 } });
    expect(await second.list('ship', 'pr-42')).toMatchObject({ records: [], problems: [{ code: 'OUTAGE' }] });
    expect((await second.statuses('ship', 'pr-42')).complete).toBe(false);
    run.service.faults.clear();
    Object.assign(run.service.behaviour, { restLimit: 0 });
    expect(await (await run.open({ attempt: 2 })).list('ship', 'pr-42')).toMatchObject({
      problems: [{ code: 'OUTAGE' }],
    });
  });

  it('asks REST nothing in a first attempt', async () => {
    await using run = await startRun();
    await firstAttempt(run);
    await (await run.open()).list('ship', 'pr-42');
    expect(run.service.calls.filter(({ protocol }) => protocol === 'rest')).toEqual([]);
  });
});

describe('a listing at its limit', () => {
  it('may have left something out, and says so', async () => {
    await using run = await startRun({ listingLimit: 3, artifactIds: 'shuffled' });
    const store = await run.open();
    for (const n of [1, 2, 3, 4, 5]) await store.write(startedRecord({ n }));
    const reader = await run.open({ listingLimit: 3, noRest: true });
    const { records, problems } = await reader.list('ship', 'pr-42');
    expect(records).toHaveLength(3);
    expect(problems).toMatchObject([{ code: 'LISTING_LIMIT' }]);
    expect((await reader.statuses('ship', 'pr-42')).complete).toBe(false);
    expect(await reader.get(digestOf('anything'))).toMatchObject({
      state: 'unknown',
      problem: { code: 'LISTING_LIMIT' },
    });
  });

  it('is completed page by page where there is a token', async () => {
    await using run = await startRun({ listingLimit: 100 });
    const store = await run.open();
    const record = startedRecord();
    await store.write(record);
    const [first] = run.service.world.artifacts;
    const own = first!.name;
    for (let index = 0; index < 250; index += 1)
      run.service.world.artifacts.unshift({ ...first!, id: index, name: own.replace('.design.', `.g${index}.`) });
    const { statuses, complete } = await (await run.open({ listingLimit: 100 })).statuses('ship', 'pr-42');
    expect({ count: statuses.length, complete }).toEqual({ count: 251, complete: true });
    expect(run.service.callsOf('actions/list-workflow-run-artifacts')).toHaveLength(3);
  });
});

describe('another run', () => {
  const about = { run: 77 };

  async function earlierRun(run: GithubRun) {
    await run.open({ job: 'now' });
    const earlier = await run.open({ ...about, job: 'plan' });
    const value = await earlier.put('{"earlier":true}');
    const file = await earlier.put(Buffer.from([0, 255, 1]));
    const content = { blob: 'b', mode: '100644', content: file } as const;
    const files = [{ path: 'a.bin', before: null, after: content }];
    const record = endedRecord({ gate: 'plan', runNumber: 2, value, exports: value, files });
    await earlier.write(record);
    await earlier.write(decidedRecord({ gate: 'plan', runNumber: 2 }));
    return { record, value, file };
  }

  it('is read over REST, and never written to', async () => {
    await using run = await startRun();
    const { record, value, file } = await earlierRun(run);
    const store = await run.open({ ...about, noResults: true, readOnly: true });
    expect((await store.list('ship', 'pr-42')).records).toContainEqual(record);
    for (const content of [value, file])
      expect(await store.check(content.digest)).toEqual({ state: 'present', value: content });
    await expect(store.write(startedRecord({ runNumber: 2 }))).rejects.toMatchObject({ code: 'STORE_READ_ONLY' });
    const open = await run.open({ ...about, noResults: true });
    await expect(open.write(startedRecord({ runNumber: 2 }))).rejects.toMatchObject({ code: 'ARTIFACTS_UNAVAILABLE' });
    expect(store.artifactOf(record).record).toBe(run.artifact(/\.ended\.passed\./).id);
  });

  it('that nobody may list, or that has expired, is unknown', async () => {
    await using run = await startRun();
    await earlierRun(run);
    const blind = await run.open({ ...about, noResults: true, noRest: true });
    expect((await blind.list('ship', 'pr-42')).problems).toMatchObject([{ code: 'OUTAGE' }]);
    const token = run.service.issueToken({ repository: 'octo/gates', permissions: {} });
    const rest = { apiUrl: run.service.origin, token, repository: 'octo/gates' };
    const denied = await run.open({ ...about, noResults: true, rest });
    expect((await denied.list('ship', 'pr-42')).problems).toMatchObject([{ code: 'OUTAGE' }]);
    run.service.advance(91 * 24 * 60 * 60 * 1_000);
    const late = await run.open({ ...about, noResults: true });
    const { records, problems } = await late.list('ship', 'pr-42');
    expect(records).toEqual([]);
    expect(problems.map(({ code, names }) => [code, names?.gate, names?.runNumber])).toEqual([
      ['UNREADABLE', 'plan', 2],
      ['UNREADABLE', 'plan', 2],
    ]);
  });

  it('joins listings, gives contents, and hands them to what is reused from it', async () => {
    await using run = await startRun();
    const { record, value, file } = await earlierRun(run);
    const open = async () => {
      return run.open({ earlier: await run.open({ ...about, noResults: true, readOnly: true }) });
    };
    const tiered = await open();
    await tiered.write(startedRecord());
    const { records } = await tiered.list('ship', 'pr-42');
    expect(records.map(({ runNumber, kind }) => `${runNumber} ${kind}`).toSorted()).toEqual([
      '1 started',
      '2 decided',
      '2 ended',
    ]);
    expect(await tiered.get(value.digest)).toEqual({ state: 'present', value: Buffer.from('{"earlier":true}') });
    expect(await tiered.get(digestOf('nowhere'))).toEqual({ state: 'absent' });
    const reused = { ...record, runNumber: 1, how: 'reused', source: { runNumber: 2, runAttempt: 1, n: 1 } } as const;
    await (await open()).list('ship', 'pr-42');
    const another = await open();
    await another.list('ship', 'pr-42');
    expect(await another.write(reused)).toBe('written');
    // A job that knows nothing of the earlier run.
    const alone = await run.open();
    expect((await alone.list('ship', 'pr-42')).records).toContainEqual(reused);
    for (const content of [value, file])
      expect(await alone.check(content.digest)).toEqual({ state: 'present', value: content });
  });

  it('is asked for every gate that is upstream in this run, and for no other', async () => {
    await using run = await startRun();
    await earlierRun(run);
    const tiered = await run.open({ earlier: await run.open({ ...about, noResults: true, readOnly: true }) });
    await tiered.write(endedRecord({ gate: 'code', needs: { plan: null } }));
    await tiered.write(endedRecord({ gate: 'plan' }));
    await tiered.write(endedRecord({ gate: 'other', needs: {} }));
    const selection = (gate: string) =>
      ({ only: (unit: { gate: string }) => unit.gate === gate, upstream: true }) as const;
    const listed = async (gate: string) =>
      (await tiered.list('ship', 'pr-42', selection(gate))).records.map((one) => `${one.runNumber} ${one.gate}`);
    expect(await listed('other')).toEqual(['1 other']);
    // In the earlier run no record of `code` names `plan`: there are its end and a decision.
    expect((await listed('code')).toSorted()).toEqual(['1 code', '1 plan', '2 plan', '2 plan']);
  });
});

describe('a service that takes only zips', () => {
  it('gets the same records and contents, and readers notice nothing', async () => {
    await using run = await startRun({ rawUploads: 'refused' });
    const store = await run.open();
    const value = await store.put(`"${'x'.repeat(400_000)}"`);
    const record = endedRecord({ value });
    expect(await store.write(record)).toBe('written');
    expect(await store.write(startedRecord())).toBe('written');
    // Refused once each, for they were on their way together; then nobody asks again.
    expect(run.service.calls.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(2);
    expect(run.service.world.artifacts.map(({ mimeType }) => mimeType)).toEqual(Array(3).fill('application/zip'));
    const reader = await run.open();
    expect((await reader.list('ship', 'pr-42')).records).toHaveLength(2);
    expect(await reader.check(value.digest)).toEqual({ state: 'present', value });
  });
});

it('keeps artifacts as long as it is told', async () => {
  await using run = await startRun();
  await (await run.open({ retentionDays: 3 })).write(startedRecord());
  const { createdAt, expiresAt } = run.artifact(/started/);
  expect(Math.round((expiresAt.getTime() - createdAt.getTime()) / 86_400_000)).toBe(3);
});
