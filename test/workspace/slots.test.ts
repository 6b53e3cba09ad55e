import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Checkout } from '../../src/workspace/workspace.ts';
import { filesBelow, Folder } from './folder.ts';
import { changed, checkOut, folderOf, put } from './round.ts';

async function ordinary(): Promise<Folder> {
  const folder = await Folder.repository();
  folder.write('.gitignore', 'dist/\n*.log\n');
  for (const name of ['a', 'dir/b', 'dir/deep/c', 'tool']) folder.write(name, name, name === 'tool' ? 0o755 : 0o644);
  symlinkSync('dir/b', join(folder.root, 'link'));
  folder.commitAll();
  return folder;
}

/** Folder of a slot, above the tree. */
const slotOf = (checkout: Checkout): string => dirname(checkout.root);

describe('a slot', () => {
  it('is a folder outside of the workspace, at a path of its own for each workspace', async () => {
    await using folder = await ordinary();
    mkdirSync(join(folder.root, 'dir/nested'));
    await using whole = await folder.open();
    await using part = await folder.open({}, 'dir');
    const [one, two] = [await checkOut(whole), await checkOut(part)];
    expect(one.root.startsWith(`${folder.trees}/`)).toBe(true);
    expect(dirname(slotOf(one))).not.toBe(dirname(dirname(slotOf(two))));
    expect(lstatSync(slotOf(one)).mode & 0o777).toBe(0o700);
    const used = folderOf(one);
    await one.release(true);
    await using again = await folder.open();
    expect(folderOf(await checkOut(again))).toBe(used);
  });

  it.each(['a file', 'a place where no folder can be made'])(
    'cannot be made below %s, which is an error that says so',
    async (what) => {
      await using folder = await ordinary();
      const trees = what === 'a file' ? folder.trees : '/proc/no-such-folder';
      if (what === 'a file') writeFileSync(trees, '');
      await using workspace = await folder.open({ trees });
      await expect(checkOut(workspace)).rejects.toMatchObject({
        code: 'TREES_UNUSABLE',
        fault: 'platform',
        message: expect.stringContaining(trees),
        hint: expect.stringContaining('GATELINE_TREES'),
      });
    },
  );

  it('is brought from one version to the next by what differs', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const first = await checkOut(workspace);
    const inode = lstatSync(join(first.root, 'a')).ino;
    await first.release(true);
    folder.write('dir/b', 'edited');
    chmodSync(join(folder.root, 'tool'), 0o644);
    rmSync(join(folder.root, 'link'));
    symlinkSync('a', join(folder.root, 'link'));
    const second = await checkOut(workspace, { attempt: 'two' });
    expect(filesBelow(second.root)).toEqual(filesBelow(folder.root));
    expect(lstatSync(join(second.root, 'a')).ino).toBe(inode);
  });

  it('has nothing of the attempt before, whatever that did', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const expected = filesBelow(folder.root);
    const sabotage: readonly ((root: string) => void | Promise<void>)[] = [
      (root) => put(root, 'dist/out.js', 'ignored'),
      (root) => put(root, 'dir/x.log', 'ignored'),
      (root) => {
        rmSync(join(root, 'a'));
        put(root, 'a/now/a/folder', 'x');
      },
      (root) => {
        rmSync(join(root, 'dir'), { recursive: true });
        put(root, 'dir', 'a file');
      },
      (root) => {
        rmSync(join(root, 'dir'), { recursive: true });
        symlinkSync('/etc', join(root, 'dir'));
      },
      (root) => {
        rmSync(join(root, 'link'));
        mkdirSync(join(root, 'link'));
      },
      (root) => {
        rmSync(join(root, 'a'));
        execFileSync('mkfifo', [join(root, 'a')]);
      },
      (root) => {
        execFileSync('git', ['init', '-q', join(root, 'nested')]);
        execFileSync('git', ['init', '-q', join(root, 'dir')]);
        put(root, 'nested/file', 'x');
      },
      (root) => rmSync(join(root, '.git'), { recursive: true }),
      (root) => put(root, 'dir/.git', 'gitdir: /nowhere\n'),
      (root) => {
        rmSync(join(root, '.git'), { recursive: true });
        symlinkSync(join(folder.root, '.git'), join(root, '.git'));
      },
      (root) => put(root, '.gitattributes', '* filter=none -text eol=crlf\n'),
      (root) => writeFileSync(join(dirname(root), 'index'), 'torn'),
      (root) => writeFileSync(join(dirname(root), 'index.lock'), ''),
      (root) => rmSync(join(dirname(root), 'index')),
      (root) => rmSync(root, { recursive: true }),
      async (root) => {
        const server = createServer();
        await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
        server.unref();
      },
    ];
    const before = folder.repositoryContents();
    const { tree } = await workspace.snapshot([]);
    for (const [index, spoil] of sabotage.entries()) {
      const checkout = await checkOut(workspace, { tree, attempt: `attempt ${index}` });
      expect(filesBelow(checkout.root), `before ${index}`).toEqual(expected);
      expect((await checkout.capture()).tree, `before ${index}`).toBe(tree);
      await spoil(checkout.root);
      if (existsSync(checkout.root)) await checkout.capture();
      await checkout.release(true);
    }
    const last = await checkOut(workspace, { tree });
    expect(filesBelow(last.root)).toEqual(expected);
    const slots = readdirSync(dirname(slotOf(last)));
    expect(slots.toSorted()).toEqual([String(sabotage.length), 'next']);
    expect(folder.repositoryContents()).toEqual(before);
  });

  it('is captured and brought on though the agent put pipes into its repositories', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open({ gitTimeoutMs: 3_000 });
    const { tree } = await workspace.snapshot([]);
    for (const name of ['.git/index', '.git/HEAD', '.git/config', 'dir/.git/HEAD', 'dir/deep/.git']) {
      const checkout = await checkOut(workspace, { tree });
      mkdirSync(dirname(join(checkout.root, name)), { recursive: true });
      rmSync(join(checkout.root, name), { force: true });
      execFileSync('mkfifo', [join(checkout.root, name)]);
      put(checkout.root, 'a', 'edited');
      expect(await changed(workspace, checkout), name).toEqual(['a: 100644 → 100644']);
      await checkout.release(true);
    }
    const checkout = await checkOut(workspace, { tree });
    expect(filesBelow(checkout.root)).toEqual(filesBelow(folder.root));
    expect(existsSync(join(checkout.root, 'dir/.git'))).toBe(false);
    put(checkout.root, 'nested/.git/refs/x', '');
    put(checkout.root, 'nested/.git/objects/x', '');
    execFileSync('mkfifo', [join(checkout.root, 'nested/.git/HEAD')]);
    await expect(checkout.capture()).rejects.toMatchObject({ code: 'GIT_TIMEOUT' });
    await checkout.release(true);
    const last = await checkOut(workspace, { tree });
    expect(filesBelow(last.root)).toEqual(filesBelow(folder.root));
  });

  it('is one for each attempt that works at the same time', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([]);
    const attempts = ['a', 'b', 'c', 'd'];
    const all = await Promise.all(attempts.map((attempt) => checkOut(workspace, { tree, attempt })));
    expect(new Set(all.map(({ root }) => root)).size).toBe(4);
    for (const [index, { root }] of all.entries()) put(root, 'a', `by ${index}`);
    const trees = await Promise.all(all.map((checkout) => checkout.capture()));
    expect(new Set(trees.map((work) => work.tree)).size).toBe(4);
    const used = new Set(all.map(folderOf));
    await Promise.all(all.map((checkout) => checkout.release(true)));
    const again = await Promise.all(attempts.map((attempt) => checkOut(workspace, { tree, attempt })));
    expect(new Set(again.map(folderOf))).toEqual(used);
    expect(new Set([...all, ...again].map(({ root }) => root)).size).toBe(8);
    for (const { root } of again) expect(filesBelow(root)).toEqual(filesBelow(folder.root));
  });

  it('is found again by the name of the attempt, and captured as often as anybody asks', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([]);
    const request = { base: tree, tree, attempt: 'one', place: 'tree', files: 'changed', from: tree } as const;
    const first = await workspace.checkOut({ ...request, until: '2100-01-01T00:00:00.000Z' });
    put(first.root, 'a', 'edited');
    put(first.root, 'new', 'new');
    const work = await first.capture();
    expect(await first.capture()).toEqual(work);
    await using other = await folder.open();
    await other.sweep(new Date().toISOString());
    const found = (await other.reopen(request))!;
    expect(found.root).toBe(first.root);
    expect(await found.capture()).toEqual(work);
    put(found.root, 'new', 'newer');
    put(found.root, 'a', 'a');
    expect(await changed(other, found)).toEqual(['new: - → 100644']);
    rmSync(join(found.root, 'new'));
    expect((await found.capture()).tree).toBe(tree);
    await found.release(true);
    expect(await other.reopen(request)).toBeUndefined();
    expect(await other.reopen({ ...request, attempt: 'never' })).toBeUndefined();
  });
});

describe('a slot that may still be written to', () => {
  it('is not used again, and deleted when nobody is there any more', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const first = await checkOut(workspace);
    await first.release(false);
    const second = await checkOut(workspace, { attempt: 'two' });
    expect(second.root).not.toBe(first.root);
    expect(existsSync(first.root)).toBe(true);
    await workspace.sweep(new Date().toISOString());
    expect(existsSync(slotOf(first))).toBe(false);
    expect(filesBelow(second.root)).toEqual(filesBelow(folder.root));
  });

  it.each([
    { where: 'stands there', how: 'cwd' },
    { where: 'was started by the agent and went elsewhere', how: 'environment' },
    { where: 'has a file open', how: 'file' },
  ])('is one in which a process $where', async ({ how }) => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const first = await checkOut(workspace);
    const file = openSync(join(first.root, 'tool'), 'a');
    const late = spawn('/bin/sh', ['-c', `read line; echo late > '${first.root}/a'`], {
      cwd: how === 'cwd' ? join(first.root, 'dir') : '/',
      env: how === 'environment' ? first.environment({ PATH: process.env['PATH'] }) : {},
      stdio: ['pipe', how === 'file' ? file : 'ignore', 'ignore'],
      detached: true,
    });
    closeSync(file);
    await first.release(true);
    await workspace.sweep(new Date().toISOString());
    expect(existsSync(first.root)).toBe(true);
    const second = await checkOut(workspace, { attempt: 'two' });
    expect(second.root).not.toBe(first.root);
    const gone = new Promise((resolve) => late.on('exit', resolve));
    late.stdin!.end('go\n');
    await gone;
    expect(readFileSync(join(first.root, 'a'), 'utf8')).toBe('late\n');
    expect((await second.capture()).tree).toBe(second.from);
    const used = folderOf(second);
    await second.release(true);
    await workspace.sweep(new Date().toISOString());
    expect(existsSync(slotOf(first))).toBe(false);
    expect(folderOf(await checkOut(workspace))).toBe(used);
  });

  it('is at a path that no earlier attempt knew: a process that nothing shows writes past it', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const first = await checkOut(workspace);
    const used = folderOf(first);
    const late = spawn('/bin/sh', ['-c', `read line; echo late > '${first.root}/a'; echo late > '${first.root}/new'`], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    await first.release(true);
    const second = await checkOut(workspace, { attempt: 'two' });
    const gone = new Promise((resolve) => late.on('exit', resolve));
    late.stdin.end('go\n');
    await gone;
    expect(folderOf(second)).toBe(used);
    expect(filesBelow(second.root)).toEqual(filesBelow(folder.root));
    expect((await second.capture()).tree).toBe(second.from);
  });

  it('is made new if something is in the place that it would move to', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const first = await checkOut(workspace);
    const used = folderOf(first);
    put(dirname(slotOf(first)), '1/tree/a', 'put there');
    await first.release(true);
    const second = await checkOut(workspace, { attempt: 'two' });
    expect(folderOf(second)).not.toBe(used);
    expect(filesBelow(second.root)).toEqual(filesBelow(folder.root));
  });

  it('stays at its path if a setup command installed something in it', async () => {
    await using folder = await ordinary();
    const start = async (): Promise<{ outcome: 'exited'; exitCode: number }> => ({ outcome: 'exited', exitCode: 0 });
    const setup = { command: 'install', shell: 'sh', environment: {}, secrets: [], start };
    await using workspace = await folder.open({ link: 'none', setup });
    const first = await checkOut(workspace);
    await first.release(true);
    expect((await checkOut(workspace, { attempt: 'two' })).root).toBe(first.root);
  });

  it('is one whose engine is gone, unless an agent that runs by itself still has time', async () => {
    await using folder = await ordinary();
    const gone = await folder.open();
    const lost = await checkOut(gone);
    const open = await checkOut(gone, { attempt: 'two', until: '2030-01-01T00:00:00.000Z' });
    await using workspace = await folder.open();
    const third = await checkOut(workspace, { attempt: 'three' });
    expect([existsSync(lost.root), existsSync(open.root)]).toEqual([true, true]);
    await workspace.sweep('2029-12-31T00:00:00.000Z');
    expect([existsSync(lost.root), existsSync(open.root), existsSync(third.root)]).toEqual([false, true, true]);
    await workspace.sweep('2030-01-02T00:00:00.000Z');
    expect([existsSync(open.root), existsSync(third.root)]).toEqual([false, true]);
  });

  it('is one whose state is damaged or missing', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const first = await checkOut(workspace);
    await first.release(true);
    writeFileSync(join(slotOf(first), 'slot.json'), '{"format":');
    const second = await checkOut(workspace, { attempt: 'two' });
    await second.release(true);
    rmSync(join(slotOf(second), 'slot.json'));
    const third = await checkOut(workspace, { attempt: 'three' });
    expect(new Set([first, second, third].map(folderOf)).size).toBe(3);
    writeFileSync(join(dirname(slotOf(third)), 'stray'), 'x');
    await workspace.sweep(new Date().toISOString());
    expect(readdirSync(dirname(slotOf(third))).toSorted()).toEqual(['2', 'next', 'stray']);
  });
});
