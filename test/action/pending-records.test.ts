import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pendingRecords } from '../../src/action/pending-records.ts';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
import type { RecordStore } from '../../src/store/record-store.ts';
import { ended, PIPELINE, started, SUBJECT } from '../support/records.ts';

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gateline-pending-'));
  try {
    await work(join(folder, 'pending'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function failing(store: RecordStore): RecordStore {
  return Object.assign(Object.create(store) as RecordStore, {
    write: () => Promise.reject(new Error('no answer')),
  });
}

describe('the end of an attempt', () => {
  it('is kept on the runner when it cannot be uploaded, and is gone from there once it is', () =>
    inFolder(async (folder) => {
      const store = createMemoryStore();
      const pending = pendingRecords(folder);
      await expect(pending.guard(failing(store)).write(ended({ gate: 'a' }))).rejects.toThrow('no answer');
      const kept = await pendingRecords(folder).read();
      expect(kept).toEqual({ records: [ended({ gate: 'a' })], unreadable: [] });
      expect(await pending.guard(store).write(kept.records[0]!)).toBe('written');
      expect(await pendingRecords(folder).read()).toEqual({ records: [], unreadable: [] });
      expect((await store.list(PIPELINE, SUBJECT)).records).toEqual([ended({ gate: 'a' })]);
    }));

  it('is not uploaded where it cannot be kept first, and says why', () =>
    inFolder(async (folder) => {
      await writeFile(folder, 'a file where the folder should be');
      const store = createMemoryStore();
      await expect(
        pendingRecords(folder)
          .guard(store)
          .write(ended({ gate: 'a' })),
      ).rejects.toMatchObject({
        code: 'TEMP_UNWRITABLE',
        fault: 'platform',
        message: expect.stringContaining(folder),
      });
      expect((await store.list(PIPELINE, SUBJECT)).records).toEqual([]);
      expect(
        await pendingRecords(folder)
          .guard(store)
          .write(started({ gate: 'a' })),
      ).toBe('written');
    }));

  it('is kept for each gate, leg and attempt; claims are not', () =>
    inFolder(async (folder) => {
      const store = pendingRecords(folder).guard(failing(createMemoryStore()));
      const all = [
        ended({ gate: 'a' }),
        ended({ gate: 'a', n: 2 }),
        ended({ gate: 'a', leg: 'x' }),
        ended({ gate: 'b' }),
      ];
      for (const record of [...all, started({ gate: 'c' })]) await store.write(record).catch(() => undefined);
      expect((await pendingRecords(folder).read()).records).toHaveLength(4);
    }));

  it('that cannot be read is told, and nothing is there before anything was kept', () =>
    inFolder(async (folder) => {
      expect(await pendingRecords(folder).read()).toEqual({ records: [], unreadable: [] });
      await pendingRecords(folder)
        .guard(failing(createMemoryStore()))
        .write(ended({ gate: 'a' }))
        .catch(() => undefined);
      const [name] = await readdir(folder);
      await writeFile(join(folder, name!), '{');
      expect((await pendingRecords(folder).read()).unreadable).toEqual([
        expect.stringContaining('ends before its JSON does'),
      ]);
    }));
});
