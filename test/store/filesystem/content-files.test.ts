import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
