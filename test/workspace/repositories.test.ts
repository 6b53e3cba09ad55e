import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blob, filesBelow, Folder } from './folder.ts';
import { asAgent, changed, checkOut, put, round } from './round.ts';

/** Two commits, an edit, a staged edit, a deletion, a new file, and one that git ignores. */
async function edited(...init: string[]): Promise<Folder> {
  const folder = await Folder.repository(...init);
  fill(folder);
  return folder;
}

function fill(folder: Folder): void {
  folder.write('.gitignore', 'ignored\n');
  for (const name of ['same', 'edited', 'staged', 'both', 'deleted', 'dir/tool', 'dir/deep/f'])
    folder.write(name, 'one');
  folder.commitAll();
  folder.write('same', 'two');
  folder.commitAll();
  edit(folder);
}

function edit(folder: Folder): void {
  for (const name of ['edited', 'staged', 'both']) folder.write(name, 'two');
  folder.write('dir/tool', 'one', 0o755);
  folder.git('add', 'staged', 'both');
  folder.write('both', 'three');
  rmSync(join(folder.root, 'deleted'));
  folder.write('new', 'new');
  folder.write('dir/new', 'new');
}

describe('a round of attempts', () => {
  it('leaves an ordinary repository as it is', async () => {
    await using folder = await edited();
    await using workspace = await folder.open();
    const { tree } = await round(folder, workspace);
    expect([...(await workspace.files(tree)).keys()]).not.toContain('ignored');
    expect(await workspace.committed('both')).toEqual({ blob: blob('one'), mode: '100644' });
  });

  it('works with a detached HEAD', async () => {
    await using folder = await edited();
    folder.git('stash', '-qu');
    folder.git('checkout', '-q', '--detach', 'HEAD~1');
    folder.git('stash', 'pop', '-q');
    await using workspace = await folder.open();
    await round(folder, workspace);
    expect(await workspace.branch()).toBeUndefined();
  });

  it('works before the first commit', async () => {
    await using folder = await Folder.repository();
    folder.write('staged', 'one');
    folder.git('add', 'staged');
    folder.write('new', 'new');
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace);
    expect(filesBelow(checkout.root)).toEqual({ staged: 'one', new: 'new' });
    const agent = asAgent(folder, checkout);
    expect(agent('status', '--porcelain')).toBe('?? new\n?? staged');
    agent('add', '-A');
    agent('commit', '-qm', 'first');
    expect(agent('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    expect(await changed(workspace, checkout)).toEqual([]);
    expect(() => folder.git('rev-parse', '--verify', 'HEAD')).toThrow();
  });

  it('works in an empty repository', async () => {
    await using folder = await Folder.repository();
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace);
    expect(filesBelow(checkout.root)).toEqual({});
    put(checkout.root, 'a', 'a');
    expect(await changed(workspace, checkout)).toEqual(['a: - → 100644']);
  });

  it('works without a repository', async () => {
    await using folder = await Folder.plain();
    for (const name of ['a', 'dir/b', 'dir/out.log', 'node_modules/m/i.js']) folder.write(name, name);
    folder.write('dir/.gitignore', '*.log\n');
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([]);
    const expected = { a: 'a', 'dir/.gitignore': '*.log\n', 'dir/b': 'dir/b' };
    const checkout = await checkOut(workspace, { tree });
    expect(filesBelow(checkout.root)).toEqual(expected);
    expect(existsSync(join(checkout.root, '.git'))).toBe(false);
    put(checkout.root, 'a', 'edited');
    put(checkout.root, 'dir/new.log', 'ignored');
    expect(await changed(workspace, checkout)).toEqual(['a: 100644 → 100644']);
    await checkout.release(true);
    const second = await checkOut(workspace, { tree });
    expect(filesBelow(second.root)).toEqual(expected);
    expect((await workspace.snapshot([['dir/*.log']])).tree).toBe(tree);
    expect([...(await workspace.files((await workspace.snapshot([['dir/out.log']])).tree)).keys()]).toEqual([
      'a',
      'dir/.gitignore',
      'dir/b',
      'dir/out.log',
    ]);
    expect(await workspace.committed('a')).toBeUndefined();
  });

  it('works in a linked work tree', async () => {
    await using folder = await edited();
    folder.git('worktree', 'add', '-q', '-b', 'side', folder.beside('side'));
    writeFileSync(folder.beside('side/edited'), 'on the side');
    await using workspace = await folder.open({}, '../side');
    await round(folder, workspace);
    expect(await workspace.branch()).toBe('side');
    expect(folder.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(2);
  });

  it('works where objects are named by sha256', async () => {
    await using folder = await edited('--object-format=sha256');
    await using workspace = await folder.open();
    const { tree } = await round(folder, workspace);
    expect((await workspace.files(tree)).get('edited')).toEqual({
      blob: blob('two', 'sha256'),
      mode: '100644',
    });
  });

  it('works with a split index', async () => {
    await using folder = await edited();
    folder.git('update-index', '--split-index');
    folder.git('config', 'core.splitIndex', 'true');
    folder.write('same', 'three');
    folder.git('add', 'same');
    await using workspace = await folder.open();
    await round(folder, workspace);
  });

  it('works with an untracked cache', async () => {
    await using folder = await edited();
    folder.git('config', 'core.untrackedCache', 'true');
    folder.git('update-index', '--force-untracked-cache');
    folder.git('status');
    folder.write('dir/newer', 'newer');
    await using workspace = await folder.open();
    await round(folder, workspace);
  });

  it('works beside a file system monitor, without asking it', async () => {
    await using folder = await edited();
    const proof = folder.beside('proof');
    // It says that nothing changed: who believes it sees no edit.
    writeFileSync(folder.beside('monitor'), `#!/bin/sh\ntouch '${proof}'\nprintf 'token\\0'\n`, { mode: 0o755 });
    folder.git('config', 'core.fsmonitor', folder.beside('monitor'));
    folder.git('config', 'core.fsmonitorHookVersion', '2');
    folder.git('update-index', '--fsmonitor');
    folder.git('status');
    expect(existsSync(proof)).toBe(true);
    folder.write('same', 'three');
    rmSync(proof);
    await using workspace = await folder.open();
    await round(folder, workspace);
    expect(existsSync(proof)).toBe(false);
  });

  it('works with files that are to be added, there or gone', async () => {
    await using folder = await edited();
    folder.write('later', 'later');
    folder.write('vanished', 'x');
    folder.git('add', '-N', 'later', 'vanished');
    rmSync(join(folder.root, 'vanished'));
    await using workspace = await folder.open();
    await round(folder, workspace);
  });

  it('takes files in conflict as they lie on disk', async () => {
    await using folder = await Folder.repository();
    for (const name of ['f', 'deleted', 'resolved']) folder.write(name, 'base\n');
    folder.commitAll();
    folder.git('checkout', '-q', '-b', 'other');
    for (const name of ['f', 'deleted', 'resolved']) folder.write(name, 'theirs\n');
    folder.commitAll();
    folder.git('checkout', '-q', 'main');
    for (const name of ['f', 'resolved']) folder.write(name, 'ours\n');
    rmSync(join(folder.root, 'deleted'));
    folder.commitAll();
    expect(() => folder.git('merge', 'other')).toThrow();
    rmSync(join(folder.root, 'deleted'));
    folder.write('resolved', 'both\n');
    await using workspace = await folder.open();
    await round(folder, workspace);
    expect(folder.read('f')).toContain('<<<<<<<');
  });

  it('works in a shallow clone', async () => {
    await using folder = await edited();
    folder.git('stash', '-qu');
    folder.gitIn('..', 'clone', '-q', '--depth=1', `file://${folder.root}`, folder.beside('clone'));
    const clone = Folder.at(folder, 'clone');
    edit(clone);
    await using workspace = await clone.open();
    await round(clone, workspace);
    const agent = asAgent(clone, await checkOut(workspace));
    expect(agent('rev-list', '--count', 'origin/main')).toBe('1');
    expect(agent('fsck')).not.toContain('missing');
  });

  it('works in a partial clone, where the agent can fetch what is missing', async () => {
    await using folder = await edited();
    folder.git('stash', '-qu');
    folder.git('config', 'uploadpack.allowFilter', 'true');
    folder.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    folder.gitIn('..', 'clone', '-q', '--filter=blob:none', `file://${folder.root}`, folder.beside('clone'));
    const clone = Folder.at(folder, 'clone');
    edit(clone);
    await using workspace = await clone.open();
    await round(clone, workspace);
    expect(asAgent(clone, await checkOut(workspace))('show', 'origin/main~1:same')).toBe('one');
  });

  it('works with a file that is tracked though ignored, and with `A` beside `a`', async () => {
    await using folder = await edited();
    folder.write('ignored', 'one');
    folder.git('add', '-f', 'ignored');
    folder.write('ignored', 'two');
    folder.write('A', 'upper');
    folder.write('a', 'lower');
    await using workspace = await folder.open();
    await round(folder, workspace);
  });

  it('does not mind that somebody else has the index locked', async () => {
    await using folder = await edited();
    folder.write('.git/index.lock', '');
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace);
    expect(filesBelow(checkout.root)).toEqual(filesBelow(folder.root));
    put(checkout.root, 'same', 'x');
    expect(await changed(workspace, checkout)).toEqual(['same: 100644 → 100644']);
  });

  it('works where settings would keep git from looking at files', async () => {
    await using folder = await edited();
    folder.git('config', 'core.ignoreStat', 'true');
    await using workspace = await folder.open();
    await round(folder, workspace);
    const checkout = await checkOut(workspace);
    put(checkout.root, 'same', 'edited by the agent');
    expect(await changed(workspace, checkout)).toEqual(['same: 100644 → 100644']);
  });

  it('works in a folder of a repository, whose other folders lie beside it', async () => {
    await using folder = await Folder.repository();
    for (const name of ['top', 'apps/one/f', 'apps/two/f']) folder.write(name, 'one');
    folder.commitAll();
    folder.write('apps/two/f', 'edited');
    folder.write('apps/two/new', 'new');
    folder.write('apps/one/new', 'new');
    await using workspace = await folder.open({}, 'apps/one');
    const { tree } = await round(folder, workspace);
    expect([...(await workspace.files(tree)).keys()]).toEqual(['../../top', '../two/f', '../two/new', 'f', 'new']);
    const checkout = await checkOut(workspace);
    expect(checkout.root).not.toMatch(/\/$/);
    expect(filesBelow(join(checkout.root, '../..'))).toEqual(filesBelow(folder.root));
    put(checkout.root, '../two/f', 'by the agent');
    put(checkout.root, 'f', 'by the agent');
    expect(await changed(workspace, checkout)).toEqual(['../two/f: 100644 → 100644', 'f: 100644 → 100644']);
  });

  it('works in the folder of a submodule', async () => {
    await using folder = await edited();
    folder.git('stash', '-qu');
    await using outer = await Folder.repository();
    outer.git('submodule', 'add', '-q', folder.root, 'lib');
    outer.commitAll();
    const inner = Folder.at(outer, 'work/lib');
    edit(inner);
    await using workspace = await inner.open();
    await round(inner, workspace);
    expect(execFileSync('git', ['-C', outer.root, 'rev-parse', 'HEAD:lib'], { encoding: 'utf8' }).trim()).toBe(
      inner.git('rev-parse', 'HEAD'),
    );
  });
});
