import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blob, filesBelow, Folder, Kept } from './folder.ts';
import { asAgent, changed, checkOut, put, round } from './round.ts';

async function sparse(...how: string[]): Promise<Folder> {
  const folder = await Folder.repository();
  for (const name of ['top', 'in/a', 'in/b', 'out/a', 'out/b', 'out/deep/c']) folder.write(name, 'one');
  folder.commitAll();
  folder.git('sparse-checkout', 'set', ...how, 'in');
  folder.write('in/a', 'two');
  folder.write('in/new', 'new');
  return folder;
}

describe('a sparse checkout', () => {
  it.each([{ how: ['--cone'] }, { how: ['--no-cone'] }, { how: ['--cone', '--sparse-index'] }])(
    'is as sparse in a work tree: $how',
    async ({ how }) => {
      await using folder = await sparse(...how);
      expect(existsSync(join(folder.root, 'out'))).toBe(false);
      await using workspace = await folder.open();
      const { tree } = await round(folder, workspace);
      expect((await workspace.files(tree)).get('out/deep/c')).toEqual({ blob: blob('one'), mode: '100644' });
      const checkout = await checkOut(workspace);
      expect(asAgent(folder, checkout)('status', '--porcelain')).toBe(' M in/a\n?? in/new');
      put(checkout.root, 'out/a', 'by the agent');
      put(checkout.root, 'out/made', 'by the agent');
      expect(await changed(workspace, checkout)).toEqual(['out/a: 100644 → 100644', 'out/made: - → 100644']);
    },
  );

  it('has what the user edited and what gates handed on wherever that is', async () => {
    await using folder = await sparse('--cone');
    folder.write('out/a', 'by the user');
    folder.write('out/untracked', 'by the user');
    await using workspace = await folder.open();
    const { tree: base } = await workspace.snapshot([]);
    const kept = new Kept();
    const tree = await workspace.build(
      base,
      [
        {
          path: 'out/deep/c',
          after: { blob: blob('handed on'), mode: '100755', content: kept.add('handed on') },
        },
      ],
      kept.copy,
    );
    const expected = { ...filesBelow(folder.root), 'out/deep/c': 'x handed on' };
    const first = await checkOut(workspace, { base, tree });
    expect(filesBelow(first.root)).toEqual(expected);
    expect((await first.capture()).tree).toBe(tree);
    rmSync(join(first.root, 'out/deep/c'));
    expect(await changed(workspace, first)).toEqual(['out/deep/c: 100755 → -']);
    await first.release(true);
    const second = await checkOut(workspace, { base, tree: base, attempt: 'two' });
    expect(filesBelow(second.root)).toEqual(filesBelow(folder.root));
    expect((await second.capture()).tree).toBe(base);
  });
});
