import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { GIT_LOCAL_VARIABLES } from '../../src/environment.ts';
import { openWorkspace } from '../../src/workspace/open-workspace.ts';
import { blob, filesBelow, Folder } from './folder.ts';
import { asAgent, checkOut, put } from './round.ts';

/** A program in git's place that does something first. */
function gitAfter(folder: Folder, script: string, name = 'git-wrapper'): string {
  const place = folder.beside(name);
  writeFileSync(place, `#!/bin/sh\n${script}\nexec git "$@"\n`, { mode: 0o755 });
  return place;
}

describe('opening a workspace', () => {
  it('resolves the root, and refuses what is no folder', async () => {
    await using folder = await Folder.plain();
    folder.write('f', 'x');
    symlinkSync(folder.root, folder.beside('link'));
    const { environment, trees } = folder;
    const options = { environment, trees, store: folder.beside('store') };
    expect((await openWorkspace(folder.beside('link'), options)).root).toBe(folder.root);
    for (const name of ['none', 'work/f']) {
      await expect(openWorkspace(folder.beside(name), options)).rejects.toMatchObject({
        code: 'WORKSPACE_MISSING',
        fault: 'user',
      });
    }
  });

  it('needs git, and one that is not too old', async () => {
    await using folder = await Folder.repository();
    const refused: Readonly<Record<string, string>> = {
      'git version 2.29.3': '2.29',
      'git version 1.8.3.1': '1.8',
      'git version 2.4.12 (Apple Git-1)': '2.4',
    };
    for (const [version, said] of Object.entries(refused)) {
      const git = gitAfter(
        folder,
        `case "$*" in *version) echo '${version}'; exit;; *show-object-format*) exit 129;; esac`,
      );
      await expect(folder.open({ git }), version).rejects.toMatchObject({
        code: 'GIT_TOO_OLD',
        fault: 'user',
        message: `git is ${said}, and Gateline needs 2.30 or newer`,
      });
    }
    for (const version of ['git version 2.30.0', 'git version 3.0.1.windows.1', 'git version 10.2']) {
      const git = gitAfter(folder, `case "$*" in *version) echo '${version}'; exit;; esac`);
      expect((await folder.open({ git })).git, version).toBe(git);
    }
    mkdirSync(join(folder.root, 'sub'));
    await expect(folder.open({ git: 'no-such-git' }, 'sub')).rejects.toMatchObject({
      code: 'GIT_NOT_FOUND',
      fault: 'user',
    });
  });

  it('takes the first git on the PATH, as that is now', async () => {
    await using folder = await Folder.repository();
    mkdirSync(folder.beside('old'));
    mkdirSync(folder.beside('tools'));
    gitAfter(folder, 'echo git version 2.20.0; exit', 'old/git');
    const PATH = process.env['PATH']!;
    const old = { ...folder.environment, PATH: `:${folder.beside('tools')}:${folder.beside('old')}:${PATH}` };
    await expect(folder.open({ environment: old })).rejects.toMatchObject({ code: 'GIT_TOO_OLD' });
    const workspace = await folder.open({ environment: { ...old, PATH: `${folder.beside('tools')}:${PATH}` } });
    gitAfter(folder, 'exit 1', 'tools/git');
    expect((await workspace.snapshot([])).notices).toEqual([]);
  });

  it('tells what to do about a repository of another user', async () => {
    await using folder = await Folder.repository();
    const git = gitAfter(folder, 'export GIT_TEST_ASSUME_DIFFERENT_OWNER=1');
    await expect(folder.open({ git })).rejects.toMatchObject({
      code: 'GIT_UNSAFE_DIRECTORY',
      hint: expect.stringContaining(`git config --global --add safe.directory '${folder.root}'`),
    });
  });

  it('takes a bare repository, and a folder that the repository around it ignores, for plain folders', async () => {
    await using bare = await Folder.repository('--bare');
    await using inside = await bare.open({ store: bare.beside('store') }, 'hooks');
    expect((await inside.snapshot([])).notices).toEqual([]);
    expect(await inside.committed('f')).toBeUndefined();

    await using outer = await Folder.repository();
    outer.write('.gitignore', 'tmp/\n');
    outer.write('tmp/app/f', 'x');
    outer.write('other', 'x');
    outer.commitAll();
    await using workspace = await outer.open({}, 'tmp/app');
    const { tree } = await workspace.snapshot([]);
    expect([...(await workspace.files(tree)).keys()]).toEqual(['f']);
    outer.git('add', '-f', 'tmp/app/f');
    await using tracked = await outer.open({}, 'tmp/app');
    const now = await tracked.snapshot([]);
    expect([...(await tracked.files(now.tree)).keys()]).toContain('../../other');
  });

  it('takes a path with characters that mean something to git, and refuses one with a line break', async () => {
    await using folder = await Folder.plain();
    const odd = Folder.at(folder, 'we:ird "quoted" \\ [dir] ünï');
    odd.git('init', '-q');
    odd.write('dir/f', 'committed');
    odd.commitAll();
    odd.write('new', 'new');
    await using workspace = await odd.open();
    const checkout = await checkOut(workspace);
    expect(filesBelow(checkout.root)).toEqual({ 'dir/f': 'committed', new: 'new' });
    expect(asAgent(odd, checkout)('show', 'HEAD:dir/f')).toBe('committed');
    expect(asAgent(odd, checkout)('stash', '-u')).toContain('Saved');
    await using inside = await odd.open({}, 'dir');
    expect(filesBelow((await checkOut(inside)).root)).toEqual({ f: 'committed' });
    const broken = Folder.at(folder, 'line\nbreak');
    await expect(broken.open()).rejects.toMatchObject({ message: expect.stringContaining('line break') });
  });

  it('tells what git said when the repository breaks', async () => {
    await using folder = await Folder.repository();
    const workspace = await folder.open();
    rmSync(join(folder.root, '.git'), { recursive: true });
    await expect(workspace.snapshot([])).rejects.toMatchObject({
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
    const before = { git: other.repositoryContents(), files: filesBelow(other.root) };
    const log = folder.beside('environment');
    const git = gitAfter(folder, `env >> '${log}'`);
    const environment = {
      ...folder.environment,
      GIT_DIR: join(other.root, '.git'),
      GIT_WORK_TREE: other.root,
      GIT_INDEX_FILE: join(other.root, '.git/index'),
      GIT_OBJECT_DIRECTORY: join(other.root, '.git/objects'),
      GIT_PREFIX: 'elsewhere/',
      GIT_LITERAL_PATHSPECS: '1',
      ACTIONS_RUNTIME_TOKEN: 'secret-token',
      LANG: 'de_DE.UTF-8',
    };
    await using workspace = await folder.open({ git, environment });
    const checkout = await checkOut(workspace);
    expect(filesBelow(checkout.root)).toEqual({ mine: 'x', untracked: 'x' });
    put(checkout.root, 'mine', 'edited');
    await checkout.capture();
    const seen = readFileSync(log, 'utf8');
    expect(seen).not.toContain('secret-token');
    expect(seen).not.toContain(other.root);
    expect(seen).toContain('GIT_OPTIONAL_LOCKS=0');
    expect(seen).toContain('LC_ALL=C\n');
    expect({ git: other.repositoryContents(), files: filesBelow(other.root) }).toEqual(before);
  });

  it('is asked by a hook of git as by anybody else', async () => {
    await using folder = await Folder.repository();
    folder.write('f', 'x');
    folder.commitAll();
    folder.write('.git/hooks/pre-commit', `#!/bin/sh\nenv > '${folder.beside('hook')}'\n`, 0o755);
    folder.write('f', 'y');
    folder.git('commit', '-qam', 'y');
    const lines = readFileSync(folder.beside('hook'), 'utf8').split('\n');
    const environment = Object.fromEntries(
      lines
        .filter((line) => line.includes('='))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    expect(environment).toHaveProperty('GIT_INDEX_FILE');
    folder.write('f', 'z');
    folder.write('new', 'new');
    const before = folder.repositoryContents();
    await using workspace = await folder.open({ environment });
    expect(filesBelow((await checkOut(workspace)).root)).toEqual({ f: 'z', new: 'new' });
    expect(folder.repositoryContents()).toEqual(before);
  });

  it('has no more variables of its own than those that agents do not inherit', () => {
    const names = execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' }).trim().split('\n');
    expect(names.length).toBeGreaterThan(10);
    // Newer versions do not have this one any more.
    const all = new Set([...names, 'GIT_INTERNAL_SUPER_PREFIX']);
    expect([...GIT_LOCAL_VARIABLES].toSorted()).toEqual([...all].toSorted());
  });

  it('is ended with everything that it started when it takes too long', async () => {
    await using folder = await Folder.repository();
    const pids = folder.beside('pids');
    writeFileSync(folder.beside('slow'), `#!/bin/sh\necho $$ >> '${pids}'\nsleep 600 &\necho $! >> '${pids}'\nwait\n`, {
      mode: 0o755,
    });
    folder.git('config', 'filter.slow.clean', folder.beside('slow'));
    folder.write('.gitattributes', '*.slow filter=slow\n');
    folder.write('a.slow', 'x');
    await using workspace = await folder.open({ gitTimeoutMs: 2_000 });
    const began = performance.now();
    await expect(workspace.snapshot([])).rejects.toMatchObject({
      code: 'GIT_TIMEOUT',
      fault: 'platform',
      message: expect.stringContaining('update-index did not end within 2 s'),
    });
    expect(performance.now() - began).toBeLessThan(60_000);
    await sleep(200);
    const alive = readFileSync(pids, 'utf8')
      .trim()
      .split('\n')
      .filter((pid) => existsSync(`/proc/${pid}/cmdline`));
    const running = alive.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '');
    expect(running).toEqual([]);
    rmSync(join(folder.root, '.gitattributes'));
    expect((await workspace.files((await workspace.snapshot([])).tree)).get('a.slow')?.blob).toBe(blob('x'));
  });

  it('does not wait for ever for a pipe in the place of its settings', async () => {
    await using folder = await Folder.repository();
    rmSync(join(folder.root, '.git/config'));
    execFileSync('mkfifo', [join(folder.root, '.git/config')]);
    await expect(folder.open()).rejects.toMatchObject({
      code: 'WORKSPACE_UNREADABLE',
      message: expect.stringContaining('named pipe'),
    });
  });

  it('is called a fixed number of times, however many files there are', async () => {
    await using folder = await Folder.repository();
    for (let n = 0; n < 300; n += 1) folder.write(`d${n % 7}/f${n}`, `${n}`);
    folder.commitAll();
    const log = folder.beside('calls');
    await using workspace = await folder.open({ git: gitAfter(folder, `echo "$*" >> '${log}'`) });
    const since = (): number => {
      const calls = readFileSync(log, 'utf8').trim().split('\n').length;
      writeFileSync(log, '');
      return calls;
    };
    expect(since()).toBeLessThanOrEqual(2);
    for (let n = 0; n < 300; n += 1) folder.write(`d${n % 7}/f${n}`, `edited ${n}`);
    for (let n = 0; n < 300; n += 1) folder.write(`new/f${n}`, `${n}`);
    const { tree } = await workspace.snapshot([['d1/**', 'new/**']]);
    expect(since()).toBeLessThanOrEqual(16);
    await workspace.snapshot([]);
    expect(since()).toBeLessThanOrEqual(5);
    await checkOut(workspace, { tree });
    expect(since()).toBeLessThanOrEqual(9);
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

  it('tells how the checked out commit has a file, whatever stands there now', async () => {
    await using folder = await Folder.repository();
    await using workspace = await folder.open();
    folder.write('f', 'x');
    expect(await workspace.committed('f')).toBeUndefined();
    for (const name of ['sub/same', 'sub/edited', 'sub/staged', 'sub/gone', 'sub/[a]*']) folder.write(name, 'one');
    folder.commitAll();
    folder.write('sub/edited', 'two');
    folder.write('sub/staged', 'two');
    folder.git('add', 'sub/staged');
    folder.write('sub/new', 'new');
    rmSync(join(folder.root, 'sub/gone'));
    await using inside = await folder.open({}, 'sub');
    const one = { blob: blob('one'), mode: '100644' };
    for (const name of ['same', 'edited', 'staged', 'gone', '[a]*'])
      expect(await inside.committed(name), name).toEqual(one);
    for (const name of ['new', 'never', '[a-z]*']) expect(await inside.committed(name), name).toBeNull();
    expect(await inside.committed('../f')).toEqual({ blob: blob('x'), mode: '100644' });
    await using plain = await Folder.plain();
    expect(await (await plain.open()).committed('never')).toBeUndefined();
  });
});

describe('globs', () => {
  it.each(['/etc/*', '../x', 'a/../../x', 'C:/x', '!../x'])(
    'that leave the workspace are refused: %s',
    async (glob) => {
      await using folder = await Folder.plain();
      await using workspace = await folder.open();
      await expect(workspace.snapshot([[glob]])).rejects.toMatchObject({ code: 'GLOB_ESCAPES', fault: 'user' });
    },
  );

  it('answer for paths that do not exist', async () => {
    await using folder = await Folder.plain();
    await using workspace = await folder.open();
    expect(workspace.matches(undefined, 'any/thing')).toBe(true);
    expect(workspace.matches(undefined, '../beside')).toBe(true);
    expect(workspace.matches(['src'], 'src/x/y')).toBe(true);
    expect(workspace.matches(['src/*'], 'src/x/y')).toBe(false);
    expect(workspace.matches(['src/*/'], 'src/x/y/z')).toBe(true);
    expect(workspace.matches(['src/**', '!src/x'], 'src/x/y')).toBe(false);
    expect(workspace.matches(['src/**', '!**/*.test.ts', 'src/keep.test.ts'], 'src/keep.test.ts')).toBe(true);
    expect(workspace.matches(['.', '!src/'], 'doc')).toBe(true);
    expect(workspace.matches([], 'x')).toBe(false);
    expect(workspace.matches(['**'], '.env')).toBe(true);
    for (const path of ['.state/x', '.git/config', 'sub/.git/config', '../x', '/x'])
      expect(workspace.matches(['**'], path), path).toBe(false);
    expect(workspace.matches(['**'], 'sub/.state/x')).toBe(true);
    expect(() => workspace.matches(['!src'], 'x')).toThrow(expect.objectContaining({ code: 'GLOBS_ONLY_EXCLUDE' }));
  });
});
