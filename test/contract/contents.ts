import { randomBytes } from 'node:crypto';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { digestOf } from '../../src/json/digest.ts';
import type { StoreUnderTest } from './record-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What a store does with contents. */
export function describeContents(makeStore: () => Promise<StoreUnderTest>): void {
  it('gives back bytes and texts by digest, to another instance too', async () => {
    await using made = await makeStore();
    for (const content of ['', 'text: ä 分 \u{1F600}', Buffer.from([0, 255, 10, 13, 0]), randomBytes(100_000)]) {
      const kept = await made.store.put(content);
      expect(kept).toEqual({ digest: digestOf(content), bytes: Buffer.from(content).length });
      const other = await made.another();
      await made.bring?.(kept, made.store, other);
      for (const store of [made.store, other]) {
        expect(bytesIn(await store.get(kept.digest))).toEqual(Buffer.from(content));
        expect(await store.check(kept.digest)).toEqual({ state: 'present', value: kept });
      }
    }
  });

  it('has one digest for one content, however it is cut into chunks', async () => {
    await using made = await makeStore();
    const whole = 'a\u{1F600}b ä 分'.repeat(3);
    const bytes = Buffer.from(whole);
    const cuts: Iterable<Uint8Array | string>[] = [
      [whole],
      [bytes],
      whole.split(''),
      [...bytes].map((byte) => Buffer.from([byte])),
      ['', whole.slice(0, 3), Buffer.from(whole.slice(3)), ''],
    ];
    for (const chunks of cuts)
      expect(await made.store.putStream(chunks)).toEqual({ digest: digestOf(whole), bytes: bytes.length });
    expect(await made.store.putStream([])).toEqual(await made.store.put(''));
  });

  it('takes the same content any number of times, also at once', async () => {
    await using made = await makeStore();
    const content = randomBytes(50_000);
    const stores = await Promise.all(Array.from({ length: 6 }, () => made.another()));
    const kept = await Promise.all(
      stores.flatMap((store) => [store.put(content), store.putStream([content.subarray(0, 7), content.subarray(7)])]),
    );
    expect(new Set(kept.map((one) => JSON.stringify(one))).size).toBe(1);
    await made.bring?.(kept[0]!, stores[0]!, made.store);
    expect(bytesIn(await made.store.get(kept[0]!.digest))).toEqual(content);
  });

  it('does not change what it holds when a caller changes what it gave or got', async () => {
    await using made = await makeStore();
    const given = Buffer.from('original');
    const { digest } = await made.store.put(given);
    given.write('X');
    bytesIn(await made.store.get(digest)).write('Y');
    expect(bytesIn(await made.store.get(digest)).toString()).toBe('original');
  });

  it('keeps nothing of a stream that fails, and throws what the stream threw', async () => {
    await using made = await makeStore();
    const broken = Object.assign(new Error('the agent went away'), { code: 'EPIPE', syscall: 'read' });
    const chunks = async function* () {
      yield 'half of ';
      throw broken;
    };
    await expect(made.store.putStream(chunks())).rejects.toBe(broken);
    expect(await made.store.get(digestOf('half of '))).toEqual({ state: 'absent' });
  });

  it('copies content to a new file with just the mode that was asked for', async () => {
    await using made = await makeStore();
    await using folder = await temporaryFolder();
    const { digest } = await made.store.put('#!/bin/sh\n');
    const path = join(folder.path, 'script');
    expect(await made.store.copyTo(digest, path, 0o777)).toEqual({ state: 'present', value: { digest, bytes: 10 } });
    expect(await readFile(path, 'utf8')).toBe('#!/bin/sh\n');
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o777);
  });

  it('never copies over a file that exists', async () => {
    await using made = await makeStore();
    await using folder = await temporaryFolder();
    const { digest } = await made.store.put('new');
    const path = join(folder.path, 'file');
    await writeFile(path, 'old');
    await expect(made.store.copyTo(digest, path, 0o644)).rejects.toMatchObject({
      code: 'STORE_WRITE_FAILED',
      fault: 'platform',
    });
    expect(await readFile(path, 'utf8')).toBe('old');
  });
}

/** What a store does with contents that are missing or were altered. */
export function describeSpoilt(makeStore: () => Promise<StoreUnderTest>): void {
  it('says `absent` of what was never kept or was removed, and copies nothing', async () => {
    await using made = await makeStore();
    await using folder = await temporaryFolder();
    const { digest } = await made.store.put('soon gone');
    await made.spoilContent(digest, undefined);
    for (const missing of [digest, digestOf('never there')]) {
      expect(await made.store.get(missing)).toEqual({ state: 'absent' });
      expect(await made.store.check(missing)).toEqual({ state: 'absent' });
      expect(await made.store.copyTo(missing, join(folder.path, 'x'), 0o644)).toEqual({ state: 'absent' });
    }
    expect(await readdir(folder.path)).toEqual([]);
  });

  it.each([
    ['longer', 'right, and more'],
    ['shorter', 'righ'],
    ['of the same length', 'wrong'],
    ['empty', ''],
  ])(
    'says CONTENT_ALTERED of bytes that are %s, copies none of them, and a put makes it good again',
    async (_, other) => {
      await using made = await makeStore();
      await using folder = await temporaryFolder();
      const { digest } = await made.store.put('right');
      for (const heal of [() => made.store.put('right'), () => made.store.putStream(['ri', 'ght'])]) {
        await made.spoilContent(digest, Buffer.from(other));
        const altered = { state: 'unknown', problem: { code: 'CONTENT_ALTERED' } };
        expect(await made.store.check(digest)).toMatchObject(altered);
        expect(await made.store.get(digest)).toMatchObject(altered);
        expect(await made.store.copyTo(digest, join(folder.path, 'x'), 0o644)).toMatchObject(altered);
        expect(await readdir(folder.path)).toEqual([]);
        await heal();
        expect(bytesIn(await made.store.get(digest)).toString()).toBe('right');
      }
    },
  );
}

function bytesIn(read: { readonly state: string; readonly value?: Uint8Array }): Buffer {
  if (read.value === undefined) throw new Error(`not present: ${JSON.stringify(read)}`);
  return Buffer.from(read.value.buffer, read.value.byteOffset, read.value.length);
}
