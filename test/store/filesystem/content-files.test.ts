import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import { filesBelow, makeWorkspace } from './workspace.ts';

describe('contents as files', () => {
  it('keep altered bytes in quarantine with a note, once for each alteration, and put makes the place good', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const { digest } = await store.put('right');
    await writeFile(made.fileOfContent(digest), 'wrong');
    const first = await store.check(digest);
    expect(await store.get(digest)).toEqual(first);
    if (first.state !== 'unknown') throw new Error('altered content must be unknown');
    const kept = join(made.workspace, first.problem.quarantine!);
    expect(first.problem.message).toContain(digestOf('wrong'));
    await store.put('right');
    expect(await store.check(digest)).toEqual({ state: 'present', value: { digest, bytes: 5 } });
    expect(await readFile(kept, 'utf8')).toBe('wrong');
    expect(JSON.parse(await readFile(`${kept}.why.json`, 'utf8'))).toMatchObject({
      code: 'CONTENT_ALTERED',
      was: first.problem.where,
    });
    expect((await filesBelow(join(made.root, 'quarantine'))).length).toBe(2);
  });

  it('that were altered are told of by a reader that may not write, which moves nothing', async () => {
    await using made = await makeWorkspace();
    const { digest } = await (await made.open()).put('right');
    await writeFile(made.fileOfContent(digest), 'wrong');
    const before = await filesBelow(made.root);
    const read = await (await made.open({ readOnly: true })).check(digest);
    expect(read).toMatchObject({ state: 'unknown', problem: { code: 'CONTENT_ALTERED' } });
    expect(await filesBelow(made.root)).toEqual(before);
  });

  it('with a folder or a link in their place are unknown, not absent, and nothing is written through the link', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const { digest } = await store.put('right');
    const outside = join(made.workspace, 'outside');
    await writeFile(outside, 'right');
    await rm(made.fileOfContent(digest));
    await symlink(outside, made.fileOfContent(digest));
    expect(await store.check(digest)).toMatchObject({ state: 'unknown', problem: { code: 'UNREADABLE' } });
    await store.put('right');
    expect(await store.check(digest)).toMatchObject({ state: 'present' });
    expect(await readFile(outside, 'utf8')).toBe('right');
    await rm(made.fileOfContent(digest));
    await mkdir(made.fileOfContent(digest));
    expect(await store.check(digest)).toMatchObject({ state: 'unknown', problem: { code: 'UNREADABLE' } });
    await expect(store.put('right')).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' });
  });

  it('are never copied through a link in the place of the new file', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const { digest } = await store.put('payload');
    await symlink(join(made.workspace, 'not there'), join(made.workspace, 'link'));
    await expect(store.copyTo(digest, join(made.workspace, 'link'), 0o644)).rejects.toMatchObject({
      code: 'STORE_WRITE_FAILED',
    });
    expect(await filesBelow(made.workspace).catch(() => [])).not.toContain('not there');
  });

  it('refuse what is no digest, so that no name leads anywhere else', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    for (const digest of ['sha256:../../../../etc/passwd', 'sha256:', `sha256:${'A'.repeat(64)}`] as const) {
      await expect(store.get(digest)).rejects.toMatchObject({ code: 'DIGEST_INVALID' });
    }
  });
});

describe('contents that nobody stored for a time', () => {
  const TEXT = 'a line that is there many times\n'.repeat(100_000);
  const LATER = new Date(Date.now() + 60_000);

  /** A store with one compressed content. */
  async function compressed() {
    const made = await makeWorkspace();
    const store = await made.open();
    const { digest } = await store.put(TEXT);
    const plain = made.fileOfContent(digest);
    expect(await store.packContents(LATER)).toMatchObject({ contents: 1 });
    return { made, store, digest, plain, file: `${plain}.gz` };
  }

  it('are compressed, and read, listed and copied as before', async () => {
    const { made, store, digest, plain, file } = await compressed();
    await using _made = made;
    expect(existsSync(plain)).toBe(false);
    const bytes = await readFile(file);
    expect(gunzipSync(bytes).toString()).toBe(TEXT);
    expect(bytes.length).toBeLessThan(TEXT.length / 50);
    expect(await store.check(digest)).toEqual({ state: 'present', value: { digest, bytes: TEXT.length } });
    const read = await store.get(digest);
    expect(read.state === 'present' && Buffer.from(read.value).toString()).toBe(TEXT);
    expect(await store.contents()).toEqual({ digests: [digest], others: [] });
    const copy = join(made.workspace, 'copy');
    expect(await store.copyTo(digest, copy, 0o600)).toMatchObject({ state: 'present' });
    expect(await readFile(copy, 'utf8')).toBe(TEXT);
    expect(await store.packContents(LATER)).toEqual({ contents: 0, bytes: 0 });
  });

  it('are plain again when they are stored again, and both forms are one content', async () => {
    const { made, store, digest, plain, file } = await compressed();
    await using _made = made;
    await store.put(TEXT);
    expect([existsSync(plain), existsSync(file)]).toEqual([true, true]);
    expect((await store.contents()).digests).toEqual([digest]);
    expect(await store.removedRuns.removeContents(new Set(), LATER)).toMatchObject({ contents: 1 });
    expect(await store.check(digest)).toEqual({ state: 'absent' });
    expect([existsSync(plain), existsSync(file)]).toEqual([false, false]);
  });

  const whole = gzipSync(TEXT);
  const hostile: readonly (readonly [string, Uint8Array])[] = [
    ['no gzip', Buffer.from('no gzip at all')],
    ['nothing', Buffer.alloc(0)],
    ['half of it', whole.subarray(0, whole.length / 2)],
    ['other bytes', gzipSync(TEXT.replace('line', 'lime'))],
    ['a size that is too large', Buffer.concat([whole.subarray(0, -4), Buffer.from([0, 0, 0, 1])])],
    ['a size that is too small', Buffer.concat([whole.subarray(0, -4), Buffer.from([1, 0, 0, 0])])],
    [
      'far more bytes than it says',
      Buffer.concat([gzipSync(Buffer.alloc(300_000_000)).subarray(0, -4), Buffer.from([9, 0, 0, 0])]),
    ],
  ];

  it.each(hostile)('are altered, and kept aside, with %s in the place of the file', async (_, bytes) => {
    const { made, store, digest, file } = await compressed();
    await using _made = made;
    await writeFile(file, bytes);
    const read = await store.get(digest);
    expect(read).toMatchObject({ state: 'unknown', problem: { code: 'CONTENT_ALTERED' } });
    expect(read.state === 'unknown' && read.problem.where).toMatch(/\.gz$/);
    expect(await store.copyTo(digest, join(made.workspace, 'copy'), 0o600)).toMatchObject({ state: 'unknown' });
    expect(existsSync(join(made.workspace, 'copy'))).toBe(false);
    await store.put(TEXT);
    expect(await store.check(digest)).toMatchObject({ state: 'present' });
    expect(await store.packContents(LATER)).toMatchObject({ contents: 1 });
    expect(await store.check(digest)).toMatchObject({ state: 'present' });
  });

  it('stay as they are if they are young, small, random or damaged, or the time is over', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const { digest } = await store.put(TEXT);
    await store.put(TEXT.slice(0, 4_096));
    await store.put(randomBytes(50_000));
    await utimes(made.fileOfContent(digest), LATER.getTime() / 1_000 + 1, LATER.getTime() / 1_000 + 1);
    expect(await store.packContents(LATER)).toEqual({ contents: 0, bytes: 0 });
    await utimes(made.fileOfContent(digest), 0, 0);
    expect(await store.packContents(LATER, AbortSignal.abort())).toEqual({ contents: 0, bytes: 0 });
    await writeFile(made.fileOfContent(digest), TEXT.replace('line', 'lime'));
    await utimes(made.fileOfContent(digest), 0, 0);
    expect(await store.packContents(LATER)).toEqual({ contents: 0, bytes: 0 });
    expect(await filesBelow(join(made.root, 'tmp'))).toEqual([]);
  });

  it('are unknown with a link in the place of the file, and stored anew', async () => {
    const { made, store, digest, plain, file } = await compressed();
    await using _made = made;
    const outside = join(made.workspace, 'outside.gz');
    await writeFile(outside, await readFile(file));
    await rm(file);
    await symlink(outside, file);
    expect(await store.check(digest)).toMatchObject({ state: 'unknown', problem: { code: 'UNREADABLE' } });
    await store.put(TEXT);
    expect(existsSync(plain)).toBe(true);
    expect(await store.check(digest)).toMatchObject({ state: 'present' });
  });
});
