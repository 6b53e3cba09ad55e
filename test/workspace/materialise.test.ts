import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../src/run/record.ts';
import { blob, filesBelow, Folder, Kept } from './folder.ts';

const kept = new Kept();

function state(text: string, mode: '100644' | '100755' = '100644'): NonNullable<FileChange['after']> {
  return { blob: blob(text), mode, content: kept.add(text) };
}

function change(path: string, before: string | null, after: string | null): FileChange {
  return { path, before: before === null ? null : state(before), after: after === null ? null : state(after) };
}

describe('materialise', () => {
  it('makes files stand as a gate left them, and leaves alone what does', async () => {
    await using folder = await Folder.repository();
    folder.write('edit', 'one');
    folder.write('delete', 'one');
    folder.write('done', 'two');
    folder.write('tool', 'x');
    folder.commitAll();
    const changes: FileChange[] = [
      change('edit', 'one', 'two'),
      change('delete', 'one', null),
      change('done', 'one', 'two'),
      change('new/deep/file', null, ''),
      { path: 'tool', before: state('x'), after: state('x', '100755') },
      change('never', 'x', null),
    ];
    const workspace = await folder.open();
    expect(await workspace.stands(changes)).toBe(false);
    const inode = lstatSync(join(folder.root, 'done')).ino;
    expect(await workspace.materialise(changes, kept.copy)).toEqual([
      { path: 'edit', action: 'written' },
      { path: 'delete', action: 'deleted' },
      { path: 'done', action: 'unchanged' },
      { path: 'new/deep/file', action: 'written' },
      { path: 'tool', action: 'written' },
      { path: 'never', action: 'unchanged' },
    ]);
    expect(filesBelow(folder.root)).toEqual({ done: 'two', edit: 'two', 'new/deep/file': '', tool: 'x x' });
    expect(lstatSync(join(folder.root, 'done')).ino).toBe(inode);
    expect(await workspace.stands(changes)).toBe(true);
    expect((await workspace.materialise(changes, kept.copy)).every(({ action }) => action === 'unchanged')).toBe(true);
    expect(existsSync(join(folder.root, '.state'))).toBe(false);
  });

  it('puts aside what no gate knew, and only that', async () => {
    await using folder = await Folder.plain();
    folder.write('dir/edited', 'by hand', 0o755);
    folder.write('deleted', 'by hand');
    folder.write('appeared', 'by hand');
    symlinkSync('elsewhere', join(folder.root, 'link'));
    const changes = [
      change('dir/edited', 'one', 'two'),
      change('deleted', 'one', null),
      change('appeared', null, 'two'),
      change('link', 'one', 'two'),
    ];
    const workspace = await folder.open();
    const done = await workspace.materialise(changes, kept.copy);
    expect(done.map(({ displaced }) => displaced)).toEqual([
      '.state/displaced/1/dir/edited',
      '.state/displaced/1/deleted',
      '.state/displaced/1/appeared',
      '.state/displaced/1/link',
    ]);
    expect(filesBelow(join(folder.root, '.state/displaced/1'))).toEqual({
      'dir/edited': 'x by hand',
      appeared: 'by hand',
      deleted: 'by hand',
      link: 'link elsewhere',
    });
    expect(filesBelow(folder.root)).toEqual({ 'dir/edited': 'two', appeared: 'two', link: 'two' });
    folder.write('deleted', 'again');
    expect((await workspace.materialise(changes, kept.copy))[1]).toEqual({
      path: 'deleted',
      action: 'deleted',
      displaced: '.state/displaced/2/deleted',
    });
  });

  it('takes several gates in order: the last decides, and what the earlier ones left is known', async () => {
    await using folder = await Folder.plain();
    const changes = [
      change('f', 'one', 'two'),
      change('g', null, 'x'),
      change('f', 'two', 'three'),
      change('g', 'x', null),
    ];
    for (const now of ['one', 'two', 'three']) {
      folder.write('f', now);
      const done = await (await folder.open()).materialise(changes, kept.copy);
      expect(done).toEqual([
        { path: 'f', action: now === 'three' ? 'unchanged' : 'written' },
        { path: 'g', action: 'unchanged' },
      ]);
      expect(filesBelow(folder.root)).toEqual({ f: 'three' });
    }
  });

  it('turns files into folders and folders into files', async () => {
    await using folder = await Folder.plain();
    folder.write('a', 'file');
    folder.write('b/c/d', 'file');
    mkdirSync(join(folder.root, 'b/empty'));
    const changes = [
      change('a', 'file', null),
      change('a/x', null, 'x'),
      change('b', null, 'b'),
      change('b/c/d', 'file', null),
    ];
    await (await folder.open()).materialise(changes, kept.copy);
    expect(filesBelow(folder.root)).toEqual({ 'a/x': 'x', b: 'b' });
  });

  it('does not delete a file under its other spelling', async () => {
    await using folder = await Folder.plain();
    folder.write('readme', 'two');
    // As a file system that ignores case would show it.
    linkSync(join(folder.root, 'readme'), join(folder.root, 'README'));
    await (await folder.open()).materialise([change('README', 'two', null), change('readme', null, 'two')], kept.copy);
    expect(folder.read('readme')).toBe('two');
    expect(folder.read('README')).toBe('two');
  });

  it('knows a file by its bytes where git names it otherwise', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitattributes', '*.txt text\n');
    const left: FileChange = { path: 'f.txt', before: null, after: { ...state('a\r\n'), blob: blob('a\n') } };
    const workspace = await folder.open();
    await workspace.materialise([left], kept.copy);
    expect(folder.read('f.txt')).toBe('a\r\n');
    rmSync(join(folder.root, '.gitattributes'));
    expect((await workspace.inputs(['f.txt'])).files.get('f.txt')?.blob).toBe(blob('a\r\n'));
    expect(await workspace.stands([left])).toBe(true);
  });

  it('does not mind modes where the file system has none', async () => {
    await using folder = await Folder.repository();
    folder.git('config', 'core.fileMode', 'false');
    folder.write('f', 'x');
    expect(await (await folder.open()).stands([{ path: 'f', before: null, after: state('x', '100755') }])).toBe(true);
  });
});

describe('materialise changes nothing', () => {
  it('of a file whose content is absent, unreadable or altered', async () => {
    await using folder = await Folder.plain();
    folder.write('f', 'one');
    const workspace = await folder.open();
    const answers = {
      absent: async () => ({ state: 'absent' }) as const,
      unknown: async () =>
        ({ state: 'unknown', problem: { code: 'CONTENT_ALTERED', where: 'x', message: 'bits' } }) as const,
      other: async (_: string, path: string) => kept.copy(kept.add('other').digest, path, 0o644),
    };
    for (const copy of Object.values(answers)) {
      await expect(workspace.materialise([change('f', 'one', 'two')], copy)).rejects.toMatchObject({
        code: 'CONTENT_MISSING',
      });
    }
    const { content: _, ...without } = state('two');
    const bare = [change('g', null, 'g'), { path: 'f', before: state('one'), after: without }];
    await expect(workspace.materialise(bare, kept.copy)).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
    expect(readdirSync(folder.root)).toEqual(['f']);
    expect(folder.read('f')).toBe('one');
  });

  it('when a link, a file or a folder is in the way', async () => {
    await using folder = await Folder.repository();
    mkdirSync(folder.beside('outside'));
    symlinkSync(folder.beside('outside'), join(folder.root, 'link'));
    symlinkSync('.', join(folder.root, 'here'));
    folder.write('file', 'x');
    folder.write('folder/f', 'x');
    execFileSync('mkfifo', [join(folder.root, 'pipe')]);
    folder.git('init', '-q', 'clone');
    const workspace = await folder.open();
    const blocked: readonly (readonly [string, string])[] = [
      ['link/f', 'PATH_ESCAPES'],
      ['link/deep/f', 'PATH_ESCAPES'],
      ['here/f', 'PATH_ESCAPES'],
      ['file/f', 'PATH_BLOCKED'],
      ['pipe/f', 'PATH_BLOCKED'],
      ['folder', 'PATH_BLOCKED'],
      ['clone', 'PATH_BLOCKED'],
    ];
    for (const [path, code] of blocked) {
      const changes = [change('aaa', null, 'first'), change(path, null, 'x')];
      await expect(workspace.materialise(changes, kept.copy), path).rejects.toMatchObject({ code });
    }
    await expect(
      workspace.materialise([change('a', null, 'x'), change('a/b', null, 'x')], kept.copy),
    ).rejects.toMatchObject({ code: 'PATH_BLOCKED' });
    expect(existsSync(join(folder.root, 'aaa'))).toBe(false);
    expect(readdirSync(folder.beside('outside'))).toEqual([]);
  });

  it('when .state leads elsewhere and something would be put aside', async () => {
    await using folder = await Folder.plain();
    mkdirSync(folder.beside('outside'));
    symlinkSync(folder.beside('outside'), join(folder.root, '.state'));
    folder.write('f', 'by hand');
    const workspace = await folder.open();
    await expect(workspace.materialise([change('f', null, 'two')], kept.copy)).rejects.toMatchObject({
      code: 'PATH_ESCAPES',
    });
    expect(folder.read('f')).toBe('by hand');
    expect(readdirSync(folder.root).toSorted()).toEqual(['.state', 'f']);
  });
});

const HOSTILE = [
  '',
  '.',
  '..',
  '../outside',
  'a/../../outside',
  'a/./b',
  'a//b',
  'a/',
  '/etc/passwd',
  'C:/Windows/x',
  'c:x',
  '..\\outside',
  'a\\b',
  'nul\0byte',
  '.git/config',
  '.GIT/hooks/pre-commit',
  '.Git',
  'sub/.git/config',
  'git~1/config',
  'GIT~1/hooks/x',
  '.git./config',
  '.git /config',
  '.git::$INDEX_ALLOCATION/config',
  '.g\u200cit/config',
  '\uFEFF.git/config',
  '.state/run.json',
  '.State/x',
  '.state',
  '.state./x',
  'STATE~1/x',
  'aux',
  'CON.txt',
  'dir/nul.tar.gz',
  'LPT1',
  'com\u00b9.log',
  'conin$',
  'aux:stream',
  'trailing.',
  'trailing /x',
  'lone\ud800surrogate',
  'bad\uFFFDE9name',
  'x'.repeat(5_000),
];

describe('paths from elsewhere', () => {
  it.each(HOSTILE.map((path) => [JSON.stringify(path).slice(0, 40), path]))(
    'are refused before anything is done: %s',
    async (_, path) => {
      await using folder = await Folder.plain();
      const workspace = await folder.open();
      const changes = [change('first', null, 'x'), change(path, null, 'x')];
      await expect(workspace.materialise(changes, kept.copy)).rejects.toMatchObject({
        code: 'PATH_ESCAPES',
        fault: 'agent',
      });
      await expect(workspace.stands([change(path, null, null)])).rejects.toMatchObject({ code: 'PATH_ESCAPES' });
      expect(readdirSync(folder.root)).toEqual([]);
      expect(readdirSync(folder.beside('.')).toSorted()).toEqual(['home', 'work']);
    },
  );

  it('are taken where they only look odd', async () => {
    await using folder = await Folder.repository();
    const odd = [
      '.gitignore',
      '.github/x',
      'sub/.state/x',
      'auxiliary',
      'console.log',
      'a b',
      '-rf',
      'a\nb',
      'ünï/çödé',
      '.gitattributes',
      '.statement',
      'at 12:30',
      '$(id)',
      '*',
    ];
    await (
      await folder.open()
    ).materialise(
      odd.map((path) => change(path, null, path)),
      kept.copy,
    );
    expect(filesBelow(folder.root)).toEqual(Object.fromEntries(odd.toSorted().map((path) => [path, path])));
  });
});
