import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blob, filesBelow, Folder, Kept } from './folder.ts';
import { changed, checkOut, contentsOf, put, round } from './round.ts';

describe('line endings', () => {
  it('are those of a fresh checkout in a work tree: CRLF where the user has them', async () => {
    await using folder = await Folder.repository();
    folder.write('lf', 'one\ntwo\n');
    folder.commitAll();
    folder.git('config', 'core.autocrlf', 'true');
    folder.write('new', 'one\r\ntwo\r\n');
    folder.write('mixed', 'one\r\ntwo\n');
    await using workspace = await folder.open();
    const crlf = 'one\r\ntwo\r\n';
    const { tree } = await round(folder, workspace, { lf: crlf, new: crlf, mixed: crlf });
    const lf = 'one\ntwo\n';
    expect(await contentsOf(folder, workspace, tree)).toEqual({ lf, new: lf, mixed: lf });
    const checkout = await checkOut(workspace);
    put(checkout.root, 'lf', 'one\ntwo\n');
    expect(await changed(workspace, checkout)).toEqual([]);
    put(checkout.root, 'lf', 'one\r\nthree\r\n');
    expect(await changed(workspace, checkout)).toEqual(['lf: 100644 → 100644']);
  });

  it('stay LF with autocrlf=input, and CRLF in a file that was committed so', async () => {
    await using folder = await Folder.repository();
    folder.git('config', 'core.autocrlf', 'false');
    folder.write('committed', 'one\r\ntwo\r\n');
    folder.commitAll();
    folder.git('config', 'core.autocrlf', 'input');
    folder.write('new', 'one\r\ntwo\r\n');
    await using workspace = await folder.open();
    const { tree } = await round(folder, workspace, { committed: 'one\r\ntwo\r\n', new: 'one\ntwo\n' });
    expect((await workspace.files(tree)).get('committed')!.blob).toBe(blob('one\r\ntwo\r\n'));
    const checkout = await checkOut(workspace);
    put(checkout.root, 'committed', 'one\r\nthree\r\n');
    const captured = await checkout.capture();
    expect((await workspace.files(captured.tree)).get('committed')!.blob).toBe(blob('one\r\nthree\r\n'));
  });

  it('are those of a fresh checkout in a slot that was written with other attributes or settings', async () => {
    await using folder = await Folder.repository();
    folder.write('a.txt', 'one\n');
    folder.commitAll();
    const bytes = async (attempt: string): Promise<string> => {
      await using workspace = await folder.open();
      const checkout = await checkOut(workspace, { attempt });
      const text = readFileSync(join(checkout.root, 'a.txt'), 'utf8');
      await checkout.release(true);
      return `${basename(dirname(checkout.root))}: ${JSON.stringify(text)}`;
    };
    expect(await bytes('one')).toBe(String.raw`0: "one\n"`);
    folder.write('.gitattributes', '*.txt text eol=crlf\n');
    expect(await bytes('two')).toBe(String.raw`1: "one\r\n"`);
    folder.write('.gitattributes', '');
    expect(await bytes('three')).toBe(String.raw`2: "one\n"`);
    const [crlf, lf] = [String.raw`"one\r\n"`, String.raw`"one\n"`];
    const outside = join(folder.environment['HOME']!, '.config/git/attributes');
    mkdirSync(dirname(outside), { recursive: true });
    writeFileSync(outside, '*.txt text eol=crlf\n');
    expect(await bytes('of the user')).toBe(`3: ${crlf}`);
    folder.git('config', 'core.attributesFile', '~/.attributes');
    expect(await bytes('elsewhere')).toBe(`4: ${lf}`);
    writeFileSync(join(folder.environment['HOME']!, '.attributes'), '*.txt text eol=crlf\n');
    expect(await bytes('elsewhere, changed')).toBe(`5: ${crlf}`);
    rmSync(join(folder.environment['HOME']!, '.attributes'));
    expect(await bytes('elsewhere, removed')).toBe(`6: ${lf}`);
    folder.git('config', 'core.autocrlf', 'true');
    expect(await bytes('four')).toBe(String.raw`7: "one\r\n"`);
  });

  it('follow .gitattributes, whichever version has them', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitattributes', '*.txt text eol=crlf\n*.u16 text working-tree-encoding=UTF-16LE\n');
    folder.write('a.txt', 'one\r\n');
    folder.write('b.u16', Buffer.from('ünï\n', 'utf16le'));
    folder.commitAll();
    folder.write('new.txt', 'new\r\n');
    await using workspace = await folder.open();
    const { tree } = await round(folder, workspace);
    const files = await workspace.files(tree);
    expect([files.get('a.txt')!.blob, files.get('b.u16')!.blob]).toEqual([blob('one\n'), blob('ünï\n')]);
  });
});

/** A filter that stores capitals, as LFS stores pointers: what lies on disk is another thing than what git has. */
async function withFilter(): Promise<Folder> {
  const folder = await Folder.repository();
  for (const [name, from, to] of [
    ['clean', 'a-z', 'A-Z'],
    ['smudge', 'A-Z', 'a-z'],
  ] as const) {
    writeFileSync(folder.beside(name), `#!/bin/sh\nexec tr ${from} ${to}\n`, { mode: 0o755 });
    folder.git('config', `filter.case.${name}`, folder.beside(name));
  }
  folder.git('config', 'filter.case.required', 'true');
  folder.write('.gitattributes', '*.up filter=case\n');
  folder.write('a.up', 'committed');
  folder.commitAll();
  folder.write('b.up', 'untracked');
  return folder;
}

describe('filters of the user\u2019s repository', () => {
  it('work both ways', async () => {
    await using folder = await withFilter();
    await using workspace = await folder.open();
    const { tree } = await round(folder, workspace);
    expect(await contentsOf(folder, workspace, tree)).toMatchObject({ 'a.up': 'COMMITTED', 'b.up': 'UNTRACKED' });
  });

  it('make of what is handed on the same file again, elsewhere too', async () => {
    await using folder = await withFilter();
    const kept = new Kept();
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace);
    put(checkout.root, 'a.up', 'by the agent');
    put(checkout.root, 'plain', 'by the agent');
    const work = await checkout.capture();
    const { files } = await workspace.changes(checkout.from, work, 'changed', kept.keep, checkout);
    expect(
      files.map(({ path, after }) => [path, after?.blob, kept.contents.get(after!.content!.digest)?.toString()]),
    ).toEqual([
      ['a.up', blob('BY THE AGENT'), 'by the agent'],
      ['plain', blob('by the agent'), 'by the agent'],
    ]);
    await using elsewhere = await folder.open({ store: folder.beside('other'), trees: folder.beside('other-trees') });
    const base = (await elsewhere.snapshot([])).tree;
    const tree = await elsewhere.build(base, files, kept.copy);
    expect(tree).toBe(work.tree);
    const second = await checkOut(elsewhere, { base, tree });
    expect(filesBelow(second.root)).toMatchObject({ 'a.up': 'by the agent', plain: 'by the agent' });
  });

  it('that fail are an error that names them', async () => {
    await using folder = await withFilter();
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace);
    put(checkout.root, 'a.up', 'by the agent');
    folder.write('b.up', 'edited');
    chmodSync(folder.beside('clean'), 0o644);
    const failed = { code: 'GIT_FILTER_FAILED', message: expect.stringContaining('.up') };
    await expect(workspace.snapshot([])).rejects.toMatchObject(failed);
    await expect(checkout.capture()).rejects.toMatchObject(failed);
    chmodSync(folder.beside('smudge'), 0o644);
    await expect(checkOut(workspace, { tree: checkout.from, attempt: 'two' })).rejects.toMatchObject(failed);
    chmodSync(folder.beside('smudge'), 0o755);
    chmodSync(folder.beside('clean'), 0o755);
    expect(await changed(workspace, checkout)).toEqual(['a.up: 100644 → 100644']);
    expect(filesBelow((await checkOut(workspace, { attempt: 'three' })).root)).toEqual(filesBelow(folder.root));
  });
});
