import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWorkspace } from '../../src/workspace/open-workspace.ts';
import { blob, Folder, Kept } from './folder.ts';

/** A program in git's place that does something first. */
function gitAfter(folder: Folder, script: string): string {
  const place = folder.beside('git-wrapper');
  writeFileSync(place, `#!/bin/sh\n${script}\nexec git "$@"\n`, { mode: 0o755 });
  return place;
}

describe('opening a workspace', () => {
  it('resolves the root, and refuses what is no folder', async () => {
    await using folder = await Folder.plain();
    folder.write('f', 'x');
    symlinkSync(folder.root, folder.beside('link'));
    const { environment } = folder;
    expect((await openWorkspace(folder.beside('link'), { environment })).root).toBe(folder.root);
    for (const name of ['none', 'work/f']) {
      await expect(openWorkspace(folder.beside(name), { environment })).rejects.toMatchObject({
        code: 'WORKSPACE_MISSING',
        fault: 'user',
      });
    }
  });

  it('says so when there is a repository but no git', async () => {
    await using folder = await Folder.repository();
    mkdirSync(join(folder.root, 'sub'));
    await expect(folder.open({ git: 'no-such-git' }, 'sub')).rejects.toMatchObject({
      code: 'GIT_NOT_FOUND',
      fault: 'user',
    });
  });

  it('tells what to do about a repository of another user', async () => {
    await using folder = await Folder.repository();
    const git = gitAfter(folder, 'export GIT_TEST_ASSUME_DIFFERENT_OWNER=1');
    await expect(folder.open({ git })).rejects.toMatchObject({
      code: 'GIT_UNSAFE_DIRECTORY',
      hint: expect.stringContaining(`git config --global --add safe.directory '${folder.root}'`),
    });
  });

  it('tells what git said when the repository breaks', async () => {
    await using folder = await Folder.repository();
    const workspace = await folder.open();
    rmSync(join(folder.root, '.git'), { recursive: true });
    await expect(workspace.inputs(undefined)).rejects.toMatchObject({
      code: 'GIT_FAILED',
      fault: 'platform',
      message: expect.stringContaining('not a git repository'),
    });
  });
});

describe('git', () => {
  it('is not led elsewhere by the environment, and is not given the runner\u2019s own variables', async () => {
    await using folder = await Folder.repository();
    await using other = await Folder.repository();
    folder.write('mine', 'x');
    folder.commitAll();
    folder.write('untracked', 'x');
    other.write('theirs', 'x');
    other.commitAll();
    const log = folder.beside('environment');
    const git = gitAfter(folder, `env > '${log}'`);
    const environment = {
      ...folder.environment,
      GIT_DIR: join(other.root, '.git'),
      GIT_WORK_TREE: other.root,
      GIT_INDEX_FILE: join(other.root, '.git/index'),
      GIT_LITERAL_PATHSPECS: '1',
      ACTIONS_RUNTIME_TOKEN: 'secret-token',
      LANG: 'de_DE.UTF-8',
    };
    const workspace = await folder.open({ git, environment });
    expect([...(await workspace.inputs(undefined)).files.keys()]).toEqual(['mine']);
    const seen = readFileSync(log, 'utf8');
    expect(seen).not.toContain('secret-token');
    expect(seen).toContain('GIT_OPTIONAL_LOCKS=0');
    expect(seen).toContain('LC_ALL=C\n');
  });

  it('runs no monitor that the repository names, and writes nothing', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'x');
    folder.commitAll();
    const proof = folder.beside('proof');
    writeFileSync(folder.beside('monitor'), `#!/bin/sh\ntouch '${proof}'\n`, { mode: 0o755 });
    folder.git('config', 'core.fsmonitor', folder.beside('monitor'));
    folder.write('f', 'x');
    const before = readFileSync(join(folder.root, '.git/index'));
    const objects = readdirSync(join(folder.root, '.git/objects')).length;
    const workspace = await folder.open();
    folder.write('g', 'new');
    await workspace.changesSince(await workspace.baseline('changed'), 'changed', new Kept().keep);
    await workspace.inputs(['**']);
    expect(existsSync(proof)).toBe(false);
    expect(readFileSync(join(folder.root, '.git/index'))).toEqual(before);
    expect(readdirSync(join(folder.root, '.git/objects'))).toHaveLength(objects);
  });

  it('is called a fixed number of times, however many files there are', async () => {
    await using folder = await Folder.repository();
    for (let n = 0; n < 300; n++) folder.write(`d${n % 7}/f${n}`, `${n}`);
    folder.commitAll();
    const log = folder.beside('calls');
    const workspace = await folder.open({ git: gitAfter(folder, `echo "$*" >> '${log}'`) });
    const calls = (): number => readFileSync(log, 'utf8').trim().split('\n').length;
    const opening = calls();
    const before = await workspace.baseline('changed');
    for (let n = 0; n < 300; n++) folder.write(`d${n % 7}/f${n}`, `edited ${n}`);
    for (let n = 0; n < 300; n++) folder.write(`new/f${n}`, `${n}`);
    const { files } = await workspace.changesSince(before, 'changed', new Kept().keep);
    expect(files).toHaveLength(600);
    expect(calls() - opening).toBeLessThanOrEqual(12);
  });
});

describe('readText', () => {
  it('reads a contained file, also through links that stay inside', async () => {
    await using folder = await Folder.plain();
    folder.write('a/b', '\uFEFFünï');
    symlinkSync('a', join(folder.root, 'link'));
    const workspace = await folder.open();
    expect(await workspace.readText('a/b')).toBe('ünï');
    expect(await workspace.readText('./link/../a/b')).toBe('ünï');
    expect(await workspace.readText('link/b')).toBe('ünï');
    expect(await workspace.readText('a/none')).toBeUndefined();
    expect(await workspace.readText('none/b')).toBeUndefined();
  });

  it('refuses what lies outside, is no file, is too large or is not UTF-8', async () => {
    await using folder = await Folder.plain();
    writeFileSync(folder.beside('secret'), 'secret');
    symlinkSync(folder.beside('secret'), join(folder.root, 'out'));
    folder.write('binary', new Uint8Array([0xff, 0xfe]));
    folder.write('large', '');
    truncateSync(join(folder.root, 'large'), 16 * 1024 ** 2 + 1);
    mkdirSync(join(folder.root, 'folder'));
    execFileSync('mkfifo', [join(folder.root, 'pipe')]);
    const workspace = await folder.open();
    const refused: Record<string, string> = {
      '../secret': 'PATH_ESCAPES',
      [folder.beside('secret')]: 'PATH_ESCAPES',
      'a/../../secret': 'PATH_ESCAPES',
      out: 'PATH_ESCAPES',
      'nul\0': 'PATH_ESCAPES',
      binary: 'FILE_NOT_UTF8',
      large: 'FILE_TOO_LARGE',
      folder: 'FILE_UNREADABLE',
      pipe: 'FILE_UNREADABLE',
      'binary/below': 'FILE_UNREADABLE',
    };
    for (const [path, code] of Object.entries(refused)) {
      await expect(workspace.readText(path), path).rejects.toMatchObject({ code, fault: 'user' });
    }
  });
});

describe('what is checked out', () => {
  it('has a branch unless it is detached', async () => {
    await using folder = await Folder.repository();
    const workspace = await folder.open();
    expect(await workspace.branch()).toBe('main');
    folder.commitAll();
    folder.git('tag', 'feature/x');
    folder.git('checkout', '-q', '-b', 'feature/x');
    expect(await workspace.branch()).toBe('feature/x');
    folder.git('checkout', '-q', '--detach');
    expect(await workspace.branch()).toBeUndefined();
  });

  it('tells how the checked out commit has files, whatever stands there now', async () => {
    await using folder = await Folder.repository();
    const workspace = await folder.open({}, '');
    folder.write('f', 'x');
    expect([...(await workspace.committed(['f']))]).toEqual([]);
    for (const name of ['sub/same', 'sub/edited', 'sub/staged', 'sub/gone']) folder.write(name, 'one');
    folder.commitAll();
    folder.write('sub/edited', 'two');
    folder.write('sub/staged', 'two');
    folder.git('add', 'sub/staged');
    folder.write('sub/new', 'new');
    rmSync(join(folder.root, 'sub/gone'));
    const asked = ['same', 'edited', 'staged', 'gone', 'new', 'never'];
    const answer = await (await folder.open({}, 'sub')).committed(asked);
    expect([...answer.keys()]).toEqual(asked);
    const one = { blob: blob('one'), mode: '100644' };
    expect([...answer.values()]).toEqual([one, one, one, one, null, null]);
    expect((await workspace.inputs(['f'])).files.get('f')?.blob).toBe(blob('x'));
    await using plain = await Folder.plain();
    expect([...(await (await plain.open()).committed(['never']))]).toEqual([]);
  });
});
