import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptClaims } from '../../../src/action/records/kept-claims.ts';
import { readToken, tokenOf, type ClaimToken } from '../../../src/engine/attempt/claim-token.ts';
import { OutageBudget } from '../../../src/github/outage-budget.ts';
import { digestOf, hexOf } from '../../../src/json/digest.ts';
import type { StartedRecord } from '../../../src/run/records/record.ts';
import { createMemoryStore } from '../../../src/store/memory/memory-store.ts';
import type { RecordStore } from '../../../src/store/record-store.ts';
import { ended, PIPELINE, started, SUBJECT } from '../../support/records.ts';

const CLAIM = started({ gate: 'a', call: 2, holder: 'job' });
const END = ended({ gate: 'a', call: 2 });
const EARLIER = [started({ gate: 'a', holder: 'job' }), ended({ gate: 'a' })];

let temp: string;
let root: string;
beforeEach(async () => {
  temp = await mkdtemp(join(tmpdir(), 'gateline-claims-'));
  root = join(temp, 'gateline', 'claims');
});
afterEach(() => rm(temp, { recursive: true }));

const clock = { now: () => 0, sleep: async () => undefined };
const budget = (): OutageBudget => new OutageBudget({ clock, totalMs: 1_000 });
/** As another step of the job has them. */
const another = (outage = budget()): KeptClaims => new KeptClaims(root, outage);
const tokenFor = (claim: StartedRecord): ClaimToken => readToken(tokenOf(claim));
const fileOf = (claim: StartedRecord, name: string): string => join(root, hexOf(tokenFor(claim).claim!), name);

/** A store whose records these claims see. */
function guard(claims: KeptClaims, store: RecordStore): Pick<RecordStore, 'write'> {
  return { write: (record) => claims.write(record, () => store.write(record)) };
}

function failing(store: RecordStore): RecordStore {
  return Object.assign(Object.create(store) as RecordStore, {
    write: () => Promise.reject(new Error('no answer')),
  });
}

/** Claims after listing what there is. */
async function claimed(outage = budget()): Promise<{ claims: KeptClaims; store: RecordStore }> {
  const store = createMemoryStore();
  for (const record of [...EARLIER, ended({ gate: 'b' }), ended({ gate: 'a', run: 0 })]) await store.write(record);
  const claims = new KeptClaims(root, outage);
  claims.listed((await store.list(PIPELINE, SUBJECT)).records);
  expect(await guard(claims, store).write(CLAIM)).toBe('written');
  return { claims, store };
}

describe('a claim', () => {
  it('is found by its token in another step, with the attempts of its gate before it in this run', async () => {
    const { claims } = await claimed();
    expect(claims.claimOf(END)).toEqual(CLAIM);
    const later = another();
    const found = await later.find(tokenFor(CLAIM));
    expect(found?.claim).toEqual(CLAIM);
    expect(found?.earlier.toSorted((a, b) => b.kind.localeCompare(a.kind))).toEqual(EARLIER);
    expect(later.claimOf(END)).toEqual(CLAIM);
    expect(await later.find(tokenFor(started({ gate: 'a', call: 3 })))).toBeUndefined();
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['is another one', (path) => writeFile(path, JSON.stringify({ ...CLAIM, request: digestOf('other') }))],
    ['is no record', (path) => writeFile(path, '{')],
    ['is gone', (path) => rm(path)],
    ['is a pipe', (path) => rm(path).then(() => promisify(execFile)('mkfifo', [path]))],
    ['is a link to the claim', (path) => writeFile(`${path}.2`, JSON.stringify(CLAIM)).then(() => relink(path))],
  ])('whose file %s is not here', async (_, spoil) => {
    await claimed();
    await spoil(fileOf(CLAIM, 'claim.json'));
    expect(await another().find(tokenFor(CLAIM))).toBeUndefined();
  });

  it('has no attempts before it where somebody wrote of others there', async () => {
    await claimed();
    const strangers = [ended({ gate: 'a', call: 2 }), ended({ gate: 'b' }), { kind: 'ended' }, 7];
    await writeFile(fileOf(CLAIM, 'earlier.json'), JSON.stringify(strangers));
    expect((await another().find(tokenFor(CLAIM)))?.earlier).toEqual([]);
  });
});

describe('what cannot be kept on the runner', () => {
  it.each([
    ['a claim', CLAIM],
    ['an end', END],
  ])('is not uploaded either, and is told: %s', async (_, record) => {
    const store = createMemoryStore();
    await mkdir(join(temp, 'gateline'));
    await writeFile(root, 'a file where the folder should be');
    const claims = another();
    claims.add(CLAIM);
    await expect(guard(claims, store).write(record)).rejects.toMatchObject({
      code: 'TEMP_UNWRITABLE',
      fault: 'platform',
      message: expect.stringContaining(root),
    });
    expect((await store.list(PIPELINE, SUBJECT)).records).toEqual([]);
  });
});

async function relink(path: string): Promise<void> {
  await rm(path);
  await symlink(`${path}.2`, path);
}

describe('the end of an attempt', () => {
  it('waits on the runner as long as it cannot be uploaded, and is known as recorded once it is', async () => {
    const { claims, store } = await claimed();
    expect(await claims.endOf(tokenFor(CLAIM))).toEqual({ state: 'none' });
    await expect(guard(claims, failing(store)).write(END)).rejects.toThrow('no answer');
    const later = another();
    await later.resume(tokenFor(CLAIM));
    expect(await later.endOf(tokenFor(CLAIM))).toEqual({ state: 'waiting', record: END });
    expect(await guard(later, store).write(END)).toBe('written');
    expect(await another().endOf(tokenFor(CLAIM))).toEqual({ state: 'recorded', record: END });
    expect((await store.list(PIPELINE, SUBJECT)).records).toContainEqual(END);
  });

  it('is kept for each claim, and for those that were found elsewhere', async () => {
    const { claims, store } = await claimed();
    const other = started({ gate: 'a', leg: 'x', call: 2 });
    claims.add(other);
    for (const record of [END, ended({ gate: 'a', leg: 'x', call: 2 })])
      await guard(claims, failing(store))
        .write(record)
        .catch(() => undefined);
    expect((await readdir(root)).length).toBe(2);
    expect(await another().endOf(tokenFor(other))).toMatchObject({ state: 'waiting', record: { leg: 'x' } });
  });

  it.each([
    ['of another attempt', { ...END, n: 2 }],
    ['by another contract', { ...END, contract: digestOf('{}') }],
    ['of another gate', { ...END, gate: 'b' }],
    ['that is a claim', CLAIM],
  ])('%s that somebody wrote there is none', async (_, record) => {
    await claimed();
    for (const name of ['end.json', 'recorded.json']) await writeFile(fileOf(CLAIM, name), JSON.stringify(record));
    expect(await another().endOf(tokenFor(CLAIM))).toEqual({ state: 'none' });
  });
});

describe('what was waited for GitHub', () => {
  it('counts in later steps of the same claim, and not for another one', async () => {
    const outage = budget();
    const { claims, store } = await claimed(outage);
    outage.enter(-300);
    await outage.pausing(200);
    const next = budget();
    await another(next).resume(tokenFor(CLAIM));
    expect(next.left()).toBe(500);
    outage.leave();
    await guard(claims, store).write(started({ gate: 'a', call: 2, n: 2 }));
    expect(outage.left()).toBe(1_000);
  });

  it.each(['-5', '"9"', 'null', '{', 'Infinity'])('is nothing where %s stands there', async (text) => {
    await claimed();
    await writeFile(fileOf(CLAIM, 'waited'), text);
    const outage = budget();
    await another(outage).resume(tokenFor(CLAIM));
    expect(outage.left()).toBe(1_000);
  });
});

describe('the file of the post step', () => {
  const post = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const program = join(import.meta.dirname, '../../../src/action/post-entry.ts');
    const options = { env: { PATH: process.env['PATH']!, RUNNER_TEMP: temp, ...env } };
    try {
      return (await promisify(execFile)(process.execPath, [program], options)).stdout;
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  it('loads nothing where the end of the claim is on record, by the names that this room gives its files', async () => {
    const { claims, store } = await claimed();
    const state = { STATE_finished: 'true', STATE_claim: tokenOf(CLAIM) };
    expect(await post(state)).not.toBe('');
    await guard(claims, store).write(END);
    expect(await post(state)).toBe('');
    expect(await post({ ...state, STATE_finished: 'false' })).not.toBe('');
    expect(await post({ STATE_finished: 'true', STATE_claim: '' })).toBe('');
    await mkdir(join(temp, 'gateline', 'claims', 'x'), { recursive: true });
    expect(await post({ STATE_finished: 'true', STATE_claim: 'no token' })).not.toBe('');
  });
});
