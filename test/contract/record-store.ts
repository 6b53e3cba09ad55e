import { describe, expect, it } from 'vitest';
import { digestOf, type Digest } from '../../src/json/digest.ts';
import { recordName, type Content, type GatelineRecord } from '../../src/run/records/record.ts';
import type { RecordStore } from '../../src/store/record-store.ts';
import { BAD_RECORDS } from './bad-records.ts';
import { describeContents, describeSpoilt } from './contents.ts';
import { decidedRecord, endedRecord, startedRecord } from './samples.ts';

/** A store to be tested, and ways behind its back. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: RecordStore;
  /** Another store over the same things, as another process would open it; on another machine, where the store is for that. */
  another(): Promise<RecordStore>;
  /**
   * The only run whose records there are. An artifact belongs to one run of GitHub, and no other run can upload there:
   * such a store is tested with records of its own run wherever it does not matter which run they are of.
   */
  readonly onlyRun?: number;
  /**
   * Makes content that was put into one store reach another one, where that takes more than putting it. Between two
   * machines only artifacts travel: content goes with a record that refers to it, and is found by whoever listed that.
   */
  bring?(content: Content, from: RecordStore, to: RecordStore): Promise<void>;
  /** Replace what is kept under this record's name; `unreadable`: the medium refuses to give it. */
  spoilRecord(record: GatelineRecord, bytes: Uint8Array | 'unreadable'): Promise<void>;
  /** Replace what is kept as this content; `undefined`: remove it. */
  spoilContent(digest: Digest, bytes: Uint8Array | undefined): Promise<void>;
}

/** Every store does all of this. */
export function describeRecordStore(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name}: records`, () => describeRecords(makeStore));
  describe(`${name}: records that cannot be read`, () => describeProblems(makeStore));
  describe(`${name}: contents`, () => describeContents(makeStore));
  describe(`${name}: contents that are not what they were`, () => describeSpoilt(makeStore));
}

function describeRecords(makeStore: () => Promise<StoreUnderTest>): void {
  it('gives back every kind of record as it was written, to another instance too', async () => {
    await using made = await makeStore();
    const written = [
      startedRecord(),
      endedRecord(),
      decidedRecord(),
      decidedRecord({ decision: 'approve' }),
      startedRecord({ leg: 'chrome-3.11_x' }),
    ];
    for (const record of written) expect(await made.store.write(record)).toBe('written');
    for (const store of [made.store, await made.another()]) {
      const listing = await store.list('ship', 'pr-42');
      expect(listing.problems).toEqual([]);
      expect(byName(listing.records)).toEqual(byName(written));
    }
  });

  it('knows nothing of what was never written', async () => {
    await using made = await makeStore();
    expect(await made.store.list('ship', 'pr-42')).toMatchObject({ records: [], problems: [] });
    expect(await made.store.subjects('ship')).toEqual([]);
  });

  it('never changes a record: a second write of its name is `taken`, whatever it holds', async () => {
    await using made = await makeStore();
    await made.store.write(startedRecord());
    expect(
      await made.store.write(startedRecord({ fingerprint: digestOf('another'), at: '2026-01-01T00:00:00.000Z' })),
    ).toBe('taken');
    expect(await (await made.another()).write(startedRecord())).toBe('taken');
    expect((await made.store.list('ship', 'pr-42')).records).toEqual([startedRecord()]);
  });

  it('lets exactly one of many concurrent writers have a name, and keeps what that one wrote', async () => {
    await using made = await makeStore();
    const stores = await Promise.all(Array.from({ length: 8 }, () => made.another()));
    const claims = Array.from({ length: 32 }, (_, index) =>
      startedRecord({ by: { ...startedRecord().by, pid: index } }),
    );
    const answers = await Promise.all(claims.map((claim, index) => stores[index % 8]!.write(claim)));
    expect(answers.filter((answer) => answer === 'written')).toHaveLength(1);
    expect((await made.store.list('ship', 'pr-42')).records).toEqual([claims[answers.indexOf('written')]]);
  });

  it('keeps what concurrent writers of different names write, all of it', async () => {
    await using made = await makeStore();
    const records = Array.from({ length: 60 }, (_, index) =>
      startedRecord({ n: index, runNumber: made.onlyRun ?? 1 + (index % 3) }),
    );
    await Promise.all(records.map(async (record) => (await made.another()).write(record)));
    expect(byName((await made.store.list('ship', 'pr-42')).records)).toEqual(byName(records));
  });

  it('keeps subjects and pipelines apart, with one record name in each', async () => {
    await using made = await makeStore();
    const subjects = [
      'pr-42',
      'PR-42',
      'pr 42',
      'pr/42',
      '分支',
      '分支二',
      'é',
      'e\u0301',
      '../../etc/passwd',
      'con',
      '\u{1F600}',
      'a'.repeat(1_024),
      'a'.repeat(1_023),
      '\ud800',
      '\ud801',
      ...COLLIDING,
    ];
    for (const pipeline of ['ship', 'other']) {
      for (const subject of subjects)
        expect(await made.store.write(startedRecord({ pipeline, subject }))).toBe('written');
    }
    for (const subject of subjects) {
      expect(await made.store.list('ship', subject)).toMatchObject({
        records: [startedRecord({ subject })],
        problems: [],
      });
    }
    expect(await made.store.subjects('other')).toEqual(subjects.toSorted());
    expect(await made.store.subjects('third')).toEqual([]);
  });

  it('hands out a listing that nobody else sees: changing it changes nothing', async () => {
    await using made = await makeStore();
    const record = endedRecord();
    await made.store.write(record);
    record.verdict.issues.push({ severity: 'error', message: 'added after the write' });
    const first = await made.store.list('ship', 'pr-42');
    first.records[0]!.gate = 'changed';
    (first.records as GatelineRecord[]).length = 0;
    expect((await made.store.list('ship', 'pr-42')).records).toEqual([endedRecord()]);
  });

  it('refuses to write what is not a record, and leaves no trace of it', async () => {
    await using made = await makeStore();
    for (const wrong of [
      { n: -1 },
      { gate: '../x' },
      { leg: '../../x' },
      { leg: '_' },
      { leg: 'a b' },
      { at: 'yesterday' },
      { extra: 1 },
    ]) {
      const record = { ...startedRecord(), ...wrong } as GatelineRecord;
      await expect(made.store.write(record), JSON.stringify(wrong)).rejects.toMatchObject({
        code: 'RECORD_INVALID',
        fault: 'gateline',
      });
    }
    expect(await made.store.list('ship', 'pr-42')).toMatchObject({ records: [], problems: [] });
  });
}

/** Two subjects that have one slug when its digest has six digits. */
const COLLIDING = ['殐肰', '沶袺'] as const;

function describeProblems(makeStore: () => Promise<StoreUnderTest>): void {
  it.each(BAD_RECORDS)('a record that is %s: %s, never absent, its name never free again', async (_, code, spoil) => {
    await using made = await makeStore();
    const runNumber = made.onlyRun ?? 3;
    const bad = startedRecord({ gate: 'design', runNumber, runAttempt: 2, n: 4 });
    await made.store.write(bad);
    await made.store.write(endedRecord());
    await made.spoilRecord(bad, spoil(bad));
    const names = { gate: 'design', leg: '', runNumber, runAttempt: 2, n: 4, kind: 'started' };
    for (const store of [made.store, made.store, await made.another()]) {
      const listing = await store.list('ship', 'pr-42');
      expect(listing.records).toEqual([endedRecord()]);
      expect(listing.problems).toMatchObject([{ code, names }]);
      expect(listing.problems[0]!.where).not.toBe('');
      expect(listing.problems[0]!.message).not.toBe('');
    }
    expect(await made.store.write(bad)).toBe('taken');
    expect((await made.store.list('ship', 'pr-42')).problems).toMatchObject([{ code, names }]);
  });

  it('tells of each of many bad records, and hides no sound one behind them', async () => {
    await using made = await makeStore();
    const records = BAD_RECORDS.map((_, index) => startedRecord({ n: index + 1 }));
    for (const record of [...records, endedRecord()]) await made.store.write(record);
    for (const [index, [, , spoil]] of BAD_RECORDS.entries())
      await made.spoilRecord(records[index]!, spoil(records[index]!));
    const { records: sound, problems } = await made.store.list('ship', 'pr-42');
    expect(sound).toEqual([endedRecord()]);
    expect(
      problems.map((problem) => [problem.names?.n, problem.code]).toSorted((a, b) => Number(a[0]) - Number(b[0])),
    ).toEqual(BAD_RECORDS.map(([, code], index) => [index + 1, code]));
  });

  it('gives one answer to many who list at once, and bad records do not trouble other pipelines', async () => {
    await using made = await makeStore();
    const bad = startedRecord();
    await made.store.write(bad);
    await made.spoilRecord(bad, Buffer.from('{"format":'));
    const stores = await Promise.all(Array.from({ length: 6 }, () => made.another()));
    for (const listing of await Promise.all(stores.map((store) => store.list('ship', 'pr-42')))) {
      expect(listing).toMatchObject({ records: [], problems: [{ code: 'TRUNCATED', names: { gate: 'design' } }] });
    }
    expect(await made.store.list('other', 'pr-42')).toMatchObject({ records: [], problems: [] });
  });
}

function byName(records: readonly GatelineRecord[]): GatelineRecord[] {
  return records.toSorted((a, b) => (recordName(a) < recordName(b) ? -1 : 1));
}
