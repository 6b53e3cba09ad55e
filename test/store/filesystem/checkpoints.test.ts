import { appendFile, chmod, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFilesystemStore, type FilesystemRecordStore } from '../../../src/store/filesystem/filesystem-store.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { digestOf } from '../../../src/json/digest.ts';
import { temporaryFolder } from '../../contract/temporary-folder.ts';
import { decided, ended, FINGERPRINT, PARTIAL, started, FAILED } from '../../support/records.ts';

const UNIT = { pipeline: 'test', subject: 'ours', gate: 'a', leg: '' };

type Options = Partial<Parameters<typeof openFilesystemStore>[0]>;

async function place() {
  const folder = await temporaryFolder();
  const root = join(folder.path, '.state');
  return {
    index: join(root, 'checkpoints.jsonl'),
    root,
    open: (options: Options = {}) => openFilesystemStore({ root, workspace: folder.path, ...options }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function of(subject: string, record: GatelineRecord): GatelineRecord {
  return { ...record, subject };
}

/** A claim and its output, of another subject. */
async function leave(store: FilesystemRecordStore, subject: string, told: Partial<Parameters<typeof ended>[0]> = {}) {
  await store.write(of(subject, started({ gate: 'a', ...(told.run !== undefined && { run: told.run }) })));
  await store.write(of(subject, ended({ gate: 'a', ...told })));
}

/** The subjects whose outputs are found, with the kinds of the records. */
async function found(store: FilesystemRecordStore, unit = UNIT, fingerprint = FINGERPRINT): Promise<object> {
  const { listings, notices } = await store.checkpoints.find(unit, fingerprint);
  expect(notices).toEqual([]);
  return Object.fromEntries(
    listings.map(({ records }) => [records[0]!.subject, records.map(({ kind, runNumber }) => `${kind} ${runNumber}`)]),
  );
}

const WORK = ['started 1', 'ended 1'];

describe('outputs of other subjects by fingerprint', () => {
  it('are found with their claims, the newest subject first, and not those of the same subject', async () => {
    await using here = await place();
    const store = await here.open();
    expect(await found(store)).toEqual({});
    for (const subject of ['ours', 'main', 'feature']) await leave(store, subject);
    expect(Object.keys(await found(store))).toEqual(['feature', 'main']);
    expect(await found(store)).toEqual({ feature: expect.arrayContaining(WORK), main: expect.arrayContaining(WORK) });
    expect(Object.keys(await found(store, { ...UNIT, subject: 'main' }))).toEqual(['feature', 'ours']);
  });

  it.each([
    ['another pipeline', { ...UNIT, pipeline: 'other' }],
    ['another gate', { ...UNIT, gate: 'b' }],
    ['another leg', { ...UNIT, leg: 'x' }],
  ])('are not found for %s', async (_what, unit) => {
    await using here = await place();
    const store = await here.open();
    await leave(store, 'main');
    expect(await found(store, unit)).toEqual({});
    expect(await found(store, UNIT, digestOf('another'))).toEqual({});
  });

  it('are outputs of agents only', async () => {
    await using here = await place();
    const store = await here.open();
    await leave(store, 'failed', { verdict: FAILED });
    await leave(store, 'reused', { how: 'reused', source: { runNumber: 1, runAttempt: 1, n: 1 } });
    await leave(store, 'partial', { verdict: PARTIAL });
    expect(Object.keys(await found(store))).toEqual(['partial']);
  });

  it('come with every decision about the unit, of any run, and with those that cannot be read', async () => {
    await using here = await place();
    const store = await here.open();
    await leave(store, 'main', { run: 2 });
    await store.write(of('main', decided({ gate: 'a', decision: 'reject', run: 3 })));
    await store.write(of('main', decided({ gate: 'b', decision: 'reject', run: 3 })));
    expect(await found(store)).toEqual({ main: expect.arrayContaining(['ended 2', 'decided 3']) });
    await writeFile(join(here.root, 'runs/main/3/test.a._.3.1.0.decided.reject.json'), '');
    const { listings } = await (await here.open()).checkpoints.find(UNIT, FINGERPRINT);
    expect(listings[0]!.problems).toMatchObject([{ names: { gate: 'a', kind: 'decided.reject', runNumber: 3 } }]);
  });

  it('are found by a process that began before they were left', async () => {
    await using here = await place();
    const [one, two] = [await here.open(), await here.open()];
    expect(await found(one)).toEqual({});
    await leave(two, 'main');
    expect(Object.keys(await found(one))).toEqual(['main']);
  });
});

describe('the index of outputs', () => {
  it('has none of commands: nothing reuses these, and there may be any number', async () => {
    await using here = await place();
    const store = await here.open();
    await leave(store, 'main');
    await found(store);
    const before = await readFile(here.index, 'utf8');
    await store.write({ ...of('main', ended({ gate: 'click' })), command: true } as GatelineRecord);
    expect(await readFile(here.index, 'utf8')).toBe(before);
  });

  it('is read once, then only what was added, however many gates ask', async () => {
    await using here = await place();
    const writes: string[] = [];
    const store = await here.open({ onDurable: (what) => writes.push(what) });
    await leave(store, 'main');
    for (let gate = 0; gate < 50; gate += 1) await store.checkpoints.find({ ...UNIT, gate: `g${gate}` }, FINGERPRINT);
    expect(writes.filter((what) => what.includes('checkpoints.jsonl'))).toHaveLength(1);
  });

  it.each<[string, (index: string) => Promise<unknown>]>([
    ['missing', (index) => rm(index)],
    ['empty', (index) => truncate(index)],
    ['of another format', (index) => writeFile(index, '{"format":"gateline-checkpoint-index/9"}\n')],
    ['damaged in the middle', async (index) => writeFile(index, (await readFile(index, 'utf8')).replace('"a"', '"a'))],
    ['continued after a line without its end', (index) => appendFile(index, '{"fingerp{"x":1}\n')],
    ['a link', async (index) => (await rm(index), symlink('/etc/hostname', index))],
  ])('is made again when it is %s', async (_what, damage) => {
    await using here = await place();
    const before = await here.open();
    await found(before);
    await leave(before, 'main');
    await damage(here.index);
    const after = await here.open();
    expect(Object.keys(await found(after))).toEqual(['main']);
    expect((await readFile(here.index, 'utf8')).split('\n')).toHaveLength(3);
    await leave(after, 'feature');
    expect(Object.keys(await found(await here.open()))).toEqual(['feature', 'main']);
  });

  it('keeps what it has when its last line is without its end, as after a kill', async () => {
    await using here = await place();
    const store = await here.open();
    await found(store);
    await leave(store, 'main');
    const whole = await readFile(here.index, 'utf8');
    await appendFile(here.index, whole.split('\n')[1]!.slice(0, 40));
    expect(Object.keys(await found(await here.open()))).toEqual(['main']);
    await leave(await here.open(), 'feature');
    expect(Object.keys(await found(await here.open())).toSorted()).toEqual(['feature', 'main']);
  });

  it('names nothing that has no record', async () => {
    await using here = await place();
    const store = await here.open();
    await found(store);
    await leave(store, 'main');
    await rm(join(here.root, 'runs/main'), { recursive: true });
    expect(await found(await here.open())).toEqual({});
  });

  it('is not written by a store for reading, which finds everything all the same', async () => {
    await using here = await place();
    await leave(await here.open(), 'main');
    await rm(here.index, { force: true });
    expect(Object.keys(await found(await here.open({ readOnly: true })))).toEqual(['main']);
    await expect(readFile(here.index)).rejects.toThrow('ENOENT');
  });

  it('never keeps a record from being written', async () => {
    await using here = await place();
    await mkdir(here.index, { recursive: true });
    const store = await here.open();
    await leave(store, 'main');
    expect(Object.keys(await found(store))).toEqual(['main']);
    await chmod(here.root, 0o755);
  });
});
