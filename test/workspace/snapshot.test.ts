import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWorkspace } from '../../src/workspace/open-workspace.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { blob, filesBelow, Folder } from './folder.ts';
import { checkOut, contentsOf } from './round.ts';

/** The user's version: path → blob. */
async function blobs(workspace: Workspace, ...named: (readonly string[])[]): Promise<Record<string, string>> {
  const { tree } = await workspace.snapshot(named);
  return Object.fromEntries([...(await workspace.files(tree))].map(([path, file]) => [path, file.blob]));
}

async function paths(workspace: Workspace, ...named: (readonly string[])[]): Promise<string[]> {
  return Object.keys(await blobs(workspace, ...named));
}

/** The user's version as somebody sees it who was never here before. */
async function anew(folder: Folder): Promise<Record<string, string>> {
  await using workspace = await folder.open({ store: folder.beside('fresh') });
  try {
    return await blobs(workspace);
  } finally {
    rmSync(folder.beside('fresh'), { recursive: true });
  }
}

describe('the user\u2019s version', () => {
  it('holds tracked files as they lie on disk, and untracked ones that git does not ignore', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitignore', 'ignored\n');
    for (const name of ['a/c', 'b', 'gone']) folder.write(name, name, name === 'a/c' ? 0o755 : 0o644);
    folder.commitAll();
    folder.write('b', 'edited');
    folder.write('new', 'new');
    folder.write('ignored', 'x');
    folder.write('.state/run', 'x');
    rmSync(join(folder.root, 'gone'));
    await using workspace = await folder.open();
    const { tree, notices } = await workspace.snapshot([]);
    expect([...(await workspace.files(tree))]).toEqual([
      ['.gitignore', { blob: blob('ignored\n'), mode: '100644' }],
      ['a/c', { blob: blob('a/c'), mode: '100755' }],
      ['b', { blob: blob('edited'), mode: '100644' }],
      ['new', { blob: blob('new'), mode: '100644' }],
    ]);
    expect(notices).toEqual([]);
  });

  it('follows every edit from one call to the next, by the index that is kept', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitignore', '*.log\n');
    for (const name of ['a', 'b', 'dir/c']) folder.write(name, 'one');
    folder.commitAll();
    const steps: readonly (() => void)[] = [
      () => folder.write('a', 'two'),
      () => folder.write('new', 'one'),
      () => folder.write('new', 'two'),
      () => folder.git('add', 'new'),
      () => folder.git('reset', '-q'),
      () => folder.write('.gitignore', '*.log\nnew\n'),
      () => folder.write('.gitignore', '*.log\n'),
      () => rmSync(join(folder.root, 'new')),
      () => rmSync(join(folder.root, 'b')),
      () => folder.write('b/now/a-folder', 'x'),
      () => rmSync(join(folder.root, 'b'), { recursive: true }),
      () => folder.write('b', 'a file again'),
      () => chmodSync(join(folder.root, 'a'), 0o755),
      () => folder.git('stash', '-qu'),
      () => folder.git('stash', 'pop', '-q'),
      () => folder.commitAll(),
      () => folder.git('rm', '-q', '--cached', 'a'),
      () => folder.git('checkout', '-q', '-f', 'HEAD~1'),
    ];
    for (const [index, step] of steps.entries()) {
      step();
      await using workspace = await folder.open();
      expect(await blobs(workspace), `step ${index}`).toEqual(await anew(folder));
      const { tree } = await workspace.snapshot([]);
      expect(await contentsOf(folder, workspace, tree), `step ${index}`).toEqual(visible(folder));
    }
  });

  it('sees an edit of the same size in the second in which the index was written', async () => {
    await using folder = await Folder.repository();
    for (let round = 0; round < 5; round += 1) {
      const second = Math.floor(Date.now() / 1_000) - 2;
      folder.write('f', `${round} one`);
      utimesSync(join(folder.root, 'f'), second, second);
      folder.git('add', 'f');
      utimesSync(join(folder.root, '.git/index'), second, second);
      folder.write('f', `${round} two`);
      utimesSync(join(folder.root, 'f'), second, second);
      folder.git('config', 'core.trustctime', 'false');
      await using workspace = await folder.open();
      expect((await blobs(workspace))['f']).toBe(blob(`${round} two`));
    }
  });

  it('sees an edit of the same size right after it was looked at', async () => {
    await using folder = await Folder.repository();
    folder.write('tracked', '0');
    folder.commitAll();
    await using workspace = await folder.open();
    for (let round = 1; round < 6; round += 1) {
      for (const name of ['tracked', 'untracked']) folder.write(name, String(round));
      expect(await blobs(workspace)).toEqual({ tracked: blob(String(round)), untracked: blob(String(round)) });
    }
  });

  it('sees a file of the same size and time put in place of another', async () => {
    await using folder = await Folder.repository();
    const old = new Date('2001-01-01');
    folder.write('f', 'one');
    utimesSync(join(folder.root, 'f'), old, old);
    folder.commitAll();
    await using workspace = await folder.open();
    await workspace.snapshot([]);
    folder.write('new', 'two');
    utimesSync(join(folder.root, 'new'), old, old);
    renameSync(join(folder.root, 'new'), join(folder.root, 'f'));
    expect(await blobs(workspace)).toEqual({ f: blob('two') });
  });

  it('is the same where files were merely touched', async () => {
    await using folder = await Folder.repository();
    for (const name of ['f', 'untracked']) folder.write(name, 'one');
    folder.git('add', 'f');
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([]);
    for (const name of ['f', 'untracked']) utimesSync(join(folder.root, name), new Date(), new Date());
    expect((await workspace.snapshot([])).tree).toBe(tree);
  });

  it('sees edits of files that git was told not to look at', async () => {
    await using folder = await Folder.repository();
    for (const name of ['assumed', 'skipped', 'sparse', 'both']) folder.write(name, 'one');
    folder.commitAll();
    folder.git('update-index', '--assume-unchanged', 'assumed', 'both');
    folder.git('update-index', '--skip-worktree', 'skipped', 'sparse', 'both');
    for (const name of ['assumed', 'skipped', 'both']) folder.write(name, 'two');
    rmSync(join(folder.root, 'sparse'));
    await using workspace = await folder.open();
    const two = blob('two');
    expect(await blobs(workspace)).toEqual({ assumed: two, both: two, skipped: two, sparse: blob('one') });
    folder.write('skipped', 'three');
    folder.write('sparse', 'back');
    expect(await blobs(workspace)).toMatchObject({ skipped: blob('three'), sparse: blob('back') });
  });

  it('has modes as git has them where the file system has none', async () => {
    await using folder = await Folder.repository();
    folder.write('tool', 'x', 0o755);
    folder.write('text', 'x');
    folder.commitAll();
    folder.git('config', 'core.fileMode', 'false');
    folder.write('tool', 'y', 0o644);
    chmodSync(join(folder.root, 'text'), 0o755);
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([]);
    const modes = [...(await workspace.files(tree))].map(([path, { mode }]) => [path, mode]);
    expect(Object.fromEntries(modes)).toEqual({ tool: '100755', text: '100644' });
  });

  it('has links by target, and never looks through one', async () => {
    await using folder = await Folder.repository();
    mkdirSync(folder.beside('outside'));
    for (const name of ['tracked', 'untracked']) writeFileSync(join(folder.beside('outside'), name), 'secret');
    folder.write('dir/tracked', 'mine');
    folder.git('add', '-A');
    folder.write('dir/untracked', 'mine');
    symlinkSync('nowhere', join(folder.root, 'dangling'));
    await using workspace = await folder.open();
    expect(await paths(workspace)).toEqual(['dangling', 'dir/tracked', 'dir/untracked']);
    rmSync(join(folder.root, 'dir'), { recursive: true });
    symlinkSync(folder.beside('outside'), join(folder.root, 'dir'));
    const expected = { dangling: blob('nowhere'), dir: blob(folder.beside('outside')) };
    expect(await blobs(workspace)).toEqual(expected);
    expect(await blobs(workspace, ['dir/**', 'dangling'])).toEqual(expected);
    expect(await anew(folder)).toEqual(expected);
  });

  it('leaves out pipes and sockets, and names those that took a file\u2019s place', async () => {
    await using folder = await Folder.repository();
    for (const name of ['f', 'g', 'socket']) folder.write(name, 'x');
    folder.commitAll();
    for (const name of ['f', 'socket']) rmSync(join(folder.root, name));
    for (const name of ['f', 'untracked']) execFileSync('mkfifo', [join(folder.root, name)]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder.root, 'socket'), resolve));
    await using workspace = await folder.open();
    const { tree, notices } = await workspace.snapshot([['untracked']]);
    expect([...(await workspace.files(tree)).keys()]).toEqual(['g']);
    expect(notices).toEqual([
      'not part of the inputs: f (it is a named pipe)',
      'not part of the inputs: socket (it is a socket)',
    ]);
    expect(filesBelow((await checkOut(workspace, { tree })).root)).toEqual({ g: 'x' });
    server.close();
  });

  it('does not hang on a pipe in the place of the index', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'x');
    folder.commitAll();
    await using workspace = await folder.open();
    rmSync(join(folder.root, '.git/index'));
    execFileSync('mkfifo', [join(folder.root, '.git/index')]);
    const refused = {
      code: 'WORKSPACE_UNREADABLE',
      message: expect.stringContaining('.git/index is not a plain file'),
    };
    await using opened = await folder.open();
    await expect(opened.snapshot([])).rejects.toMatchObject(refused);
    await expect(workspace.snapshot([])).rejects.toMatchObject(refused);
  });

  it('leaves out repositories that git does not track, with their names', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'x');
    folder.write('file', 'x');
    folder.commitAll();
    folder.git('init', '-q', 'empty');
    folder.git('clone', '-q', '.', 'deep/clone');
    rmSync(join(folder.root, 'file'));
    folder.git('clone', '-q', '.', 'file');
    folder.write('empty/inner', 'x');
    await using workspace = await folder.open();
    const { tree, notices } = await workspace.snapshot([]);
    expect([...(await workspace.files(tree)).keys()]).toEqual(['f']);
    expect(notices).toEqual(['not part of the inputs: file, deep/clone, empty (it is a git repository)']);
  });

  it('has odd names as they are', async () => {
    await using folder = await Folder.repository();
    const names = [
      '"quoted"',
      'a\nb',
      'tab\there',
      '[id].ts',
      ' lead',
      'carriage\r',
      'back\\slash',
      '-dash',
      'ünï',
      ':x',
      '!y',
    ];
    for (const name of names.slice(1)) folder.write(name, name);
    folder.write('line\nbreak/deep/"f"', 'f');
    folder.commitAll();
    for (const name of names) folder.write(name, `${name}!`);
    const raw = (...bytes: number[]): Buffer => Buffer.concat([Buffer.from(`${folder.root}/caf`), Buffer.from(bytes)]);
    writeFileSync(raw(0xe9), 'latin');
    writeFileSync(raw(0xe8), 'grave');
    writeFileSync(raw(0xef, 0xbf, 0xbd), 'real');
    await using workspace = await folder.open();
    const expected = {
      ...Object.fromEntries(names.map((name) => [name, blob(`${name}!`)])),
      'line\nbreak/deep/"f"': blob('f'),
      'caf\uFFFDE8': blob('grave'),
      'caf\uFFFDE9': blob('latin'),
      'caf\uFFFDEF\uFFFDBF\uFFFDBD': blob('real'),
    };
    expect(await blobs(workspace)).toEqual(expected);
    const checkout = await checkOut(workspace);
    rmSync(join(checkout.root, '.git'), { recursive: true });
    await using inside = await openWorkspace(checkout.root, {
      environment: folder.environment,
      store: folder.beside('other'),
      trees: folder.trees,
    });
    expect(await blobs(inside)).toEqual(expected);
  });

  it('leaves out names that git refuses', async () => {
    await using folder = await Folder.repository();
    for (const name of ['.GIT/config', 'git~1', 'good', 'sub/.Git']) folder.write(name, 'x');
    await using workspace = await folder.open();
    const { tree, notices } = await workspace.snapshot([]);
    expect([...(await workspace.files(tree)).keys()]).toEqual(['good']);
    const left = 'not part of the inputs: .GIT/config, git~1, sub/.Git (git does not accept such a file name)';
    expect(notices).toEqual([left]);
    expect(await workspace.snapshot([])).toEqual({ tree, notices });
  });

  it('never holds what is ours, tracked or not', async () => {
    await using folder = await Folder.repository();
    for (const name of ['app/.state/run', 'app/f']) folder.write(name, 'x');
    folder.git('add', '-f', '-A');
    folder.write('app/.state/new', 'x');
    await using workspace = await folder.open({}, 'app');
    expect(await paths(workspace, ['.state/**', '**', '.git/**'])).toEqual(['f']);
  });
});

describe('ignored files', () => {
  it('are taken only where globs name their place', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitignore', 'dist/\nnode_modules/\n*.log\nout/*\n!out/.gitkeep\n');
    const ignored = ['src/b.log', 'src/node_modules/m.js', 'dist/x/a.js', 'dist/b.js', 'build.log', 'out/o.js'];
    for (const path of ['src/a.js', 'out/.gitkeep', ...ignored]) folder.write(path, path);
    folder.commitAll();
    folder.write('src/new.js', 'n');
    await using workspace = await folder.open();
    const always = ['.gitignore', 'out/.gitkeep', 'src/a.js', 'src/new.js'];
    const taken = async (...globs: string[]): Promise<string[]> =>
      (await paths(workspace, globs)).filter((path) => !always.includes(path));
    expect(await taken('**/*.js')).toEqual([]);
    expect(await taken('src')).toEqual([]);
    expect(await taken('dist/**')).toEqual(['dist/b.js', 'dist/x/a.js']);
    expect(await taken('./dist/x/')).toEqual(['dist/x/a.js']);
    expect(await taken('dist/*.js', 'build.log')).toEqual(['build.log', 'dist/b.js']);
    expect(await taken('out/**')).toEqual(['out/o.js']);
    expect(await taken('src/node_modules/*.js')).toEqual(['src/node_modules/m.js']);
    expect(await taken()).toEqual([]);
  });

  it('are told anew at each call: new ones, gone ones, ones that no glob names any more', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitignore', 'out/*\n!out/.gitkeep\n');
    for (const path of ['out/.gitkeep', 'out/a']) folder.write(path, path);
    folder.commitAll();
    await using workspace = await folder.open();
    const taken = async (...globs: string[]): Promise<string[]> =>
      (await paths(workspace, globs)).filter((path) => path.startsWith('out/') && path !== 'out/.gitkeep');
    expect(await taken('out/**')).toEqual(['out/a']);
    folder.write('out/b', 'b');
    expect(await taken('out/**')).toEqual(['out/a', 'out/b']);
    rmSync(join(folder.root, 'out/a'));
    expect(await taken('out/**')).toEqual(['out/b']);
    expect(await taken('src/**')).toEqual([]);
    expect(await taken('out/**')).toEqual(['out/b']);
    // A source among them: from now on the folder is one of sources.
    folder.write('out/source', 'x');
    folder.git('add', '-f', 'out/source');
    folder.write('.gitignore', 'out/b\n');
    expect(await taken('out/**')).toEqual(['out/source']);
  });

  it('that were untracked before are no part of it any more, whatever glob matches them', async () => {
    await using folder = await Folder.repository();
    folder.write('src/a', 'a');
    folder.commitAll();
    folder.write('src/x.tmp', 'x');
    await using workspace = await folder.open();
    expect(await paths(workspace, ['src/**'])).toEqual(['src/a', 'src/x.tmp']);
    folder.write('.gitignore', '*.tmp\n');
    expect(await paths(workspace, ['src/**'])).toEqual(['.gitignore', 'src/a']);
  });
});

describe('large untracked files', () => {
  it('are an error that names them and the lines for .gitignore', async () => {
    await using folder = await Folder.repository();
    folder.write('tracked', 'x'.repeat(2_000));
    folder.commitAll();
    folder.write('data/big', 'x'.repeat(1_001));
    folder.write('fits', 'x'.repeat(1_000));
    await using workspace = await folder.open({ maxUntracked: 1_000 });
    await expect(workspace.snapshot([])).rejects.toMatchObject({
      code: 'UNTRACKED_TOO_LARGE',
      fault: 'user',
      message: expect.stringContaining('data/big'),
      hint: expect.stringContaining('/data/big'),
    });
    folder.write('.gitignore', '/data/big\n');
    expect(await paths(workspace)).toEqual(['.gitignore', 'fits', 'tracked']);
    folder.write('fits', 'x'.repeat(1_001));
    await expect(workspace.snapshot([])).rejects.toMatchObject({ message: expect.stringContaining('fits') });
  });

  it('count together too, also those that came at different times', async () => {
    await using folder = await Folder.repository();
    await using workspace = await folder.open({ maxUntracked: 1_000 });
    for (let n = 0; n < 10; n += 1) folder.write(`f${n}`, String(n).repeat(1_000));
    await workspace.snapshot([]);
    folder.write('more', 'x'.repeat(500));
    await expect(workspace.snapshot([])).rejects.toMatchObject({
      code: 'UNTRACKED_TOO_LARGE',
      message: expect.stringContaining('in total'),
    });
    folder.git('add', 'f0');
    expect(await paths(workspace)).toHaveLength(11);
  });
});

describe('what was looked at once', () => {
  it('is read again when the user cleans up objects between two calls', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'committed');
    folder.commitAll();
    folder.write('f', 'staged once');
    folder.write('new', 'also staged once');
    folder.git('add', '-A');
    folder.git('reset', '-q');
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([]);
    folder.git('gc', '-q', '--prune=now');
    const again = await folder.open();
    expect((await again.snapshot([])).tree).toBe(tree);
    expect(await contentsOf(folder, again, tree)).toEqual(filesBelow(folder.root));
    expect(filesBelow((await checkOut(again, { tree })).root)).toEqual(filesBelow(folder.root));
  });

  it('is read again when the user cleans up what was only staged', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'committed');
    folder.commitAll();
    folder.write('f', 'staged');
    folder.git('add', '-A');
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([]);
    folder.git('reset', '-q', '--hard');
    folder.git('gc', '-q', '--prune=now');
    expect(await contentsOf(folder, workspace, tree)).toEqual({ f: 'staged' });
    expect(filesBelow((await checkOut(workspace, { tree })).root)).toEqual({ f: 'staged' });
  });

  it('is looked at anew when what was noted is damaged or gone', async () => {
    await using folder = await Folder.repository();
    for (const name of ['f', 'g']) folder.write(name, name);
    folder.git('add', 'f');
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([]);
    const damages: readonly (() => void)[] = [
      () => folder.write('.state/git/snapshot.index', 'damaged'),
      () => folder.write('.state/git/snapshot.index.json', '{'),
      () => folder.write('.state/git/snapshot.index.lock', ''),
      () => rmSync(join(folder.root, '.state/git/snapshot.index')),
      () => rmSync(join(folder.root, '.state/git/objects'), { recursive: true }),
      () => rmSync(join(folder.root, '.state/git'), { recursive: true }),
    ];
    for (const damage of damages) {
      damage();
      folder.write('f', `${folder.read('f')}!`);
      await using again = await folder.open();
      const now = await again.snapshot([]);
      expect(now.tree).not.toBe(tree);
      expect(await contentsOf(folder, again, now.tree)).toEqual(filesBelow(folder.root));
    }
  });

  it('is read once where it changed in the second in which git wrote its index', async () => {
    await using folder = await Folder.repository();
    writeFileSync(folder.beside('count'), `#!/bin/sh\necho x >> '${folder.beside('runs')}'\ncat\n`, { mode: 0o755 });
    folder.git('config', 'filter.count.clean', folder.beside('count'));
    folder.write('.gitattributes', '*.counted filter=count\n');
    folder.write('a.counted', 'x');
    const past = new Date('2001-01-01T12:00:00.000Z');
    utimesSync(join(folder.root, 'a.counted'), past, past);
    folder.git('add', '-A');
    utimesSync(join(folder.root, '.git/index'), past, past);
    await using workspace = await folder.open();
    await workspace.snapshot([]);
    expect(existsSync(folder.beside('runs'))).toBe(true);
    rmSync(folder.beside('runs'), { force: true });
    await workspace.snapshot([]);
    expect(existsSync(folder.beside('runs'))).toBe(false);
  });

  it('is not written down by those who only look', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'x');
    await using first = await folder.open({ readOnly: true });
    expect(await paths(first)).toEqual(['f']);
    expect(filesBelow(folder.beside(''))).not.toHaveProperty('work/.state/git/HEAD');
    await using writer = await folder.open();
    await writer.snapshot([]);
    folder.write('f', 'y');
    const before = filesBelow(join(folder.root, '.state/git'));
    await using second = await folder.open({ readOnly: true });
    expect(await blobs(second)).toEqual({ f: blob('y') });
    expect(filesBelow(join(folder.root, '.state/git'))).toEqual(before);
  });

  it('moves with its folder, and with its repository', async () => {
    await using folder = await Folder.repository();
    for (const name of ['f', 'g']) folder.write(name, name);
    folder.commitAll();
    folder.write('g', 'edited');
    const { tree } = await (await folder.open()).snapshot([]);
    renameSync(folder.root, folder.beside('moved'));
    const moved = Folder.at(folder, 'moved');
    await using workspace = await moved.open();
    expect((await workspace.snapshot([])).tree).toBe(tree);
    expect(filesBelow((await checkOut(workspace)).root)).toEqual({ f: 'f', g: 'edited' });
    rmSync(join(moved.root, '.git'), { recursive: true });
    await using without = await moved.open();
    expect(await paths(without)).toEqual(['f', 'g']);
    moved.git('init', '-q', '--object-format=sha256');
    await using other = await moved.open();
    expect((await blobs(other))['f']).toBe(blob('f', 'sha256'));
    expect(filesBelow((await checkOut(other)).root)).toEqual({ f: 'f', g: 'edited' });
  });
});

/** What git would show of the folder: everything but what it ignores. */
function visible(folder: Folder): Record<string, string> {
  const index = folder.beside('visible.index');
  copyFileSync(join(folder.root, '.git/index'), index);
  const env = { ...folder.environment, GIT_INDEX_FILE: index };
  const run = (...args: string[]): string => execFileSync('git', args, { cwd: folder.root, env, encoding: 'utf8' });
  const names = run('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  const all = filesBelow(folder.root);
  return Object.fromEntries(Object.entries(all).filter(([path]) => names.includes(path)));
}
