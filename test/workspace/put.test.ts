import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../src/run/records/record.ts';
import type { Put, Workspace } from '../../src/workspace/workspace.ts';
import { blob, filesBelow, Folder, Kept } from './folder.ts';

const kept = new Kept();

function state(text: string, mode: '100644' | '100755' = '100644'): NonNullable<FileChange['after']> {
  return { blob: blob(text), mode, content: kept.add(text) };
}

function change(path: string, before: string | null, after: string | null): FileChange {
  return { path, before: before === null ? null : state(before), after: after === null ? null : state(after) };
}

/** Puts as `gateline apply` does. */
async function apply(
  folder: Folder,
  workspace: Workspace,
  changes: readonly FileChange[],
  dryRun = false,
): Promise<Put[]> {
  const { tree } = await workspace.snapshot([]);
  const wanted = changes.map(({ path, before, after }) => ({ path, after, over: [before] }));
  const { puts } = await workspace.put(wanted, tree, {
    saved: folder.beside('saved'),
    dryRun,
    copy: kept.copy,
    reason: { what: 'apply', pipeline: 'p', subject: 's', runNumber: 1, at: '2030-01-01T12:00:00.000Z' },
  });
  return [...puts];
}

const brief = (puts: readonly Put[]): string[] => puts.map(({ path, action }) => `${path}: ${action}`);

async function ordinary(): Promise<Folder> {
  const folder = await Folder.repository();
  for (const name of ['edit', 'delete', 'done', 'tool', 'dir/a']) folder.write(name, 'one');
  folder.commitAll();
  folder.write('done', 'two');
  return folder;
}

describe('files that are put into the folder', () => {
  it('stand as they were handed on; those that stand so already are left alone', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const changes: FileChange[] = [
      change('edit', 'one', 'two'),
      change('delete', 'one', null),
      change('done', 'one', 'two'),
      change('new/deep/file', null, ''),
      { path: 'tool', before: state('one'), after: state('one', '100755') },
      change('never', 'x', null),
    ];
    const inode = lstatSync(join(folder.root, 'done')).ino;
    const expected = [
      'edit: written',
      'delete: deleted',
      'done: unchanged',
      'new/deep/file: written',
      'tool: written',
      'never: unchanged',
    ];
    const before = filesBelow(folder.root);
    expect(brief(await apply(folder, workspace, changes, true))).toEqual(expected);
    expect(filesBelow(folder.root)).toEqual(before);
    expect(brief(await apply(folder, workspace, changes))).toEqual(expected);
    expect(filesBelow(folder.root)).toEqual({
      'dir/a': 'one',
      done: 'two',
      edit: 'two',
      'new/deep/file': '',
      tool: 'x one',
    });
    expect(lstatSync(join(folder.root, 'done')).ino).toBe(inode);
    expect(new Set((await apply(folder, workspace, changes)).map(({ action }) => action))).toEqual(
      new Set(['unchanged']),
    );
    expect(readdirSync(folder.beside('saved/files')).toSorted()).toEqual(['delete', 'edit', 'tool']);
    expect(filesBelow(folder.beside('saved/files'))).toEqual({ delete: 'one', edit: 'one', tool: 'one' });
  });

  it('are conflicts where somebody changed them since, or where something else stands there', async () => {
    await using folder = await ordinary();
    folder.write('edit', 'by the user');
    folder.write('delete', 'by the user');
    folder.write('appeared', 'by the user');
    rmSync(join(folder.root, 'tool'));
    mkdirSync(folder.beside('outside'));
    symlinkSync(folder.beside('outside'), join(folder.root, 'link'));
    folder.write('.gitignore', 'ignored/\n');
    folder.write('ignored/below', 'x');
    const before = filesBelow(folder.root);
    await using workspace = await folder.open();
    const puts = await apply(folder, workspace, [
      change('edit', 'one', 'two'),
      change('delete', 'one', null),
      change('appeared', null, 'two'),
      change('tool', 'one', 'two'),
      change('link/through', null, 'two'),
      change('ignored', null, 'two'),
      { path: '../outside/f', before: null, after: state('two') },
      { path: '.git/hooks/pre-commit', before: null, after: state('two') },
    ]);
    expect(
      puts.every(({ action, why }) => action === 'conflict' && why !== undefined),
      JSON.stringify(puts),
    ).toBe(true);
    expect(filesBelow(folder.root)).toEqual(before);
    expect(readdirSync(folder.beside('outside'))).toEqual([]);
  });

  it('take the place of a folder, and the other way round', async () => {
    await using folder = await ordinary();
    await using workspace = await folder.open();
    const puts = await apply(folder, workspace, [
      change('dir', null, 'a file'),
      change('dir/a', 'one', null),
      change('edit', 'one', null),
      change('edit/x', null, 'x'),
    ]);
    expect(brief(puts)).toEqual(['dir: written', 'dir/a: deleted', 'edit: deleted', 'edit/x: written']);
    expect(filesBelow(folder.root)).toMatchObject({ dir: 'a file', 'edit/x': 'x' });
  });

  it('have line endings and filters as in a checkout, and rights as the file had', async () => {
    await using folder = await ordinary();
    folder.git('config', 'core.autocrlf', 'true');
    folder.write('edit', 'one\r\n', 0o600);
    folder.commitAll();
    await using workspace = await folder.open({}, 'dir');
    await using top = await folder.open();
    expect(brief(await apply(folder, top, [change('edit', 'one\n', 'two\n')]))).toEqual(['edit: written']);
    expect(folder.read('edit')).toBe('two\r\n');
    expect(lstatSync(join(folder.root, 'edit')).mode & 0o777).toBe(0o600);
    expect(brief(await apply(folder, workspace, [change('a', 'one', 'two\n'), change('b', null, 'b')]))).toEqual([
      'a: written',
      'b: written',
    ]);
    expect(folder.read('dir/a')).toBe('two\r\n');
  });
});
