import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GIT_ENV, TestFolder } from './folder.ts';

/** Digests of all files below a folder. */
function digestFolder(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path, createHash('sha1').update(readFileSync(path)).digest('hex')]));
}

/** An environment in which `git` first runs these lines of shell. */
function envWithGit(lines: string): Record<string, string | undefined> {
  const folder = new TestFolder();
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  folder.write({ git: `#!/bin/sh\n${lines}\nexec ${git} "$@"\n` }).run('chmod +x git');
  return { ...GIT_ENV, PATH: `${folder.root}:${process.env['PATH']}` };
}

describe('the repository of the user', () => {
  it('is never written: no index, ref, object or setting', async () => {
    const folder = new TestFolder().run('commit a=1 b=1 .gitignore=dist; write a=2 c=3 dist/x=1');
    const before = digestFolder(folder.path('.git'));
    for (const seedIndex of [false, true]) {
      const workspace = await folder.open({ seedIndex, stored: ['dist/**'], hashed: ['.env'] });
      const first = await workspace.takeSnapshot();
      await workspace.keep('1/plan', first);
      const second = await (folder.write('a=3 d=4 -b'), workspace.takeSnapshot());
      const changes = await workspace.diff(first, second);
      await workspace.storeVersions(changes);
      await workspace.applyTo(first, changes);
      await workspace.put(changes.map(({ path, before, after }) => ({ path, before: after, after: before })));
      await workspace.patch(first, second);
      await workspace.readHead();
      await workspace.drop(['1/plan']);
      await workspace.collectGarbage([]);
      expect(await workspace.takeSnapshot()).toEqual(first);
    }
    expect(digestFolder(folder.path('.git'))).toEqual(before);
    expect(statSync(folder.path('.state/git')).mode & 0o777).toBe(0o700);
  });

  const OTHER_OWNER = 'export GIT_TEST_ASSUME_DIFFERENT_OWNER=1';
  it.each<[name: string, script: string, message: RegExp, hint: RegExp, git?: string]>([
    ['of another owner', '', /dubious ownership/, /git config --global --add safe\.directory \S+$/, OTHER_OWNER],
    ['without HEAD', 'rm .git/HEAD', /\.git is there, but git cannot read it/, /HEAD/],
    ['with a damaged HEAD', 'write .git/HEAD=junk', /\.git is there, but git cannot read it/, /HEAD/],
    ['with a damaged config', 'write .git/config=[core', /bad config line/, /git status/],
    ['that was a worktree', 'write -.git; echo "gitdir: /none/x" > .git', /not a git repository: \/none/, /git status/],
    ['whose .git is any file', 'write .git=junk', /invalid gitfile/, /git status/],
  ])('%s is an error, never "no repository"', async (_, script, message, hint, git = '') => {
    const folder = new TestFolder().commit('a=1 sub/b=1').run(script);
    for (const place of [folder, folder.at('sub')]) {
      await expect(place.open({ env: envWithGit(git) })).rejects.toMatchObject({
        fault: 'platform',
        message: expect.stringMatching(message),
        hint: expect.stringMatching(hint),
      });
    }
  });

  it('with an empty .git, as some containers leave it, counts as none', async () => {
    const workspace = await new TestFolder().run('mkdir .git; write a=1').open();
    expect(workspace.repository.user).toBeUndefined();
    expect(Object.keys(Object.fromEntries(await workspace.listFiles(await workspace.takeSnapshot())))).toEqual(['a']);
  });

  it('distinguishes a missing filter from a file whose name looks like its error', async () => {
    const folder = new TestFolder().run('commit a=1 ".gitattributes=*.bin filter=lfs"');
    folder.run('git config filter.lfs.clean no-such-program; git config filter.lfs.required true');
    folder.write({ "fatal: x: clean filter 'lfs' failed": '1' });
    const workspace = await folder.open();
    await workspace.takeSnapshot();
    folder.write('x.bin=1');
    await expect(workspace.takeSnapshot()).rejects.toMatchObject({
      message: expect.stringMatching(/x\.bin: clean filter 'lfs' failed/),
      hint: expect.stringMatching(/Install the program of this filter/),
    });
    folder.run('rm x.bin; rm .git/HEAD');
    await expect(workspace.takeSnapshot()).rejects.not.toMatchObject({ hint: expect.stringMatching(/filter/) });
  });

  it('needs git: without it, opening the folder is an error', async () => {
    const opening = new TestFolder().write('a=1').open({ env: { PATH: '/nonexistent' } });
    await expect(opening).rejects.toMatchObject({
      fault: 'platform',
      message: expect.stringMatching(/^git could not be started/),
    });
  });

  it('is not that of GIT_DIR, which hooks set; filters see no credentials of an action', async () => {
    const [folder, other] = [new TestFolder(), new TestFolder().commit('b=1')];
    folder.run('commit a=1 ".gitattributes=*.x filter=env"; git config filter.env.clean env; write c.x=');
    const hook = { GIT_DIR: other.path('.git'), GIT_INDEX_FILE: other.path('.git/index'), GIT_WORK_TREE: other.root };
    const action = { ACTIONS_RUNTIME_TOKEN: 'credential', INPUT_X: 'credential', VISIBLE: '1' };
    const workspace = await folder.open({ env: { ...GIT_ENV, ...hook, ...action } });
    const files = await workspace.listFiles(await workspace.takeSnapshot());
    expect([...files.keys()]).toEqual(['.gitattributes', 'a', 'c.x']);
    const environment = Buffer.from((await workspace.readVersion(files.get('c.x')!))!).toString();
    expect(environment).toContain('VISIBLE=1');
    expect(environment).not.toContain('credential');
  });

  it('shows whether HEAD moved or something was stashed', async () => {
    const folder = new TestFolder().write('a=1');
    expect(await (await folder.open()).readHead()).toEqual({ head: null, stash: null });
    const workspace = await folder.run('git init -q -b main').open();
    expect(await workspace.readHead()).toEqual({ head: null, stash: null });
    const head = folder.commit().git('rev-parse', 'HEAD');
    expect(await workspace.readHead()).toEqual({ head, stash: null });
    folder.run('write a=2; git stash -q');
    expect(await workspace.readHead()).toEqual({ head, stash: folder.git('rev-parse', 'refs/stash') });
  });
});

describe('our own index and objects', () => {
  it('notice an edit of the same size in the same second', async () => {
    const folder = new TestFolder().commit('a=0 b=0');
    let workspace = await folder.open();
    for (let round = 1; round < 25; round++) {
      writeFileSync(folder.path('a'), String(round % 10));
      if (round % 5 === 0) workspace = await folder.open();
      const files = await workspace.listFiles(await workspace.takeSnapshot());
      expect(Buffer.from((await workspace.readVersion(files.get('a')!))!).toString()).toBe(String(round % 10));
    }
  });

  const PRUNE = `git reset -q --soft HEAD~1; git rm -q --cached b; git reflog expire --expire=now --all
    git gc -q --prune=now`;
  it.each([
    ['a lock that a killed call left', 'touch $INDEX.lock'],
    ['a damaged index', 'truncate -s 40 $INDEX'],
    ['an index that is no index', 'echo junk > $INDEX'],
    ['temporary files of a killed call', 'write .state/git/temporary-1-00/files/x=1'],
    ['an init that was killed', 'rm -r .state/git/objects/info'],
    ['a blob that the user had and lost to `git gc`', PRUNE],
    ['a cache of versions that is damaged', 'for f in .state/git/*.json; do echo junk > $f; done'],
    ['a cache of versions that is something else', 'for f in .state/git/*.json; do echo "[1]" > $f; done'],
  ])('survive %s', async (_, script) => {
    const folder = new TestFolder()
      .commit('.gitignore=.env a=1')
      .commit('b=2')
      .run('write .env=s; touch -d 2020-01-01 .env');
    const options = { hashed: ['.env'] };
    const workspace = await folder.open(options);
    const snapshot = await workspace.takeSnapshot();
    folder.write('c=3').run(`INDEX=${workspace.repository.index}; ${script}`);
    const later = await (await folder.open(options)).takeSnapshot();
    expect([...(await workspace.listFiles(later)).keys()]).toEqual(['.env', '.gitignore', 'a', 'b', 'c']);
    folder.write('-c');
    expect(await (await folder.open(options)).takeSnapshot()).toEqual(snapshot);
    expect(readdirSync(folder.path('.state/git')).filter((name) => /temporary|lock/.test(name))).toEqual([]);
  });

  it('are not changed by a call beside an engine, which sees the same files', async () => {
    const folder = new TestFolder().commit('a=1');
    const engine = await folder.open();
    await engine.takeSnapshot();
    const before = digestFolder(folder.write('b=2').path('.state/git'));
    const lock = `${engine.repository.index}.lock`;
    writeFileSync(lock, '');
    const beside = await folder.open({ beside: true });
    const snapshot = await beside.takeSnapshot();
    await beside.applyTo(snapshot, [{ path: 'c', before: null, after: 'unstored 100644 00' }]);
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
    const files = Object.entries(digestFolder(folder.path('.state/git')));
    const changed = files.filter(([path, digest]) => before[path] !== digest && !path.includes('/objects/'));
    expect(changed).toEqual([]);
    expect(await engine.takeSnapshot()).toEqual(snapshot);
    await beside.close();
    expect(existsSync(beside.repository.index)).toBe(false);
  });

  it('take snapshots side by side, and put files between them', async () => {
    const folder = new TestFolder().commit('a=1');
    const workspace = await folder.open();
    const before = await workspace.takeSnapshot();
    const after = await (folder.write('a=2 b=3'), workspace.takeSnapshot());
    const changes = await workspace.diff(after, before);
    const work = [workspace.takeSnapshot(), workspace.takeSnapshot(), workspace.put(changes), workspace.takeSnapshot()];
    expect(await Promise.all(work)).toEqual([after, after, [], before]);
  });

  it('start from a copy of a plain index of the user, and read only what differs from it', async () => {
    const folder = new TestFolder().run('commit a=1 b=1 c=1; write -b a=2');
    const snapshot = await (await folder.open()).takeSnapshot();
    const log = folder.run('rm -r .state').path('.git/log');
    const env = envWithGit(`case "$*" in *update-index*) tee -a ${log} > ${log}.in; exec < ${log}.in;; esac`);
    expect(await (await folder.open({ seedIndex: true, env })).takeSnapshot()).toEqual(snapshot);
    expect(readFileSync(log, 'utf8')).toBe('b\0a\0');
  });

  it('read a file that is not stored again only if it changed', async () => {
    const folder = new TestFolder().run('commit .gitignore=.env; write .env=1');
    const open = () => folder.open({ hashed: ['.env'] });
    const look = async () => (await (await open()).takeSnapshot()).unstored['.env']!;
    const version = await look();
    expect(version).toMatch(/^unstored 100644 /);
    // Only a file that has not changed for two seconds is remembered.
    const cache = `${(await open()).repository.index}.unstored.json`;
    await expect.poll(() => look().then(() => existsSync(cache))).toBe(true);
    writeFileSync(cache, readFileSync(cache, 'utf8').replace(version, 'remembered'));
    expect(await look()).toBe('remembered');
    folder.run('printf 2 > .env; touch -d 2020-01-01 .env');
    expect(await look()).toMatch(/^unstored 100644 /);
    expect(await look()).not.toBe(version);
  });

  it.skipIf(process.getuid?.() !== 0)('leave out a file that cannot be read, and name it', async () => {
    const folder = new TestFolder().run('commit a=1 b=1; mkdir .state; chmod 0 b; chown -R 65534:65534 .');
    const module = new URL('../../src/workspace/git-workspace.ts', import.meta.url).href;
    const options = { root: folder.root, state: folder.path('.state'), stored: [], hashed: [], ignore: [] };
    const script = `const { openWorkspace } = await import(${JSON.stringify(module)});
      const workspace = await openWorkspace({ ...${JSON.stringify(options)}, env: process.env });
      console.log(JSON.stringify([...await workspace.listFiles(await workspace.takeSnapshot())]));`;
    const nobody = { uid: 65_534, gid: 65_534, env: GIT_ENV, encoding: 'utf8' } as const;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], nobody);
    const files = Object.fromEntries(JSON.parse(child.stdout || '[]') as [string, string][]);
    const expected = { a: expect.stringMatching(/^100644 /), b: expect.stringMatching(/^unreadable 100000 1 \d+$/) };
    expect(files, child.stderr).toEqual(expected);
  });

  it('work with a repository of sha256', async () => {
    const folder = new TestFolder().run('git init -q --object-format=sha256 -b main; commit a=1; ln -s a l');
    const workspace = await folder.open();
    const first = await workspace.takeSnapshot();
    const second = await (folder.write('a=2 l→b'), workspace.takeSnapshot());
    const changes = await workspace.diff(first, second);
    expect(await workspace.applyTo(first, changes)).toEqual(second);
    folder.write('a=1 l→a');
    await workspace.keep('x', second);
    expect(await workspace.put(changes)).toEqual([]);
    expect(await workspace.takeSnapshot()).toEqual(second);
  });

  it('work in a folder with a colon and quotes in its path', async () => {
    const folder = new TestFolder().at('a:b "c\' \\ü');
    mkdirSync(folder.root);
    const workspace = await folder.commit('a=1').open();
    const snapshot = await workspace.takeSnapshot();
    await workspace.keep('x', snapshot);
    const version = (await workspace.listFiles(snapshot)).get('a')!;
    expect(Buffer.from((await workspace.readVersion(version))!).toString()).toBe('1');
  });
});
