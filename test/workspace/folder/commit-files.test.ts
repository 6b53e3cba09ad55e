import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openCommit } from '../../../src/workspace/folder/commit-files.ts';
import { Folder } from '../folder.ts';

async function withCommit(): Promise<{ folder: Folder; commit: string }> {
  const folder = await Folder.repository();
  folder.write('schemas/a.json', '{"type": "object"}');
  folder.write('a[1].txt', 'brackets');
  symlinkSync('schemas/a.json', `${folder.root}/link.json`);
  folder.git('add', '-A');
  folder.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one');
  return { folder, commit: folder.git('rev-parse', 'HEAD').trim() };
}

describe('the files of a commit', () => {
  it('stay as they were, whatever happens to the work tree, the index and the branch', async () => {
    const { folder, commit } = await withCommit();
    await using _folder = folder;
    const files = await openCommit(folder.root, commit, { environment: folder.environment });
    folder.write('schemas/a.json', '{}');
    folder.git('add', '-A');
    folder.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'two');
    folder.git('checkout', '-q', '--orphan', 'other');
    expect(await files.readText('schemas/a.json')).toBe('{"type": "object"}');
    expect(await files.blobOf('schemas/a.json')).toBe(folder.git('rev-parse', `${commit}:schemas/a.json`).trim());
  });

  it('are plain files only: no link, no folder, nothing that is not there', async () => {
    const { folder, commit } = await withCommit();
    await using _folder = folder;
    const files = await openCommit(folder.root, commit, { environment: folder.environment });
    for (const path of ['link.json', 'schemas', 'missing.json', 'a*.txt'])
      expect(await files.readText(path)).toBe(undefined);
    expect(await files.readText('a[1].txt')).toBe('brackets');
  });

  it.each(['../schemas/a.json', '/etc/passwd', 'a/../b', './x', '', 'a\0b'])('are not named by %j', async (path) => {
    const { folder, commit } = await withCommit();
    await using _folder = folder;
    const files = await openCommit(folder.root, commit, { environment: folder.environment });
    await expect(files.readText(path)).rejects.toMatchObject({ code: 'PATH_ESCAPES' });
  });

  it('are those of the workspace where that lies below the top of the repository', async () => {
    const { folder, commit } = await withCommit();
    await using _folder = folder;
    const files = await openCommit(`${folder.root}/schemas`, commit, { environment: folder.environment });
    expect(await files.readText('a.json')).toBe('{"type": "object"}');
  });

  it('are looked for by several names at once: the first that is there counts', async () => {
    const { folder, commit } = await withCommit();
    await using _folder = folder;
    const files = await openCommit(folder.root, commit, { environment: folder.environment });
    expect(await files.firstOf(['x.yml', 'schemas/a.json', 'a[1].txt'])).toBe('schemas/a.json');
    expect(await files.firstOf(['x.yml', 'link.json'])).toBe(undefined);
  });

  it('are not what somebody put in the place of an object', async () => {
    const { folder, commit } = await withCommit();
    await using _folder = folder;
    const blob = folder.git('rev-parse', `${commit}:schemas/a.json`);
    folder.write('other.json', '{}');
    folder.git('replace', blob, folder.git('hash-object', '-w', 'other.json'));
    expect(folder.git('cat-file', 'blob', blob)).toBe('{}');
    const files = await openCommit(folder.root, commit, { environment: folder.environment });
    expect(await files.readText('schemas/a.json')).toBe('{"type": "object"}');
    const forged = deflateSync(Buffer.from('blob 2\0{}'));
    const place = `.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`;
    rmSync(`${folder.root}/${place}`);
    folder.write(place, forged);
    await expect(files.readText('schemas/a.json')).rejects.toMatchObject({ code: 'OBJECT_ALTERED', fault: 'agent' });
  });

  it('are not those of another folder that somebody put in the place of a folder', async () => {
    const { folder, commit } = await withCommit();
    await using _folder = folder;
    folder.write('schemas/a.json', '{}');
    folder.commitAll();
    const [was, is] = [`${commit}:schemas`, 'HEAD:schemas'].map((name) => folder.git('rev-parse', name));
    const placeOf = (id: string) => `${folder.root}/.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;
    const forged = readFileSync(placeOf(is!));
    rmSync(placeOf(was!));
    writeFileSync(placeOf(was!), forged);
    const files = await openCommit(folder.root, commit, { environment: folder.environment });
    await expect(files.readText('schemas/a.json')).rejects.toMatchObject({ code: 'OBJECT_ALTERED' });
  });

  it('come from origin when a shallow clone does not have the commit', async () => {
    const { folder, commit } = await withCommit();
    await using _folder = folder;
    folder.write('schemas/a.json', '{}');
    folder.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', 'two');
    folder.git('config', 'uploadpack.allowReachableSHA1InWant', 'true');
    await using clone = await Folder.plain();
    clone.git('clone', '-q', '--depth=1', `file://${folder.root}`, '.');
    const environment = clone.environment;
    await expect(openCommit(clone.root, commit, { environment, fetch: false })).rejects.toMatchObject({
      code: 'COMMIT_UNREADABLE',
    });
    const files = await openCommit(clone.root, commit, { environment });
    expect(await files.readText('schemas/a.json')).toBe('{"type": "object"}');
  });

  it('are those of a branch as origin has it, not as somebody calls one here', async () => {
    const { folder } = await withCommit();
    await using _folder = folder;
    await using clone = await Folder.plain();
    clone.git('clone', '-q', `file://${folder.root}`, '.');
    clone.write('schemas/a.json', '{}');
    clone.commitAll();
    const files = await openCommit(clone.root, 'refs/heads/main', { environment: clone.environment });
    expect(await files.readText('schemas/a.json')).toBe('{"type": "object"}');
  });

  it('cannot be read where there is no repository, no such commit, or no commit id', async () => {
    const { folder } = await withCommit();
    await using _folder = folder;
    await using plain = await Folder.plain();
    const attempts: [string, string][] = [
      [folder.root, 'a'.repeat(40)],
      [folder.root, '--upload-pack=x'],
    ];
    for (const [root, commit] of attempts) {
      const opened = openCommit(root, commit, { environment: folder.environment });
      await expect(opened).rejects.toMatchObject({ code: 'COMMIT_UNREADABLE', fault: 'user' });
    }
    const nowhere = openCommit(plain.root, 'a'.repeat(40), { environment: plain.environment });
    await expect(nowhere).rejects.toMatchObject({ code: 'REPOSITORY_MISSING', fault: 'user' });
  });
});
