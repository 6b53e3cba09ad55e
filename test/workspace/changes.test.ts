import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WorkspaceOptions } from '../../src/workspace/open-workspace.ts';
import type { Changes, Checkout, KeepContent } from '../../src/workspace/workspace.ts';
import { blob, Folder, Kept } from './folder.ts';
import { asAgent, checkOut, put } from './round.ts';

interface Attempt {
  readonly files?: 'changed' | readonly string[];
  readonly keep?: KeepContent;
  readonly options?: Partial<WorkspaceOptions>;
  readonly below?: string;
}

/** What one attempt in a work tree changed. */
async function attempt(
  folder: Folder,
  work: (root: string, checkout: Checkout) => void | Promise<void>,
  { files = 'changed', keep = new Kept().keep, options = {}, below = '' }: Attempt = {},
): Promise<Changes> {
  await using workspace = await folder.open(options, below);
  const checkout = await checkOut(workspace, { files });
  await work(checkout.root, checkout);
  const changes = await workspace.changes(checkout.from, await checkout.capture(), files, keep, checkout);
  await checkout.release(true);
  return changes;
}

const pathsOf = (files: readonly { readonly path: string }[]): string[] => files.map(({ path }) => path);
const plain = (text: string, mode = '100644'): object => ({ blob: blob(text), mode });

describe('what an attempt changed', () => {
  it('is told with blobs, modes and kept content: created, edited, deleted, made executable', async () => {
    await using folder = await Folder.repository();
    for (const name of ['edited', 'deleted', 'mode', 'same', 'dirty']) folder.write(name, name);
    folder.commitAll();
    folder.write('dirty', 'before the attempt');
    const kept = new Kept();
    const work = (root: string): void => {
      put(root, 'edited', 'new');
      rmSync(join(root, 'deleted'));
      chmodSync(join(root, 'mode'), 0o755);
      put(root, 'deep/created', 'created', 0o755);
      put(root, 'empty', '');
    };
    expect(await attempt(folder, work, { keep: kept.keep })).toEqual({
      files: [
        { path: 'deep/created', before: null, after: { ...plain('created', '100755'), content: kept.add('created') } },
        { path: 'deleted', before: plain('deleted'), after: null },
        { path: 'edited', before: plain('edited'), after: { ...plain('new'), content: kept.add('new') } },
        { path: 'empty', before: null, after: { ...plain(''), content: kept.add('') } },
        { path: 'mode', before: plain('mode'), after: { ...plain('mode', '100755'), content: kept.add('mode') } },
      ],
      touched: [],
      links: [],
      refused: [],
    });
  });

  it('is the same whether the attempt commits, stages, stashes, switches branch or resets', async () => {
    await using folder = await Folder.repository();
    for (const name of ['a', 'b']) folder.write(name, 'one');
    folder.commitAll();
    const followUps: readonly (readonly (readonly string[])[])[] = [
      [],
      [['add', '-A']],
      [['commit', '-qam', 'x']],
      [
        ['checkout', '-q', '-b', 'side'],
        ['add', '-A'],
        ['commit', '-qm', 'x'],
      ],
      [['rm', '-q', '--cached', 'b']],
      [
        ['add', '-A'],
        ['reset', '-q', 'HEAD'],
      ],
      [
        ['stash', '-qu'],
        ['stash', 'pop', '-q'],
      ],
      [
        ['update-index', '--assume-unchanged', 'a'],
        ['update-index', '--skip-worktree', 'b'],
      ],
    ];
    for (const [index, commands] of followUps.entries()) {
      const { files } = await attempt(folder, (root, checkout) => {
        for (const name of ['a', 'new']) put(root, name, `text ${index}`);
        for (const command of commands) asAgent(folder, checkout)(...command);
      });
      expect(files.map(({ path, after }) => [path, after?.blob])).toEqual([
        ['a', blob(`text ${index}`)],
        ['new', blob(`text ${index}`)],
      ]);
    }
  });

  it('does not depend on what the attempt makes git ignore', async () => {
    await using folder = await Folder.repository();
    for (const name of ['kept.txt', 'edited.txt', '.gitignore']) folder.write(name, '');
    const work = (root: string): void => {
      put(root, '.gitignore', '*.txt\n');
      put(root, 'edited.txt', 'two');
      put(root, '.git/info/exclude', '*\n');
    };
    expect(pathsOf((await attempt(folder, work)).files)).toEqual(['.gitignore', 'edited.txt']);
    expect(pathsOf((await attempt(folder, work, { files: [] })).touched)).toEqual(['.gitignore', 'edited.txt']);
  });

  it('is parted by globs into what is handed on, ignored files too, and what was merely touched', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitignore', 'dist/\ncache/\n');
    folder.write('src/a', 'one');
    folder.write('dist/old', 'one');
    folder.git('add', '-f', '-A');
    folder.commitAll();
    const work = (root: string): void => {
      put(root, 'src/a', 'two');
      put(root, 'src/new', 'new');
      put(root, 'dist/new', 'new');
      put(root, 'cache/x', 'x');
      rmSync(join(root, 'dist/old'));
    };
    const changes = await attempt(folder, work, { files: ['dist/**'] });
    expect(pathsOf(changes.files)).toEqual(['dist/new', 'dist/old']);
    expect(changes.touched).toEqual([
      { path: 'src/a', before: plain('one'), after: plain('two') },
      { path: 'src/new', before: null, after: plain('new') },
    ]);
    const none = await attempt(folder, (root) => put(root, 'src/a', 'three'), { files: [] });
    expect(none).toMatchObject({ files: [], touched: [{ path: 'src/a' }], refused: [] });
  });

  it('names links that changed and are not handed on: a record has no place for them', async () => {
    await using folder = await Folder.repository();
    folder.write('src/a', 'one');
    folder.commitAll();
    const work = (root: string): void => {
      put(root, 'src/a', 'two');
      symlinkSync('a', join(root, 'src/link'));
    };
    const changes = await attempt(folder, work, { files: ['src/a'] });
    expect([pathsOf(changes.files), changes.touched, changes.links, changes.refused]).toEqual([
      ['src/a'],
      [],
      ['src/link'],
      [],
    ]);
  });

  it('holds ignored files that a glob names beside those that were there before', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitignore', 'out/*\n');
    folder.write('a', 'a');
    folder.commitAll();
    folder.write('out/earlier', 'one');
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([['out/**']]);
    const checkout = await checkOut(workspace, { tree, files: ['out/**'] });
    put(checkout.root, 'out/new', 'new');
    put(checkout.root, 'out/earlier', 'two');
    const work = await checkout.capture();
    const { files } = await workspace.changes(tree, work, ['out/**'], new Kept().keep, checkout);
    expect(files.map(({ path, before }) => [path, before !== null])).toEqual([
      ['out/earlier', true],
      ['out/new', false],
    ]);
  });

  it('is, of a repository\u2019s other folders, merely touched', async () => {
    await using folder = await Folder.repository();
    for (const name of ['app/f', 'lib/f']) folder.write(name, 'one');
    folder.commitAll();
    const work = (root: string): void => {
      for (const name of ['f', '../lib/f', '../new']) put(root, name, 'two');
    };
    const changes = await attempt(folder, work, { below: 'app' });
    expect([pathsOf(changes.files), pathsOf(changes.touched), changes.refused]).toEqual([
      ['f'],
      ['../lib/f', '../new'],
      [],
    ]);
    const named = await attempt(folder, work, { below: 'app', files: ['**'] });
    expect([pathsOf(named.files), pathsOf(named.touched)]).toEqual([['f'], ['../lib/f', '../new']]);
  });

  it('never holds git\u2019s or our own files', async () => {
    await using folder = await Folder.repository();
    const work = (root: string): void => {
      for (const name of ['.state/x', '.git/hooks/pre-commit', 'f']) put(root, name, 'x');
    };
    const changes = await attempt(folder, work, { files: ['**', '.git/**', '.state/**'] });
    expect(changes).toMatchObject({ files: [{ path: 'f' }], touched: [], refused: [] });
  });

  it('tells of a file that became a folder, and of a folder that became a file', async () => {
    await using folder = await Folder.plain();
    for (const name of ['a', 'b/c']) folder.write(name, 'file');
    const { files } = await attempt(folder, (root) => {
      rmSync(join(root, 'a'));
      rmSync(join(root, 'b'), { recursive: true });
      put(root, 'a/x', 'x');
      put(root, 'b', 'b');
    });
    expect(files.map(({ path, after }) => [path, after !== null])).toEqual([
      ['a', false],
      ['a/x', true],
      ['b', true],
      ['b/c', false],
    ]);
  });

  it('is of one state: what is written while it is kept changes nothing', async () => {
    await using folder = await Folder.repository();
    const kept = new Kept();
    await using workspace = await folder.open();
    const checkout = await checkOut(workspace);
    for (const name of ['a', 'b']) put(checkout.root, name, 'first');
    const work = await checkout.capture();
    const keep: KeepContent = async (chunks, path) => {
      appendFileSync(join(checkout.root, 'a'), 'more');
      rmSync(join(checkout.root, 'b'), { force: true });
      symlinkSync('/etc/passwd', join(checkout.root, 'b'));
      return kept.keep(chunks, path);
    };
    const { files } = await workspace.changes(checkout.from, work, 'changed', keep, checkout);
    const first = { ...plain('first'), content: kept.add('first') };
    expect(files).toEqual([
      { path: 'a', before: null, after: first },
      { path: 'b', before: null, after: first },
    ]);
  });
});

describe('what cannot be handed on is refused, with the reason', () => {
  it('links, repositories, pipes, sockets and hostile names', async () => {
    await using folder = await Folder.repository();
    for (const name of ['was-link-target', 'becomes-link', 'becomes-pipe', 'becomes-socket']) folder.write(name, 'x');
    symlinkSync('was-link-target', join(folder.root, 'was-link'));
    folder.commitAll();
    const server = createServer();
    const changes = await attempt(folder, async (root) => {
      for (const name of ['becomes-link', 'becomes-pipe', 'becomes-socket', 'was-link']) rmSync(join(root, name));
      symlinkSync('/etc/passwd', join(root, 'becomes-link'));
      symlinkSync('/etc', join(root, 'new-link'));
      execFileSync('mkfifo', [join(root, 'becomes-pipe'), join(root, 'new-pipe')]);
      execFileSync('git', ['init', '-q', join(root, 'nested')]);
      for (const name of ['aux.txt', 'back\\slash', 'dot.', 'sub/.GIT/config', 'good']) put(root, name, 'x');
      writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff])]), 'x');
      await new Promise<void>((resolve) => server.listen(join(root, 'becomes-socket'), resolve));
    });
    server.close();
    expect(pathsOf(changes.files)).toEqual(['good']);
    const why = Object.fromEntries(changes.refused.map((one) => [one.path, one.why]));
    expect(why).toEqual({
      'aux.txt': expect.stringContaining('a device on Windows'),
      'back\\slash': expect.stringContaining('backslash'),
      'bad\uFFFDFF': expect.stringContaining('UTF-8'),
      'becomes-link': expect.stringContaining('it is a symbolic link'),
      'becomes-pipe': 'it is a named pipe',
      'becomes-socket': 'it is a socket',
      'dot.': expect.stringContaining('ends in a dot'),
      nested: expect.stringContaining('a git repository'),
      'new-link': expect.stringContaining('it is a symbolic link'),
      'sub/.GIT/config': expect.stringContaining('git does not accept such a file name'),
      'was-link': expect.stringContaining('it was a symbolic link'),
    });
    expect(pathsOf(changes.refused)).toEqual(Object.keys(why).toSorted());
  });

  it('links and nested repositories are nobody\u2019s business where they are not handed on', async () => {
    await using folder = await Folder.repository();
    const work = (root: string): void => {
      symlinkSync('/etc', join(root, 'link'));
      execFileSync('git', ['init', '-q', join(root, 'nested')]);
      put(root, 'src/a', 'a');
    };
    expect(await attempt(folder, work, { files: ['src/**'] })).toMatchObject({
      files: [{ path: 'src/a' }],
      refused: [],
    });
  });

  it('files below a folder that became a link', async () => {
    await using folder = await Folder.repository();
    folder.write('dir/f', 'x');
    folder.commitAll();
    mkdirSync(folder.beside('outside'));
    writeFileSync(join(folder.beside('outside'), 'f'), 'secret');
    const kept = new Kept();
    const work = (root: string): void => {
      rmSync(join(root, 'dir'), { recursive: true });
      symlinkSync(folder.beside('outside'), join(root, 'dir'));
    };
    const changes = await attempt(folder, work, { files: ['dir/**', 'dir'], keep: kept.keep });
    expect(changes.files).toEqual([{ path: 'dir/f', before: plain('x'), after: null }]);
    expect(changes.refused).toEqual([{ path: 'dir', why: expect.stringContaining('symbolic link') }]);
    expect(kept.contents.size).toBe(0);
  });

  it('files over the limit, too many files, and untracked ones that no snapshot would take', async () => {
    await using folder = await Folder.plain();
    const options = { maxFileBytes: 10, maxFiles: 3, maxUntracked: 100 };
    const large = await attempt(
      folder,
      (root) => {
        put(root, 'fits', '0123456789');
        put(root, 'large', '0123456789+');
        put(root, 'huge', 'x'.repeat(101));
      },
      { options },
    );
    expect(pathsOf(large.files)).toEqual(['fits']);
    expect(large.refused).toEqual([
      { path: 'huge', why: expect.stringContaining('larger than 0.0 MB') },
      { path: 'large', why: expect.stringContaining('larger than 10 bytes') },
    ]);
    const work = (root: string): void => {
      for (const name of ['1', '2', '3', '4']) put(root, name, name);
    };
    const many = await attempt(folder, work, { options });
    expect(many.files).toEqual([]);
    expect(many.refused).toEqual([{ path: '.', why: '4 files changed, but at most 3 can be handed on, so none is' }]);
  });

  it('what the keeper refuses, by its reason', async () => {
    await using folder = await Folder.plain();
    const keep: KeepContent = async (_chunks, path) => ({ refused: `no ${path}` });
    const changes = await attempt(folder, (root) => put(root, 'f', 'x'), { keep });
    expect(changes).toEqual({ files: [], touched: [], links: [], refused: [{ path: 'f', why: 'no f' }] });
  });
});
