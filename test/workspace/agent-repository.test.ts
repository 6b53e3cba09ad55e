import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, Folder } from './folder.ts';
import { asAgent, changed, checkOut, folderOf, put } from './round.ts';

/** A repository with work that is not committed, of each kind. */
async function ordinary(): Promise<Folder> {
  const folder = await Folder.repository();
  folder.write('.gitignore', '*.log\n');
  for (const name of ['same', 'edited', 'staged', 'deleted']) folder.write(name, 'one\n');
  folder.commitAll('first');
  folder.write('same', 'two\n');
  folder.commitAll('second');
  folder.git('branch', 'side', 'HEAD~1');
  folder.git('tag', 'v1');
  folder.git('config', 'user.name', 'the user');
  folder.git('config', 'user.email', 'user@example.com');
  for (const name of ['edited', 'staged']) folder.write(name, 'two\n');
  folder.git('add', 'staged');
  rmSync(join(folder.root, 'deleted'));
  folder.write('new', 'new\n');
  return folder;
}

describe('git in a work tree', () => {
  it('shows the user\u2019s commit, branches, tags and work, without anything of ours in its environment', async () => {
    await using folder = await ordinary();
    folder.write('a file', 'x');
    folder.git('stash', 'push', '-q', '-u', '--', 'a file');
    await using workspace = await folder.open();
    const agent = asAgent(folder, await checkOut(workspace));
    expect(agent('status', '--porcelain').split('\n')).toEqual([' D deleted', ' M edited', ' M staged', '?? new']);
    expect(agent('log', '--format=%s')).toBe('second\nfirst');
    expect(agent('log', '-1', '--format=%s', 'side')).toBe('first');
    expect(agent('describe', '--tags')).toBe('v1');
    expect(agent('show', 'HEAD~1:same')).toBe('one');
    expect(agent('diff', '--stat')).toContain('3 files changed');
    expect(agent('rev-parse', 'HEAD')).toBe(folder.git('rev-parse', 'HEAD'));
    expect(() => agent('symbolic-ref', 'HEAD')).toThrow();
    expect(agent('worktree', 'list').split('\n')).toHaveLength(1);
    // What the user put aside is the user's.
    expect(agent('stash', 'list')).toBe('');
    expect(agent('for-each-ref', 'refs/stash')).toBe('');
  });

  it('works: stash, commit, branch, config, rebase, gc and fsck; and nothing of it reaches the user', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const before = { git: folder.repositoryContents(), files: filesBelow(folder.root) };
    const checkout = await checkOut(workspace);
    const agent = asAgent(folder, checkout);
    put(checkout.root, 'made', 'made\n');
    put(checkout.root, '.state/envelope', 'ours');
    agent('stash', '-qu');
    expect(existsSync(join(checkout.root, '.state/envelope'))).toBe(true);
    expect(filesBelow(checkout.root)).not.toHaveProperty('made');
    expect(agent('status', '--porcelain')).toBe('');
    agent('stash', 'pop', '-q');
    expect(await changed(workspace, checkout)).toEqual(['made: - → 100644']);
    agent('checkout', '-q', '-b', 'agent');
    agent('add', '-A');
    agent('commit', '-qm', 'third');
    agent('tag', 'agent-tag');
    agent('config', 'user.name', 'evil');
    agent('branch', '-D', 'side');
    agent('update-ref', '-d', 'refs/heads/main');
    agent('stash', 'clear');
    agent('-c', 'rebase.autosquash=false', 'rebase', '-q', '--root');
    agent('gc', '-q', '--prune=now');
    expect(agent('fsck')).not.toMatch(/missing (?:blob|commit)|broken/);
    agent('reflog', 'expire', '--expire=now', '--all');
    agent('gc', '-q', '--prune=now');
    expect(await changed(workspace, checkout)).toEqual(['made: - → 100644']);
    agent('checkout', '-q', '--force', 'HEAD~1');
    expect(await changed(workspace, checkout)).toEqual([
      'deleted: - → 100644',
      'edited: 100644 → 100644',
      'new: 100644 → -',
      'staged: 100644 → 100644',
    ]);
    expect({ git: folder.repositoryContents(), files: filesBelow(folder.root) }).toEqual(before);
  });

  it('does not find the user\u2019s repository, whatever becomes of its own', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const before = { git: folder.repositoryContents(), files: filesBelow(folder.root) };
    const checkout = await checkOut(workspace);
    rmSync(join(checkout.root, '.git'), { recursive: true });
    for (const env of [checkout.environment(folder.environment), { PATH: process.env['PATH'] }]) {
      const stash = (): unknown =>
        execFileSync('git', ['stash', '-u'], { cwd: checkout.root, env, encoding: 'utf8', stdio: 'pipe' });
      expect(stash).toThrow('not a git repository');
    }
    put(checkout.root, 'edited', 'by the agent');
    expect(await changed(workspace, checkout)).toEqual(['edited: 100644 → 100644']);
    expect({ git: folder.repositoryContents(), files: filesBelow(folder.root) }).toEqual(before);
  });

  it('is not led to the user\u2019s repository by the environment of a hook', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const before = folder.repositoryContents();
    const checkout = await checkOut(workspace);
    const hook = {
      GIT_DIR: join(folder.root, '.git'),
      GIT_INDEX_FILE: join(folder.root, '.git/index'),
      GIT_PREFIX: '',
    };
    const env = checkout.environment({ ...folder.environment, ...hook, GIT_CEILING_DIRECTORIES: '/elsewhere' });
    expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['GIT_DIR']));
    execFileSync('git', ['add', '-A'], { cwd: checkout.root, env });
    expect(env['GIT_CEILING_DIRECTORIES']).toMatch(/:\/elsewhere$/);
    expect(folder.repositoryContents()).toEqual(before);
  });

  it('is as good as new for the next attempt', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const first = await checkOut(workspace);
    const spoil = asAgent(folder, first);
    spoil('config', 'core.hooksPath', '/tmp');
    spoil('config', 'core.excludesFile', '/dev/null');
    spoil('update-ref', '-d', 'refs/tags/v1');
    spoil('update-index', '--assume-unchanged', 'same');
    put(first.root, '.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n', 0o755);
    put(first.root, '.git/info/attributes', '* -text filter=evil\n');
    const used = folderOf(first);
    await first.release(true);
    const second = await checkOut(workspace, { attempt: 'two' });
    expect(folderOf(second)).toBe(used);
    const agent = asAgent(folder, second);
    expect(agent('describe', '--tags')).toBe('v1');
    expect(() => agent('config', '--local', 'core.hooksPath')).toThrow();
    put(second.root, 'same', 'edited');
    expect(agent('status', '--porcelain', 'same')).toBe(' M same');
    agent('commit', '-qam', 'no hook is in the way');
  });

  it('has the settings of the user\u2019s repository, but those that are for the user\u2019s folder', async () => {
    await using folder = await ordinary();
    const settings: Readonly<Record<string, string>> = {
      'alias.odd': '!echo "a\\b;c#d"',
      'branch.x.y.description': 'line\none\ttab "quoted"',
      'remote.origin.url': '../beside',
      'http.https://example.com/.extraheader': 'AUTHORIZATION: basic abc',
      'core.hooksPath': folder.beside('hooks'),
      'core.worktree': folder.root,
      'gc.auto': '1',
      'section.empty': '',
    };
    for (const [key, value] of Object.entries(settings)) folder.git('config', key, value);
    writeFileSync(folder.beside('included'), '[core]\n\tautocrlf = input\n');
    folder.git('config', 'include.path', folder.beside('included'));
    folder.write('.git/config', `${folder.read('.git/config')}[section]\n\tbare\n`);
    await using workspace = await folder.open();
    const agent = asAgent(folder, await checkOut(workspace));
    const get = (key: string): string => agent('config', '--local', '--includes', '--get', key);
    for (const key of ['alias.odd', 'branch.x.y.description', 'section.empty', 'http.https://example.com/.extraheader'])
      expect(get(key), key).toBe(settings[key]);
    expect(get('user.email')).toBe('user@example.com');
    expect(get('core.autocrlf')).toBe('input');
    expect(agent('config', '--local', '--bool', '--get', 'section.bare')).toBe('true');
    expect(get('remote.origin.url')).toBe(folder.beside('beside'));
    for (const key of ['core.hooksPath', 'core.worktree', 'gc.auto', 'include.path'])
      expect(() => get(key), key).toThrow();
  });

  it('knows the user by what depends on where the user\u2019s repository lies', async () => {
    await using folder = await ordinary();
    folder.git('config', '--unset', 'user.email');
    writeFileSync(folder.beside('home/work'), '[user]\n\temail = me@work.example\n');
    const condition = `[includeIf "gitdir:${folder.root}/"]\n\tpath = ${folder.beside('home/work')}\n`;
    writeFileSync(folder.beside('home/.gitconfig'), condition);
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace);
    const env = checkout.environment(folder.environment);
    const commit = ['commit', '-q', '--allow-empty', '-m', 'x'];
    execFileSync('git', commit, { cwd: checkout.root, env, stdio: 'pipe' });
    const said = execFileSync('git', ['log', '-1', '--format=%an <%ae>'], {
      cwd: checkout.root,
      env,
      encoding: 'utf8',
    });
    expect(said).toBe('the user <me@work.example>\n');
  });

  it('passes over what the user excludes, and takes the user\u2019s attributes', async () => {
    await using folder = await ordinary();
    folder.write('.git/info/exclude', 'secret.txt');
    folder.write('.git/info/attributes', '*.crlf eol=crlf\n');
    folder.write('a.crlf', 'one\r\ntwo\r\n');
    folder.write('secret.txt', 'x');
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace);
    const agent = asAgent(folder, checkout);
    expect(filesBelow(checkout.root)).toMatchObject({ 'a.crlf': 'one\r\ntwo\r\n' });
    put(checkout.root, 'secret.txt', 'x');
    expect(agent('status', '--porcelain', '--', 'secret.txt')).toBe('');
    expect(await changed(workspace, checkout)).toEqual([]);
    expect(agent('check-attr', 'eol', 'a.crlf')).toBe('a.crlf: eol: crlf');
  });
});

describe('the user\u2019s hooks', () => {
  it('run neither when a version is taken, nor in a slot, nor for an agent', async () => {
    await using folder = await ordinary();
    const proof = folder.beside('proof');
    const hooks = [
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'pre-commit',
      'post-commit',
      'pre-auto-gc',
    ];
    for (const name of hooks) folder.write(`.git/hooks/${name}`, `#!/bin/sh\necho ${name} >> '${proof}'\n`, 0o755);
    folder.git('config', 'core.hooksPath', '.git/hooks');
    folder.git('checkout', '-q', '-b', 'hooked');
    expect(existsSync(proof)).toBe(true);
    rmSync(proof);
    await using workspace = await folder.open();
    const first = await checkOut(workspace);
    put(first.root, 'edited', 'by the agent');
    asAgent(folder, first)('commit', '-qam', 'x');
    await first.capture();
    await first.release(true);
    folder.write('edited', 'again');
    const second = await checkOut(workspace, { attempt: 'two' });
    await workspace.keep(first.from, second.from);
    await second.release(true);
    expect(existsSync(proof)).toBe(false);
  });
});
