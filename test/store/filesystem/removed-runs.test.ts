import { readFile, stat, utimes } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { contentOf } from '../../support/records.ts';
import { decidedRecord, endedRecord, startedRecord } from '../../contract/samples.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { filesBelow, makeWorkspace } from './workspace.ts';

const run = (runNumber: number, more: Partial<GatelineRecord> = {}): GatelineRecord[] => [
  startedRecord({ runNumber, ...(more as object) }),
  endedRecord({ runNumber, ...(more as object) }),
  decidedRecord({ runNumber, ...(more as object) }),
];

/** A store with these records, and what it says it did since. */
async function storeWith(...records: readonly GatelineRecord[]) {
  const made = await makeWorkspace();
  const told: string[] = [];
  const store = await made.open({ onDurable: (what) => told.push(what.replace('.state/runs/pr-42/', '')) });
  for (const record of records) expect(await store.write(record)).toBe('written');
  told.length = 0;
  return { made, store, told, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
}

const names = async (root: string): Promise<string[]> =>
  (await filesBelow(root)).filter((name) => /^(runs|tmp)/.test(name));

describe('the removal of runs', () => {
  it('takes all records of a run away at once, and keeps them until it is completed', async () => {
    await using world = await storeWith(...run(1), ...run(2));
    const { made, store, told } = world;
    expect(await store.removedRuns.remove([run(1)])).toBe(true);
    expect(told).toEqual(['removed 1']);
    expect((await store.list('ship', 'pr-42')).records).toHaveLength(3);
    expect(await store.removedRuns.records()).toHaveLength(3);
    expect(await store.write(startedRecord({ runNumber: 1 }))).toBe('written');
    await store.removedRuns.forget();
    expect(await store.removedRuns.records()).toEqual([]);
    expect((await names(made.root)).filter((name) => name.startsWith('tmp'))).toEqual([]);
    await store.removedRuns.forget();
    expect(told.at(-1)).toBe('removal completed');
  });

  it('leaves the records of other pipelines in its folder, and moves outputs before decisions', async () => {
    const other = startedRecord({ runNumber: 1, pipeline: 'other' });
    await using world = await storeWith(...run(1), other);
    const { made, store, told } = world;
    expect(await store.removedRuns.remove([run(1)])).toBe(true);
    expect(told.map((what) => what.replace(/.*\.(\w+)\.json$/, '$1'))).toEqual([
      'ended',
      'started',
      'skip',
      'removed 1',
    ]);
    expect(await readFile(made.fileOf(other), 'utf8')).toContain('other');
    expect(await store.removedRuns.records()).toHaveLength(3);
  });

  it('moves outputs of runs that need each other first, and of these what was reused', async () => {
    const source = { runNumber: 1, runAttempt: 1, n: 1 };
    const reused = { ...endedRecord({ runNumber: 2 }), how: 'reused' as const, source };
    const second = [startedRecord({ runNumber: 2 }), reused, decidedRecord({ runNumber: 2 })];
    await using world = await storeWith(...run(1), ...second);
    const { store, told } = world;
    expect(await store.removedRuns.remove([run(1), second])).toBe(true);
    const short = told.map((what) => what.replace(/removed (\d)(?:.*\.(\w+)\.json)?$/, '$1 $2').trim());
    expect(short).toEqual(['2 ended', '1 ended', '1 started', '1 skip', '1', '2 started', '2 skip', '2']);
    expect((await store.everything()).records).toEqual([]);
  });

  it('removes nothing if one of the runs has another record by now', async () => {
    await using world = await storeWith(...run(1), ...run(2), startedRecord({ runNumber: 1, n: 2 }));
    const { store, told } = world;
    expect(await store.removedRuns.remove([run(2), run(1)])).toBe(false);
    expect(told).toEqual([]);
    expect((await store.everything()).records).toHaveLength(7);
  });

  it('removes contents that nobody names and that are not new', async () => {
    await using world = await storeWith();
    const { made, store } = world;
    const [named, old, used, fresh] = await Promise.all(
      ['named', 'old', 'used', 'fresh'].map((text) => store.put(text)),
    );
    const before = new Date(Date.now() - 60_000);
    for (const { digest } of [named!, old!, used!]) await utimes(made.fileOfContent(digest), 0, 0);
    // Stored again, it is as new.
    await store.put('used');
    expect((await stat(made.fileOfContent(used!.digest))).mtimeMs).toBeGreaterThan(before.getTime());
    const removed = await store.removedRuns.removeContents(new Set([named!.digest]), before);
    expect(removed).toEqual({ contents: 1, bytes: 3 });
    expect((await store.contents()).digests.toSorted()).toEqual(
      [named!, used!, fresh!].map(({ digest }) => digest).toSorted(),
    );
    expect(await store.put('old')).toEqual(contentOf('old'));
    expect(await store.check(old!.digest)).toMatchObject({ state: 'present' });
  });

  it('is refused in a store that is only read', async () => {
    await using world = await storeWith(...run(1));
    const store = await world.made.open({ readOnly: true });
    await expect(store.removedRuns.remove([run(1)])).rejects.toThrow('reading only');
    await expect(store.removedRuns.removeContents(new Set(), new Date())).rejects.toThrow('reading only');
  });
});
