import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blob, filesBelow, Folder, Kept } from './folder.ts';
import { asAgent, changed, checkOut, put, round } from './round.ts';

/** A repository with the submodule `lib`, which has the submodule `lib/deep` itself. */
async function withSubmodules(): Promise<Folder> {
  const folder = await Folder.repository();
  for (const name of ['deep', 'lib']) {
    folder.git('init', '-q', '-b', 'main', folder.beside(name));
    const library = Folder.at(folder, name);
    library.write('f', name);
    if (name === 'lib') library.git('submodule', 'add', '-q', folder.beside('deep'), 'deep');
    library.commitAll();
    library.write('g', name);
    library.commitAll();
  }
  folder.write('top', 'top');
  folder.git('submodule', 'add', '-q', folder.beside('lib'), 'lib');
  folder.git('submodule', 'update', '-q', '--init', '--recursive');
  folder.commitAll();
  return folder;
}

describe('submodules', () => {
  it('stand in a work tree as repositories of their own, nested ones too', async () => {
    await using folder = await withSubmodules();
    folder.git('config', 'submodule.recurse', 'true');
    folder.gitIn('lib', 'config', 'filter.x.clean', 'cat');
    await using workspace = await folder.open();
    const { tree } = await round(folder, workspace);
    const head = folder.gitIn('lib', 'rev-parse', 'HEAD');
    expect((await workspace.files(tree)).get('lib')).toEqual({ blob: head, mode: '160000' });
    const checkout = await checkOut(workspace);
    expect(filesBelow(checkout.root)).toMatchObject({ 'lib/f': 'lib', 'lib/g': 'lib', 'lib/deep/f': 'deep' });
    const agent = asAgent(folder, checkout);
    expect(agent('status', '--porcelain')).toBe('');
    expect(agent('-C', 'lib', 'log', '--format=%H', '-1')).toBe(head);
    expect(agent('-C', 'lib', 'config', 'filter.x.clean')).toBe('cat');
    expect(agent('-C', 'lib/deep', 'rev-parse', 'HEAD')).toBe(folder.gitIn('lib/deep', 'rev-parse', 'HEAD'));
  });

  it('stand at the commit that the user has there, committed or not', async () => {
    await using folder = await withSubmodules();
    await using workspace = await folder.open();
    const { tree } = await workspace.snapshot([]);
    folder.gitIn('lib', 'checkout', '-q', 'HEAD~1');
    const moved = await workspace.snapshot([]);
    expect(await workspace.differences(tree, moved.tree)).toMatchObject([{ path: 'lib' }]);
    const checkout = await checkOut(workspace);
    expect(filesBelow(checkout.root)).not.toHaveProperty('lib/g');
    expect(asAgent(folder, checkout)('status', '--porcelain')).toBe(' M lib');
    await checkout.release(true);
    const second = await checkOut(workspace, { tree });
    expect(filesBelow(second.root)).toHaveProperty('lib/g');
  });

  it.each([
    { what: 'an edit', spoil: (folder: Folder) => folder.write('lib/f', 'edited') },
    { what: 'an untracked file', spoil: (folder: Folder) => folder.write('lib/new', 'new') },
    { what: 'an edit of a nested one', spoil: (folder: Folder) => folder.write('lib/deep/f', 'edited') },
    {
      what: 'an edit after another commit',
      spoil: (folder: Folder) => {
        folder.gitIn('lib', 'checkout', '-q', 'HEAD~1');
        folder.write('lib/f', 'edited');
      },
    },
  ])('are refused by name with $what', async ({ spoil }) => {
    await using folder = await withSubmodules();
    spoil(folder);
    await using workspace = await folder.open();
    await expect(workspace.snapshot([])).rejects.toMatchObject({
      code: 'SUBMODULE_DIRTY',
      fault: 'user',
      message: expect.stringContaining('lib'),
    });
    await using job = await folder.open({ kind: 'job' });
    expect((await job.snapshot([])).notices).toEqual([expect.stringContaining('lib (it is a submodule')]);
  });

  it('that are not checked out are empty folders', async () => {
    await using folder = await withSubmodules();
    folder.git('submodule', 'deinit', '-q', '-f', 'lib');
    await using workspace = await folder.open();
    await round(folder, workspace);
    const checkout = await checkOut(workspace);
    expect(readdirSync(join(checkout.root, 'lib'))).toEqual([]);
    rmSync(join(folder.root, 'lib'), { recursive: true });
    const without = await checkOut(workspace, { attempt: 'two' });
    expect(readdirSync(without.root)).not.toContain('lib');
  });

  it('change in a work tree only; what changed in them is named and not handed on', async () => {
    await using folder = await withSubmodules();
    await using workspace = await folder.open();
    const before = { git: folder.repositoryContents(), files: filesBelow(folder.root) };
    const checkout = await checkOut(workspace);
    put(checkout.root, 'lib/f', 'by the agent');
    const dirty = await checkout.capture();
    expect(dirty.tree).toBe(checkout.from);
    expect(dirty.leftOut).toEqual([{ path: 'lib', why: expect.stringContaining('not committed in it') }]);
    const { refused } = await workspace.changes(checkout.from, dirty, ['lib/**'], new Kept().keep, checkout);
    expect(refused).toEqual([{ path: 'lib', why: expect.stringContaining('not committed in it') }]);
    asAgent(folder, checkout)('-C', 'lib', 'commit', '-qam', 'by the agent');
    expect(await changed(workspace, checkout)).toEqual(['lib: 160000 → 160000']);
    const work = await checkout.capture();
    expect(await workspace.changes(checkout.from, work, 'changed', new Kept().keep, checkout)).toMatchObject({
      files: [],
      refused: [{ path: 'lib', why: expect.stringContaining('a git repository') }],
    });
    await checkout.release(true);
    const second = await checkOut(workspace, { attempt: 'two' });
    expect(filesBelow(second.root)).toEqual(before.files);
    expect({ git: folder.repositoryContents(), files: filesBelow(folder.root) }).toEqual(before);
  });

  it('come and go with the version that stands in a slot', async () => {
    await using folder = await withSubmodules();
    await using workspace = await folder.open();
    const { tree: withLibrary } = await workspace.snapshot([]);
    const kept = new Kept();
    const made = (path: string): Promise<string> => {
      const after = { blob: blob(path), mode: '100644' as const, content: kept.add(path) };
      return workspace.build(withLibrary, [{ path, after }], kept.copy);
    };
    const withFile = await made('lib');
    const withFolder = await made('lib/inner/file');
    for (const tree of [withLibrary, withFile, withLibrary, withFolder, withLibrary, withFile, withFolder]) {
      const checkout = await checkOut(workspace, { tree });
      expect((await checkout.capture()).tree).toBe(tree);
      const names = Object.keys(filesBelow(checkout.root)).filter((path) => path.startsWith('lib'));
      if (tree === withFile) expect(names).toEqual(['lib']);
      else if (tree === withFolder) expect(names).toEqual(['lib/inner/file']);
      else expect(names).toContain('lib/deep/f');
      await checkout.release(true);
    }
  });
});
