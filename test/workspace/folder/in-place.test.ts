import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Checkout, Workspace } from '../../../src/workspace/workspace.ts';
import { blob, filesBelow, Folder, Kept } from '../folder.ts';
import { changed, checkOut } from '../round.ts';

const kept = new Kept();

async function ordinary(): Promise<Folder> {
  const folder = await Folder.repository();
  folder.write('.gitignore', 'dist/\nnode_modules/\n');
  for (const name of ['a', 'b', 'dir/c']) folder.write(name, name);
  folder.commitAll();
  return folder;
}

/** Begins in place with a file that an earlier gate handed on. */
const REASON = { what: 'apply', pipeline: 'p', subject: 's', runNumber: 1, at: '2030-01-01T12:00:00.000Z' } as const;

async function begin(
  workspace: Workspace,
  files: 'changed' | readonly string[] = 'changed',
  named: readonly (readonly string[])[] = [],
): Promise<Checkout> {
  const { tree: base } = await workspace.snapshot(named);
  const after = { blob: blob('handed on'), mode: '100644' as const, content: kept.add('handed on') };
  const tree = await workspace.build(base, [{ path: 'handed/on', after }], kept.copy);
  return workspace.checkOut({ base, tree, attempt: 'one', place: 'in-place', files });
}

describe('in the user\u2019s folder', () => {
  it('an attempt works where it stands, and what it changed is told exactly', async () => {
    await using folder = await ordinary();
    folder.write('a', 'edited by the user');
    folder.write('untracked', 'by the user');
    await using workspace = await folder.open();
    const before = folder.repositoryContents();
    const checkout = await checkOut(workspace, { place: 'in-place' });
    expect(checkout.root).toBe(workspace.root);
    folder.write('b', 'by the agent');
    folder.write('untracked', 'by the agent');
    folder.write('dist/x', 'ignored');
    rmSync(join(folder.root, 'dir/c'));
    const expected = ['b: 100644 → 100644', 'dir/c: 100644 → -', 'untracked: 100644 → 100644'];
    expect(await changed(workspace, checkout)).toEqual(expected);
    expect(await changed(workspace, checkout)).toEqual(expected);
    expect(folder.repositoryContents()).toEqual(before);
    folder.git('add', '-A');
    folder.commitAll();
    await using other = await folder.open();
    const request = {
      base: checkout.from,
      tree: checkout.from,
      attempt: 'one',
      place: 'in-place',
      files: 'changed',
    } as const;
    const found = (await other.reopen({ ...request, from: checkout.from }))!;
    expect(await changed(other, found)).toEqual(expected);
    await found.release(true);
    expect(await other.reopen({ ...request, from: checkout.from })).toBeUndefined();
    expect(readdirSync(join(folder.root, '.state/git')).filter((name) => name.startsWith('in-place'))).toEqual([]);
    // It is the user's version from now on.
    expect(await other.differences(checkout.from, (await other.snapshot([])).tree)).toHaveLength(3);
  });

  it('is refused while what earlier gates handed on is not there', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    await expect(begin(workspace)).rejects.toMatchObject({
      code: 'GATE_NOT_APPLIED',
      fault: 'user',
      message: expect.stringContaining('handed/on'),
    });
    folder.write('handed/on', 'handed on');
    expect((await begin(workspace)).root).toBe(workspace.root);
  });

  it('is one claim at a time, and until that ends others see the version that it began with', async () => {
    await using folder = await ordinary();
    const now = (): Date => new Date('2030-01-01T12:00:00.000Z');
    await using workspace = await folder.open({ now });
    const checkout = await checkOut(workspace, { place: 'in-place', until: '2030-01-01T13:00:00.000Z' });
    folder.write('a', 'half done');
    await using other = await folder.open({ now });
    expect((await other.snapshot([])).tree).toBe(checkout.from);
    const claimed = { code: 'CLAIM_IN_PLACE', fault: 'user' };
    await expect(checkOut(other, { place: 'in-place', attempt: 'two' })).rejects.toMatchObject(claimed);
    const copy = (): Promise<never> => Promise.reject(new Error('nothing is copied'));
    const put = other.put([], checkout.from, { saved: folder.beside('saved'), dryRun: false, copy, reason: REASON });
    await expect(put).rejects.toMatchObject(claimed);
    await using later = await folder.open({ now: () => new Date('2030-01-01T13:00:01.000Z') });
    expect((await later.snapshot([])).tree).not.toBe(checkout.from);
    await checkout.release(true);
    expect((await other.snapshot([])).tree).not.toBe(checkout.from);
  });

  it('what an attempt wrote is seen also where git was told not to look', async () => {
    await using folder = await ordinary();
    folder.git('update-index', '--skip-worktree', 'b');
    rmSync(join(folder.root, 'b'));
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace, { place: 'in-place' });
    expect(await changed(workspace, checkout)).toEqual([]);
    folder.write('b', 'by the agent');
    expect(await changed(workspace, checkout)).toEqual(['b: 100644 → 100644']);
  });

  it('does not blame an attempt for what could not be looked at before it', async () => {
    await using folder = await ordinary();
    execFileSync('mkfifo', [join(folder.root, 'pipe')]);
    rmSync(join(folder.root, 'b'));
    execFileSync('mkfifo', [join(folder.root, 'b')]);
    folder.git('init', '-q', 'tools');
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace, { place: 'in-place' });
    folder.write('a', 'by the agent');
    folder.git('init', '-q', 'made');
    const work = await checkout.capture();
    expect(work.leftOut).toEqual([{ path: 'made', why: 'it is a git repository' }]);
    const { files, refused } = await workspace.changes(checkout.from, work, 'changed', kept.keep, checkout);
    expect(files.map(({ path }) => path)).toEqual(['a']);
    expect(refused.map(({ path }) => path)).toEqual(['made']);
  });
});

describe('in a CI job\u2019s checkout', () => {
  it('the inputs are tracked files as they lie on disk, and untracked ones that globs name', async () => {
    await using folder = await ordinary();
    folder.write('a', 'by a setup step');
    for (const name of ['gha-creds-1.json', 'cache/x', 'named/y']) folder.write(name, 'x');
    folder.write('dist/z', 'z');
    await using workspace = await folder.open({ kind: 'job' });
    const { tree, notices } = await workspace.snapshot([['named/**', 'dist/**']]);
    expect([...(await workspace.files(tree)).keys()]).toEqual(['.gitignore', 'a', 'b', 'dir/c', 'dist/z', 'named/y']);
    expect((await workspace.files(tree)).get('a')!.blob).toBe(blob('by a setup step'));
    expect(notices).toEqual([
      'not part of the inputs: cache/x, gha-creds-1.json (it is untracked, and no glob matches it)',
    ]);
    for (let n = 0; n < 9; n += 1) folder.write(`cache/${n}`, 'x');
    const [notice] = (await workspace.snapshot([])).notices;
    expect(notice).toMatch(/^not part of the inputs: cache\/0, .* and 7 more \(it is untracked/);
  });

  it('gets what earlier gates handed on, whatever setup steps left in the way', async () => {
    await using folder = await ordinary();
    folder.write('handed/on', 'left by a setup step');
    folder.write('cache/x', 'x');
    await using workspace = await folder.open({ kind: 'job' });
    const before = folder.repositoryContents();
    const checkout = await begin(workspace, ['dir/**']);
    expect(checkout.root).toBe(workspace.root);
    expect(folder.read('handed/on')).toBe('handed on');
    expect(folder.read('cache/x')).toBe('x');
    folder.write('dir/c', 'by the agent');
    folder.write('a', 'by the agent');
    folder.write('cache/y', 'y');
    await using other = await folder.open({ kind: 'job' });
    const found = (await other.reopen({
      base: checkout.from,
      tree: checkout.from,
      from: checkout.from,
      attempt: 'one',
      place: 'in-place',
      files: ['dir/**'],
    }))!;
    const work = await found.capture();
    const { files, touched, refused } = await other.changes(found.from, work, ['dir/**'], kept.keep, found);
    expect([files, touched].map((all) => all.map(({ path }) => path))).toEqual([['dir/c'], ['a']]);
    expect(refused).toEqual([]);
    expect(folder.repositoryContents()).toEqual(before);
  });

  it('`files: changed` hands on what changed since the beginning, and no credentials', async () => {
    await using folder = await ordinary();
    for (const name of ['cache/x', 'gha-creds-0.json']) folder.write(name, 'x');
    await using workspace = await folder.open({ kind: 'job' });
    const checkout = await begin(workspace);
    for (const name of ['cache/x', 'cache/new', 'gha-creds-1.json', '.npmrc', 'sub/.aws/credentials', 'dist/out'])
      folder.write(name, 'by the agent');
    const work = await checkout.capture();
    const { files, refused } = await workspace.changes(checkout.from, work, 'changed', kept.keep, checkout);
    expect(files.map(({ path }) => path)).toEqual(['cache/new', 'cache/x']);
    expect(refused.map(({ path, why }) => [path, why.includes('credentials')])).toEqual([
      ['.npmrc', true],
      ['gha-creds-1.json', true],
      ['sub/.aws/credentials', true],
    ]);
    const named = await workspace.changes(checkout.from, work, ['.npmrc'], kept.keep, checkout);
    expect([named.files.map(({ path }) => path), named.refused]).toEqual([['.npmrc'], []]);
  });

  it('has its links and modes as in a fresh checkout', async () => {
    await using folder = await ordinary();
    symlinkSync('a', join(folder.root, 'link'));
    folder.commitAll();
    await using workspace = await folder.open({ kind: 'job' });
    const { tree: base } = await workspace.snapshot([]);
    const after = { blob: blob('tool'), mode: '100755' as const, content: kept.add('tool') };
    const tree = await workspace.build(base, [{ path: 'tool', after }], kept.copy);
    const checkout = await workspace.checkOut({ base, tree, attempt: 'one', place: 'tree', files: [] });
    expect(filesBelow(checkout.root)).toMatchObject({ tool: 'x tool', link: 'link a' });
    expect(checkout.from).toBe(tree);
    expect(existsSync(folder.trees)).toBe(false);
  });
});
