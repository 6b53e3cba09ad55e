import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { blob, Folder } from './folder.ts';

async function blobs(workspace: Workspace, globs?: readonly string[]): Promise<Record<string, string>> {
  const { files } = await workspace.inputs(globs);
  return Object.fromEntries([...files].map(([path, file]) => [path, file.blob]));
}

async function paths(workspace: Workspace, globs?: readonly string[]): Promise<string[]> {
  return [...(await workspace.inputs(globs)).files.keys()];
}

describe('inputs of a git work tree', () => {
  it('are by default every tracked file, by the content of the work tree', async () => {
    await using folder = await Folder.repository();
    folder.write('b', 'b');
    folder.write('a/c', 'c', 0o755);
    folder.write('gone', 'x');
    folder.commitAll();
    folder.write('b', 'edited');
    folder.write('new', 'new');
    rmSync(join(folder.root, 'gone'));
    const { files, unmatched } = await (await folder.open()).inputs(undefined);
    expect([...files]).toEqual([
      ['a/c', { blob: blob('c'), mode: '100755' }],
      ['b', { blob: blob('edited'), mode: '100644' }],
    ]);
    expect(unmatched).toEqual([]);
  });

  it('work before the first commit, and for files that are staged with intent only', async () => {
    await using folder = await Folder.repository();
    folder.write('a', 'a');
    folder.git('add', 'a');
    folder.write('later', 'later');
    folder.git('add', '-N', 'later');
    expect(await blobs(await folder.open())).toEqual({ a: blob('a'), later: blob('later') });
  });

  it('see an edit of the same size within the same tick as the add', async () => {
    await using folder = await Folder.repository();
    for (let round = 0; round < 5; round++) {
      folder.write(`f${round}`, 'one');
      folder.git('add', '-A');
      folder.write(`f${round}`, 'two');
      expect((await blobs(await folder.open()))[`f${round}`]).toBe(blob('two'));
    }
  });

  it('see a file of the same size and time put in place of another', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'one');
    const old = new Date('2001-01-01');
    utimesSync(join(folder.root, 'f'), old, old);
    folder.commitAll();
    folder.write('new', 'two');
    utimesSync(join(folder.root, 'new'), old, old);
    renameSync(join(folder.root, 'new'), join(folder.root, 'f'));
    expect(await blobs(await folder.open())).toEqual({ f: blob('two') });
  });

  it('are the same where every file was merely touched', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'one');
    folder.commitAll();
    utimesSync(join(folder.root, 'f'), new Date(), new Date());
    expect(await blobs(await folder.open())).toEqual({ f: blob('one') });
  });

  it('count edits of files that git was told not to look at', async () => {
    await using folder = await Folder.repository();
    folder.write('assumed', 'one');
    folder.write('skipped', 'one');
    folder.write('sparse', 'one');
    folder.commitAll();
    folder.git('update-index', '--assume-unchanged', 'assumed');
    folder.git('update-index', '--skip-worktree', 'skipped', 'sparse');
    folder.write('assumed', 'two');
    folder.write('skipped', 'two');
    rmSync(join(folder.root, 'sparse'));
    expect(await blobs(await folder.open())).toEqual({ assumed: blob('two'), skipped: blob('two') });
  });

  it('agree across line endings and filters', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitattributes', '*.txt text\n*.up filter=upper\n');
    folder.git('config', 'filter.upper.clean', 'tr a-z A-Z');
    folder.git('config', 'filter.upper.required', 'true');
    folder.write('a.txt', 'one\ntwo\n');
    folder.commitAll();
    folder.write('a.txt', 'one\r\ntwo\r\n');
    folder.write('new.txt', 'x\r\n');
    folder.write('b.up', 'loud');
    expect(await blobs(await folder.open(), ['*.txt', '*.up'])).toEqual({
      'a.txt': blob('one\ntwo\n'),
      'b.up': blob('LOUD'),
      'new.txt': blob('x\n'),
    });
  });

  it('explain a filter that fails', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitattributes', '*.bin filter=lfs\n');
    folder.git('config', 'filter.lfs.clean', 'no-such-program-here');
    folder.git('config', 'filter.lfs.required', 'true');
    folder.write('a.bin', 'x');
    const workspace = await folder.open();
    await expect(workspace.inputs(['*.bin'])).rejects.toMatchObject({ code: 'GIT_FILTER_FAILED', fault: 'platform' });
  });

  it('take modes from git where the file system has none', async () => {
    await using folder = await Folder.repository();
    folder.write('tool', 'x', 0o755);
    folder.write('text', 'x');
    folder.commitAll();
    folder.git('config', 'core.fileMode', 'false');
    folder.write('tool', 'y', 0o644);
    chmodSync(join(folder.root, 'text'), 0o755);
    folder.write('new', 'y', 0o755);
    const { files } = await (await folder.open()).inputs(['**']);
    expect(Object.fromEntries([...files].map(([path, { mode }]) => [path, mode]))).toEqual({
      tool: '100755',
      text: '100644',
      new: '100644',
    });
  });

  it('see a change of mode', async () => {
    await using folder = await Folder.repository();
    folder.write('tool', 'x');
    folder.commitAll();
    chmodSync(join(folder.root, 'tool'), 0o755);
    expect((await (await folder.open()).inputs(undefined)).files.get('tool')).toEqual({
      blob: blob('x'),
      mode: '100755',
    });
  });

  it('count links by target, and never look through one', async () => {
    await using folder = await Folder.repository();
    mkdirSync(folder.beside('outside'));
    writeFileSync(join(folder.beside('outside'), 'secret'), 'secret');
    folder.write('dir/secret', 'mine');
    symlinkSync('dir/secret', join(folder.root, 'link'));
    symlinkSync('nowhere', join(folder.root, 'dangling'));
    folder.commitAll();
    rmSync(join(folder.root, 'dir'), { recursive: true });
    symlinkSync(folder.beside('outside'), join(folder.root, 'dir'));
    rmSync(join(folder.root, 'dangling'));
    symlinkSync('elsewhere', join(folder.root, 'dangling'));
    expect(await blobs(await folder.open())).toEqual({
      dangling: `link:${blob('elsewhere')}`,
      link: `link:${blob('dir/secret')}`,
    });
    expect(await blobs(await folder.open(), ['dir/**'])).toEqual({ dir: `link:${blob(folder.beside('outside'))}` });
  });

  it('take a file in conflict as it lies in the work tree', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'base\n');
    folder.commitAll();
    folder.git('checkout', '-q', '-b', 'other');
    folder.write('f', 'theirs\n');
    folder.commitAll();
    folder.git('checkout', '-q', 'main');
    folder.write('f', 'ours\n');
    folder.commitAll();
    expect(() => folder.git('merge', 'other')).toThrow();
    expect(await blobs(await folder.open())).toEqual({ f: blob(folder.read('f')) });
    expect(folder.read('f')).toContain('<<<<<<<');
  });

  it('do not hang on a pipe that took a file\u2019s place', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'x');
    folder.write('g', 'x');
    folder.commitAll();
    rmSync(join(folder.root, 'f'));
    execFileSync('mkfifo', [join(folder.root, 'f')]);
    expect(await paths(await folder.open())).toEqual(['g']);
  });

  it('hold names with line breaks, quotes, and wild characters', async () => {
    await using folder = await Folder.repository();
    const names = ['"quoted"', 'a\nb', 'tab\there', '[id].ts', ' lead', 'carriage\r', 'back\\slash', '-dash', 'ünï'];
    for (const name of names) folder.write(name, name);
    folder.commitAll();
    for (const name of names) folder.write(name, `${name}!`);
    expect(await blobs(await folder.open())).toEqual(Object.fromEntries(names.map((name) => [name, blob(`${name}!`)])));
    expect(await paths(await folder.open(), ['**/a*b', '[id].ts'])).toEqual(['[id].ts', 'a\nb']);
    folder.write('line\nbreak/deep/f', 'f');
    expect(await paths(await folder.open(), ['**/f'])).toEqual(['line\nbreak/deep/f']);
  });

  it('keep names apart that are not UTF-8', async () => {
    await using folder = await Folder.repository();
    const raw = (...bytes: number[]): Buffer => Buffer.concat([Buffer.from(`${folder.root}/caf`), Buffer.from(bytes)]);
    writeFileSync(raw(0xe9), 'latin');
    writeFileSync(raw(0xe8), 'grave');
    writeFileSync(raw(0xef, 0xbf, 0xbd), 'real');
    const expected = {
      'caf\uFFFDE8': blob('grave'),
      'caf\uFFFDE9': blob('latin'),
      'caf\uFFFDEF\uFFFDBF\uFFFDBD': blob('real'),
    };
    expect(await blobs(await folder.open(), ['**'])).toEqual(expected);
    folder.commitAll();
    expect(await blobs(await folder.open())).toEqual(expected);
  });

  it('are those below the workspace when that is not the top of the repository', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitattributes', 'app/*.txt text\n');
    folder.write('outside', 'x');
    folder.write('app/in.txt', 'x\n');
    folder.write('app/.state/run', 'x');
    folder.commitAll();
    folder.write('app/in.txt', 'y\r\n');
    folder.write('app/new', 'n');
    const workspace = await folder.open({}, 'app');
    expect(await blobs(workspace, ['**'])).toEqual({ 'in.txt': blob('y\n'), new: blob('n') });
    expect(await blobs(workspace)).toEqual({ 'in.txt': blob('y\n') });
  });

  it('work in linked work trees and in sha256 repositories', async () => {
    await using folder = await Folder.repository('--object-format=sha256');
    folder.write('f', 'one');
    symlinkSync('f', join(folder.root, 'link'));
    folder.commitAll();
    folder.git('worktree', 'add', '-q', '-b', 'side', folder.beside('side'));
    renameSync(folder.beside('side'), folder.beside('moved'));
    folder.git('worktree', 'repair', folder.beside('moved'));
    const workspace = await folder.open({}, '../moved');
    expect(await workspace.branch()).toBe('side');
    expect(await blobs(workspace, ['**'])).toEqual({ f: blob('one', 'sha256'), link: `link:${blob('f', 'sha256')}` });
    folder.write('f', 'two');
    expect((await blobs(await folder.open()))['f']).toBe(blob('two', 'sha256'));
  });

  it('count a submodule by its commit, and by its work tree where that differs', async () => {
    await using folder = await Folder.repository();
    folder.write('lib/f', 'one');
    folder.commitAll();
    folder.gitIn('..', 'clone', '-q', folder.root, folder.beside('lib'));
    folder.git('submodule', 'add', '-q', folder.beside('lib'), 'sub');
    folder.commitAll();
    const head = folder.gitIn('sub', 'rev-parse', 'HEAD');
    const seen = async (): Promise<string | undefined> => (await blobs(await folder.open(), ['sub/lib/f']))['sub'];
    expect(await seen()).toBe(`commit:${head}`);
    folder.write('sub/lib/f', 'two');
    const dirty = await seen();
    expect(dirty).toMatch(new RegExp(`^commit:${head}\\+dirty\\.[0-9a-f]{16}$`));
    folder.write('sub/lib/f', 'six');
    expect(await seen()).not.toBe(dirty);
    folder.gitIn('sub', 'commit', '-qam', 'x');
    expect(await seen()).toBe(`commit:${folder.gitIn('sub', 'rev-parse', 'HEAD')}`);
    expect(await paths(await folder.open(), ['**/f'])).toEqual(['lib/f']);
  });

  it('count a clone inside the workspace as a repository', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'x');
    folder.commitAll();
    folder.git('clone', '-q', '.', 'clone');
    const workspace = await folder.open();
    expect(await blobs(workspace, ['clone/**'])).toEqual({ clone: `commit:${folder.git('rev-parse', 'HEAD')}` });
    folder.git('init', '-q', 'empty');
    expect(await blobs(workspace, ['empty/**'])).toEqual({ empty: 'commit:none' });
  });
});

describe('inputs of a plain folder', () => {
  it('are all files but git\u2019s, ours and node_modules, by the ids that git would give', async () => {
    await using folder = await Folder.plain();
    folder.write('a', 'a');
    folder.write('deep/.hidden', 'h', 0o755);
    folder.write('large', 'x'.repeat(400_000));
    folder.write('node_modules/m/i.js', 'm');
    folder.write('.state/x', 'x');
    folder.write('.git/config', '');
    symlinkSync('/etc', join(folder.root, 'etc'));
    const workspace = await folder.open();
    expect([...(await workspace.inputs(undefined)).files]).toEqual([
      ['a', { blob: blob('a'), mode: '100644' }],
      ['deep/.hidden', { blob: blob('h'), mode: '100755' }],
      ['etc', { blob: `link:${blob('/etc')}`, mode: '120000' }],
      ['large', { blob: blob('x'.repeat(400_000)), mode: '100644' }],
    ]);
    expect(await paths(workspace, ['**/*.js', 'deep'])).toEqual(['deep/.hidden']);
    expect(await paths(workspace, ['node_modules/m/**'])).toEqual(['node_modules/m/i.js']);
    expect(await workspace.branch()).toBeUndefined();
  });

  it('are what a bare repository, a folder without git and an ignored folder have', async () => {
    await using bare = await Folder.repository('--bare');
    bare.write('f', 'x');
    expect(await paths(await bare.open(), ['f'])).toEqual(['f']);

    await using nogit = await Folder.plain();
    nogit.write('f', 'x');
    expect(await paths(await nogit.open({ git: 'no-such-git' }))).toEqual(['f']);

    await using outer = await Folder.repository();
    outer.write('.gitignore', 'tmp/\n');
    outer.write('tmp/app/f', 'x');
    outer.commitAll();
    expect(await paths(await outer.open({}, 'tmp/app'))).toEqual(['f']);
  });
});

describe('globs', () => {
  it('take ignored files only where they name their place', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitignore', 'dist/\nnode_modules/\n*.log\nout/*\n!out/.gitkeep\n');
    for (const path of [
      'src/a.js',
      'src/b.log',
      'src/node_modules/m.js',
      'dist/x/a.js',
      'dist/b.js',
      'build.log',
      'out/o.js',
      'out/.gitkeep',
    ]) {
      folder.write(path, path);
    }
    folder.commitAll();
    folder.write('src/new.js', 'n');
    const workspace = await folder.open();
    expect(await paths(workspace, ['**/*.js'])).toEqual(['src/a.js', 'src/new.js']);
    expect(await paths(workspace, ['src'])).toEqual(['src/a.js', 'src/new.js']);
    expect(await paths(workspace, ['dist/**'])).toEqual(['dist/b.js', 'dist/x/a.js']);
    expect(await paths(workspace, ['./dist/x/'])).toEqual(['dist/x/a.js']);
    expect(await paths(workspace, ['dist/*.js', 'build.log'])).toEqual(['build.log', 'dist/b.js']);
    expect(await paths(workspace, ['out/**'])).toEqual(['out/.gitkeep', 'out/o.js']);
    expect(await paths(workspace, ['src/node_modules/*.js'])).toEqual(['src/node_modules/m.js']);
    expect(await paths(workspace, [])).toEqual([]);
  });

  it('exclude with !, the last one that takes a path deciding', async () => {
    await using folder = await Folder.plain();
    for (const path of ['src/a.ts', 'src/a.test.ts', 'src/keep.test.ts', 'doc']) folder.write(path, '');
    const workspace = await folder.open();
    expect(await paths(workspace, ['src/**', '!**/*.test.ts', 'src/keep.test.ts'])).toEqual([
      'src/a.ts',
      'src/keep.test.ts',
    ]);
    expect(await paths(workspace, ['.', '!src/'])).toEqual(['doc']);
    await expect(workspace.inputs(['!src'])).rejects.toMatchObject({ code: 'GLOBS_ONLY_EXCLUDE', fault: 'user' });
  });

  it('that match nothing are named, also where the file was deleted', async () => {
    await using folder = await Folder.repository();
    folder.write('a', 'a');
    folder.write('b/c', 'c');
    folder.commitAll();
    rmSync(join(folder.root, 'a'));
    const { unmatched } = await (await folder.open()).inputs(['a', 'b', 'x/**', '!b/none', '.git/**', '.state']);
    expect(unmatched).toEqual(['a', 'x/**', '.git/**', '.state']);
  });

  it.each(['/etc/*', '../x', 'a/../../x', 'C:/x', '!../x'])(
    'that leave the workspace are refused: %s',
    async (glob) => {
      await using folder = await Folder.plain();
      const workspace = await folder.open();
      await expect(workspace.inputs([glob])).rejects.toMatchObject({ code: 'GLOB_ESCAPES', fault: 'user' });
    },
  );

  it('answer for paths that do not exist', async () => {
    await using folder = await Folder.plain();
    const workspace = await folder.open();
    expect(workspace.counts(undefined, 'any/thing')).toBe(true);
    expect(workspace.counts(['src'], 'src/x/y')).toBe(true);
    expect(workspace.counts(['src/*'], 'src/x/y')).toBe(false);
    expect(workspace.counts(['src/*/'], 'src/x/y/z')).toBe(true);
    expect(workspace.counts(['src/**', '!src/x'], 'src/x/y')).toBe(false);
    expect(workspace.counts([], 'x')).toBe(false);
    expect(workspace.counts(['**'], '.env')).toBe(true);
    for (const path of ['.state/x', '.git/config', 'sub/.git/config', '../x', '/x']) {
      expect(workspace.counts(undefined, path)).toBe(false);
      expect(workspace.counts(['**'], path)).toBe(false);
    }
    expect(workspace.counts(undefined, 'sub/.state/x')).toBe(true);
  });
});
