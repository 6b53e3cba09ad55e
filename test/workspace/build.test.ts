import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../src/run/records/record.ts';
import { blob, filesBelow, Folder, Kept } from './folder.ts';
import { asAgent, brief, checkOut, contentsOf, put } from './round.ts';

const kept = new Kept();

/** A change of a file to a text that is kept; `null`: it goes. */
function change(path: string, text: string | null, mode: '100644' | '100755' = '100644'): FileChange {
  return { path, before: null, after: text === null ? null : { blob: blob(text), mode, content: kept.add(text) } };
}

async function ordinary(): Promise<Folder> {
  const folder = await Folder.repository();
  for (const name of ['edit', 'delete', 'same', 'dir/a', 'dir/b']) folder.write(name, name);
  folder.commitAll();
  return folder;
}

describe('a version with changes laid over it', () => {
  it('has them and everything else, with their modes', async () => {
    await using folder = await ordinary();
    folder.write('untracked', 'untracked');
    await using workspace = await folder.open();
    const { tree: base } = await workspace.snapshot([]);
    const changes = [
      change('edit', 'edited'),
      change('delete', null),
      change('never', null),
      change('same', 'same', '100755'),
      change('new/deep/file', ''),
    ];
    const tree = await workspace.build(base, changes, kept.copy);
    expect(await contentsOf(folder, workspace, tree)).toEqual({
      'dir/a': 'dir/a',
      'dir/b': 'dir/b',
      edit: 'edited',
      'new/deep/file': '',
      same: 'x same',
      untracked: 'untracked',
    });
    expect(brief(await workspace.differences(base, tree))).toEqual([
      'delete: 100644 → -',
      'edit: 100644 → 100644',
      'new/deep/file: - → 100644',
      'same: 100644 → 100755',
    ]);
    const checkout = await checkOut(workspace, { base, tree });
    expect(filesBelow(checkout.root)).toEqual(await contentsOf(folder, workspace, tree));
    expect(await workspace.build(base, changes, kept.copy)).toBe(tree);
    expect(await workspace.build(base, [], kept.copy)).toBe(base);
    expect(asAgent(folder, checkout)('status', '--porcelain').split('\n')).toContain('?? new/');
  });

  it('has a file in the place of a folder, and a folder in the place of a file', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const { tree: base } = await workspace.snapshot([]);
    const changes = [change('dir', 'a file'), change('dir/a', null), change('dir/b', null), change('edit/x', 'x')];
    const tree = await workspace.build(base, [...changes, change('edit', null)], kept.copy);
    const expected = { delete: 'delete', dir: 'a file', 'edit/x': 'x', same: 'same' };
    expect(await contentsOf(folder, workspace, tree)).toEqual(expected);
    for (const one of [tree, base, tree]) {
      const checkout = await checkOut(workspace, { base: one });
      expect(filesBelow(checkout.root)).toEqual(await contentsOf(folder, workspace, one));
      await checkout.release(true);
    }
  });

  it('takes odd names, and paths below the top of a repository', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open({}, 'dir');
    const { tree: base } = await workspace.snapshot([]);
    const names = ['a\nb', '"quoted"', 'tab\there', 'ünï', ' lead', '-dash', ':(top)x', '*'];
    const tree = await workspace.build(
      base,
      names.map((name) => change(name, name)),
      kept.copy,
    );
    expect((await workspace.differences(base, tree)).map(({ path }) => path)).toEqual(names.toSorted());
    const checkout = await checkOut(workspace, { base, tree });
    expect(filesBelow(checkout.root)).toEqual({
      a: 'dir/a',
      b: 'dir/b',
      ...Object.fromEntries(names.map((name) => [name, name])),
    });
  });

  it('is built in a partial clone without asking its remote for what nobody has', async () => {
    await using folder = await ordinary();
    folder.git('config', 'uploadpack.allowFilter', 'true');
    folder.gitIn('..', 'clone', '-q', '--filter=blob:none', `file://${folder.root}`, folder.beside('clone'));
    const clone = Folder.at(folder, 'clone');
    await using workspace = await clone.open();
    const { tree: base } = await workspace.snapshot([]);
    const tree = await workspace.build(base, [change('new', 'nobody has it')], kept.copy);
    expect(filesBelow((await checkOut(workspace, { base, tree })).root)).toMatchObject({ new: 'nobody has it' });
  });

  it('has all of many files, from one place to the other', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const { tree: base } = await workspace.snapshot([]);
    const names = Array.from({ length: 1_200 }, (_, n) => `made/${n % 7}/${n}`);
    const tree = await workspace.build(
      base,
      names.map((name) => change(name, name)),
      kept.copy,
    );
    expect(await workspace.differences(base, tree)).toHaveLength(1_200);
  });

  it('names a content that is nowhere', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const { tree: base } = await workspace.snapshot([]);
    const lost = change('lost', 'content that the store lost');
    const copy = new Kept().copy;
    await expect(workspace.build(base, [lost], copy)).rejects.toMatchObject({
      code: 'CONTENT_MISSING',
      message: expect.stringContaining('the content of lost'),
    });
    // What the repository happens to have is not missed, and a failure is not remembered.
    expect(await workspace.build(base, [change('copy', 'edit')], copy)).not.toBe(base);
    expect(await workspace.build(base, [lost], kept.copy)).not.toBe(base);
  });
});

describe('two versions', () => {
  it('differ by what anybody would say: kinds and modes too', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const { tree: from } = await workspace.snapshot([]);
    rmSync(join(folder.root, 'edit'));
    symlinkSync('same', join(folder.root, 'edit'));
    folder.write('dir/a', 'dir/a', 0o755);
    rmSync(join(folder.root, 'delete'));
    folder.write('delete/now/a-folder', 'x');
    const { tree: to } = await workspace.snapshot([]);
    expect(brief(await workspace.differences(from, to))).toEqual([
      'delete: 100644 → -',
      'delete/now/a-folder: - → 100644',
      'dir/a: 100644 → 100755',
      'edit: 100644 → 120000',
    ]);
    expect(await workspace.differences(to, to)).toEqual([]);
    expect(brief(await workspace.differences(to, from))).toHaveLength(4);
  });

  it('are a patch that git can apply, whatever the user\u2019s settings say', async () => {
    await using folder = await ordinary();
    for (const [key, value] of [
      ['diff.noprefix', 'true'],
      ['color.ui', 'always'],
      ['diff.external', '/bin/false'],
      ['diff.renames', 'copies'],
    ] as const)
      folder.git('config', key, value);
    await using workspace = await folder.open({}, 'dir');
    const { tree: base } = await workspace.snapshot([]);
    const changes = [change('a', 'edited\n'), change('b', null), change('new', 'dir/b', '100755')];
    const tree = await workspace.build(base, changes, kept.copy);
    const patch = await workspace.patch(base, tree);
    expect(patch).toContain('diff --git a/a b/a\n');
    expect(await workspace.patch(base, tree, ['new'])).not.toContain('edited');
    expect(await workspace.patch(base, base)).toBe('');
    execFileSync('git', ['apply', '--directory=dir'], { cwd: folder.root, input: patch, env: folder.environment });
    expect(filesBelow(join(folder.root, 'dir'))).toEqual({ a: 'edited\n', new: 'x dir/b' });
    const whole = await workspace.wholePatch(tree, base, ['a']);
    execFileSync('git', ['apply'], { cwd: folder.root, input: whole, env: folder.environment });
    expect(filesBelow(join(folder.root, 'dir'))['a']).not.toBe('edited\n');
  });

  it('that are kept can be compared after the user cleaned up everything', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace);
    put(checkout.root, 'edit', 'in the user\u2019s repository only');
    put(checkout.root, 'dir/a', 'made by the agent');
    rmSync(join(checkout.root, 'delete'));
    folder.write('other', 'in the user\u2019s repository only');
    folder.git('add', 'other');
    const { tree } = await checkout.capture();
    await workspace.keep(checkout.from, tree);
    const patch = await workspace.patch(checkout.from, tree);
    const differences = await workspace.differences(checkout.from, tree);
    folder.git('rm', '-q', '--cached', '-r', '.');
    rmSync(join(folder.root, '.git/refs/heads/main'));
    folder.git('reflog', 'expire', '--expire=now', '--all');
    rmSync(join(folder.root, '.git/logs'), { recursive: true, force: true });
    folder.git('gc', '-q', '--prune=now');
    expect(existsSync(join(folder.root, '.git/objects', blob('edit').slice(0, 2)))).toBe(false);
    await using later = await folder.open();
    expect(await later.differences(checkout.from, tree)).toEqual(differences);
    expect(await later.patch(checkout.from, tree)).toBe(patch);
    await later.keep(checkout.from, tree);
  });
});
