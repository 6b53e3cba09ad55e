import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../src/run/record.ts';
import type { Changes, KeepContent, Workspace } from '../../src/workspace/workspace.ts';
import { blob, Folder, Kept } from './folder.ts';

/** What one attempt changed. */
async function attempt(
  workspace: Workspace,
  files: 'changed' | readonly string[],
  work: () => void | Promise<void>,
  keep: KeepContent = new Kept().keep,
): Promise<Changes> {
  const before = await workspace.baseline(files);
  await work();
  return workspace.changesSince(before, files, keep);
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
    const work = (): void => {
      folder.write('edited', 'new');
      rmSync(join(folder.root, 'deleted'));
      chmodSync(join(folder.root, 'mode'), 0o755);
      folder.write('deep/created', 'created', 0o755);
    };
    const changes = await attempt(await folder.open(), 'changed', work, kept.keep);
    expect(changes).toEqual({
      files: [
        { path: 'deep/created', before: null, after: { ...plain('created', '100755'), content: kept.add('created') } },
        { path: 'deleted', before: plain('deleted'), after: null },
        { path: 'edited', before: plain('edited'), after: { ...plain('new'), content: kept.add('new') } },
        { path: 'mode', before: plain('mode'), after: { ...plain('mode', '100755'), content: kept.add('mode') } },
      ],
      touched: [],
      refused: [],
    });
  });

  it('is the same whether the attempt commits, stages, switches branch or resets', async () => {
    await using folder = await Folder.repository();
    folder.write('a', 'one');
    folder.write('b', 'one');
    folder.commitAll();
    const first = folder.git('rev-parse', 'HEAD');
    const edits = (text: string) => (): void => {
      folder.write('a', text);
      folder.write('new', text);
    };
    const followUps: readonly (readonly string[])[] = [
      ['add', '-A'],
      ['commit', '-qam', 'x'],
      ['checkout', '-q', '-b', 'side'],
      ['rm', '-q', '--cached', 'b'],
      ['reset', '-q', 'HEAD'],
    ];
    const workspace = await folder.open();
    for (const [index, followUp] of followUps.entries()) {
      const { files } = await attempt(workspace, 'changed', () => {
        edits(`text ${index}`)();
        folder.git(...followUp);
      });
      expect(files.map(({ path, after }) => [path, after?.blob])).toEqual([
        ['a', blob(`text ${index}`)],
        ['new', blob(`text ${index}`)],
      ]);
    }
    const { files } = await attempt(workspace, 'changed', () => void folder.git('checkout', '-q', '-f', first));
    expect(files.map(({ path, after }) => [path, after?.blob])).toEqual([
      ['a', blob('one')],
      ['new', undefined],
    ]);
  });

  it('does not depend on what the attempt makes git ignore', async () => {
    await using folder = await Folder.repository();
    folder.write('kept.txt', 'one');
    folder.write('edited.txt', 'one');
    folder.write('.gitignore', '');
    const { files } = await attempt(await folder.open(), 'changed', () => {
      folder.write('.gitignore', '*.txt\n');
      folder.write('edited.txt', 'two');
    });
    expect(pathsOf(files)).toEqual(['.gitignore', 'edited.txt']);

    rmSync(join(folder.root, '.gitignore'));
    const { touched } = await attempt(await folder.open(), [], () => {
      folder.write('.gitignore', '*.txt\n');
      folder.write('edited.txt', 'three');
    });
    expect(touched).toEqual([
      { path: '.gitignore', before: null, after: plain('*.txt\n') },
      { path: 'edited.txt', before: plain('two'), after: plain('three') },
    ]);
  });

  it('is parted by globs into what is handed on, ignored files too, and what was merely touched', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitignore', 'dist/\ncache/\n');
    folder.write('src/a', 'one');
    folder.write('dist/old', 'one');
    folder.write('dist/again', 'one');
    folder.write('dist/same', 'one');
    folder.commitAll();
    const changes = await attempt(await folder.open(), ['dist/**'], () => {
      folder.write('dist/again', 'one');
      folder.write('src/a', 'two');
      folder.write('src/new', 'new');
      folder.write('dist/new', 'new');
      folder.write('cache/x', 'x');
      rmSync(join(folder.root, 'dist/old'));
    });
    // Also the one that was written just as it was: git ignores it, so no checkout would bring it to a later gate.
    expect(pathsOf(changes.files)).toEqual(['dist/again', 'dist/new', 'dist/old']);
    expect(changes.touched).toEqual([
      { path: 'src/a', before: plain('one'), after: plain('two') },
      { path: 'src/new', before: null, after: plain('new') },
    ]);
    const none = await attempt(await folder.open(), [], () => folder.write('src/a', 'three'));
    expect(none).toMatchObject({ files: [], touched: [{ path: 'src/a' }], refused: [] });
  });

  it('holds what the gate did before: what it handed on and still stands so, what failed attempts left half-done', async () => {
    await using folder = await Folder.repository();
    folder.write('.gitignore', 'dist/\n');
    for (const name of ['committed', 'gone']) folder.write(`src/${name}`, name);
    folder.commitAll();
    for (const name of ['made', 'edited', 'half', 'foreign']) folder.write(`dist/${name}`, name);
    rmSync(join(folder.root, 'src/gone'));
    const workspace = await folder.open();
    const files = ['dist/**', 'src/**'];
    const made = (path: string, text: string): FileChange => {
      return { path, before: null, after: { blob: blob(text), mode: '100644' } };
    };
    const baseline = await workspace.baseline(files);
    const since = new Map([...baseline.named].filter(([path]) => path !== 'dist/half'));
    since.set('src/gone', { blob: blob('gone'), mode: '100644' });
    const earlier = {
      since,
      made: [made('dist/made', 'made'), made('dist/edited', 'as the gate made it'), made('src/committed', 'committed')],
    };
    const changes = await workspace.changesSince(baseline, files, new Kept().keep, earlier);
    expect(pathsOf(changes.files)).toEqual(['dist/half', 'dist/made', 'src/gone']);
    expect(changes.files.at(-1)!.after).toBeNull();
  });

  it('never holds git\u2019s or our own files', async () => {
    await using folder = await Folder.repository();
    const changes = await attempt(await folder.open(), ['**', '.git/**', '.state/**'], () => {
      folder.write('.state/x', 'x');
      folder.write('.git/hooks/pre-commit', 'x');
      folder.write('f', 'x');
    });
    expect(changes).toMatchObject({ files: [{ path: 'f' }], touched: [], refused: [] });
  });

  it('tells of a file that became a folder, and of a folder that became a file', async () => {
    await using folder = await Folder.plain();
    folder.write('a', 'file');
    folder.write('b/c', 'file');
    const { files } = await attempt(await folder.open(), 'changed', () => {
      rmSync(join(folder.root, 'a'));
      rmSync(join(folder.root, 'b'), { recursive: true });
      folder.write('a/x', 'x');
      folder.write('b', 'b');
    });
    expect(files.map(({ path, after }) => [path, after !== null])).toEqual([
      ['a', false],
      ['a/x', true],
      ['b', true],
      ['b/c', false],
    ]);
  });
});

describe('what cannot be handed on is refused, with the reason', () => {
  it('links, repositories, pipes, sockets and hostile names', async () => {
    await using folder = await Folder.repository();
    for (const name of ['was-link-target', 'becomes-link', 'becomes-pipe']) folder.write(name, 'x');
    symlinkSync('was-link-target', join(folder.root, 'was-link'));
    folder.commitAll();
    const workspace = await folder.open();
    const server = createServer();
    const changes = await attempt(workspace, 'changed', async () => {
      for (const name of ['becomes-link', 'becomes-pipe', 'was-link']) rmSync(join(folder.root, name));
      symlinkSync('/etc/passwd', join(folder.root, 'becomes-link'));
      symlinkSync('/etc', join(folder.root, 'new-link'));
      execFileSync('mkfifo', [join(folder.root, 'becomes-pipe')]);
      folder.git('init', '-q', 'nested');
      for (const name of ['aux.txt', 'back\\slash', 'dot.', 'sub/.GIT/config', 'good']) folder.write(name, 'x');
      writeFileSync(Buffer.concat([Buffer.from(`${folder.root}/bad`), Buffer.from([0xff])]), 'x');
      await new Promise<void>((resolve) => server.listen(join(folder.root, 'socket'), resolve));
    });
    server.close();
    expect(pathsOf(changes.files)).toEqual(['good']);
    const why = Object.fromEntries(changes.refused.map((one) => [one.path, one.why]));
    expect(why).toEqual({
      'aux.txt': expect.stringContaining('a device on Windows'),
      'back\\slash': expect.stringContaining('backslash'),
      'bad\uFFFDFF': expect.stringContaining('UTF-8'),
      'becomes-link': expect.stringContaining('it is a symbolic link'),
      'becomes-pipe': expect.stringContaining('a named pipe'),
      'dot.': expect.stringContaining('ends in a dot'),
      nested: expect.stringContaining('a git repository of its own'),
      'new-link': expect.stringContaining('it is a symbolic link'),
      'sub/.GIT/config': expect.stringContaining('git\u2019s own folder'),
      'was-link': expect.stringContaining('it was a symbolic link'),
    });
    expect(pathsOf(changes.refused)).toEqual(Object.keys(why).toSorted());
  });

  it('pipes that a glob names', async () => {
    await using folder = await Folder.plain();
    const changes = await attempt(await folder.open(), ['out/**'], () => {
      mkdirSync(join(folder.root, 'out'));
      execFileSync('mkfifo', [join(folder.root, 'out/pipe')]);
    });
    expect(changes.refused).toEqual([{ path: 'out/pipe', why: expect.stringContaining('a named pipe') }]);
  });

  it('files below a folder that became a link', async () => {
    await using folder = await Folder.repository();
    folder.write('dir/f', 'x');
    folder.commitAll();
    mkdirSync(folder.beside('outside'));
    writeFileSync(join(folder.beside('outside'), 'f'), 'secret');
    const kept = new Kept();
    const changes = await attempt(
      await folder.open(),
      ['dir/**'],
      () => {
        rmSync(join(folder.root, 'dir'), { recursive: true });
        symlinkSync(folder.beside('outside'), join(folder.root, 'dir'));
      },
      kept.keep,
    );
    expect(changes.files).toEqual([{ path: 'dir/f', before: plain('x'), after: null }]);
    expect(changes.refused).toEqual([{ path: 'dir', why: expect.stringContaining('symbolic link') }]);
    expect(kept.contents.size).toBe(0);
  });

  it('files of nobody\u2019s below a folder that became a link', async () => {
    await using folder = await Folder.repository();
    folder.write('dir/f', 'x');
    mkdirSync(folder.beside('outside'));
    writeFileSync(join(folder.beside('outside'), 'f'), 'secret');
    const { touched } = await attempt(await folder.open(), [], () => {
      rmSync(join(folder.root, 'dir'), { recursive: true });
      symlinkSync(folder.beside('outside'), join(folder.root, 'dir'));
    });
    expect(touched).toEqual([{ path: 'dir/f', before: plain('x'), after: null }]);
  });

  it('files whose folder is exchanged for a link while others are kept', async () => {
    await using folder = await Folder.plain();
    mkdirSync(folder.beside('outside'));
    writeFileSync(join(folder.beside('outside'), 'f'), 'secret');
    const kept = new Kept();
    let exchanged = false;
    const keep: KeepContent = async (chunks, path) => {
      if (!exchanged) {
        exchanged = true;
        rmSync(join(folder.root, 'dir'), { recursive: true });
        symlinkSync(folder.beside('outside'), join(folder.root, 'dir'));
      }
      return kept.keep(chunks, path);
    };
    const work = (): void => {
      for (let n = 0; n < 40; n++) folder.write(`a${n}`, 'x');
      folder.write('dir/f', 'mine');
    };
    const changes = await attempt(await folder.open(), 'changed', work, keep);
    expect(changes.refused).toEqual([{ path: 'dir/f', why: expect.stringContaining('leads out of the workspace') }]);
    expect(kept.contents.has(new Kept().add('secret').digest)).toBe(false);
  });

  it('files over the limit, and too many files', async () => {
    await using folder = await Folder.plain();
    const workspace = await folder.open({ maxFileBytes: 10, maxFiles: 3 });
    const large = await attempt(workspace, 'changed', () => {
      folder.write('fits', '0123456789');
      folder.write('large', '0123456789+');
    });
    expect(pathsOf(large.files)).toEqual(['fits']);
    expect(large.refused).toEqual([{ path: 'large', why: expect.stringContaining('larger than 10 bytes') }]);
    const many = await attempt(workspace, 'changed', () => {
      for (const name of ['1', '2', '3', '4']) folder.write(name, name);
    });
    expect(many.files).toEqual([]);
    expect(many.refused).toEqual([{ path: '.', why: '4 files changed and at most 3 can be handed on, so none is' }]);
  });

  it('what the keeper refuses, by its reason', async () => {
    await using folder = await Folder.plain();
    const keep: KeepContent = async (_chunks, path) => ({ refused: `no ${path}` });
    const changes = await attempt(await folder.open(), 'changed', () => folder.write('f', 'x'), keep);
    expect(changes).toEqual({ files: [], touched: [], refused: [{ path: 'f', why: 'no f' }] });
  });
});

describe('a file that changes while it is kept', () => {
  it('is kept again, so that blob and content are of one state', async () => {
    await using folder = await Folder.repository();
    const kept = new Kept();
    let writes = 0;
    const keep: KeepContent = async (chunks, path) => {
      const content = await kept.keep(chunks, path);
      if (writes++ === 0) folder.write('f', 'second');
      return content;
    };
    const work = (): void => {
      folder.write('f', 'first');
      folder.commitAll();
    };
    const { files } = await attempt(await folder.open(), 'changed', work, keep);
    expect(files).toEqual([{ path: 'f', before: null, after: { ...plain('second'), content: kept.add('second') } }]);
  });

  it('is refused when it never comes to rest, or is exchanged for a link', async () => {
    await using folder = await Folder.repository();
    const kept = new Kept();
    const growing: KeepContent = async (chunks, path) => {
      const content = await kept.keep(chunks, path);
      appendFileSync(join(folder.root, 'f'), 'more');
      return content;
    };
    const workspace = await folder.open();
    const restless = await attempt(workspace, 'changed', () => folder.write('f', 'first'), growing);
    expect(restless).toMatchObject({
      files: [],
      refused: [{ path: 'f', why: expect.stringContaining('kept changing') }],
    });

    const swapping: KeepContent = async (chunks, path) => {
      const content = await kept.keep(chunks, path);
      renameSync(join(folder.root, 'f'), folder.beside('f'));
      symlinkSync('/etc/passwd', join(folder.root, 'f'));
      return content;
    };
    const swapped = await attempt(workspace, 'changed', () => folder.write('f', 'other'), swapping);
    expect(swapped).toMatchObject({
      files: [],
      refused: [{ path: 'f', why: expect.stringContaining('symbolic link') }],
    });
  });
});
