import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../src/run/record.ts';
import { unwind, type Tree } from '../../src/run/tree.ts';

const fileOf = (blob: string) => ({ blob, mode: '100644' }) as const;
const treeOf = (files: Readonly<Record<string, string>>): Tree =>
  new Map(Object.entries(files).map(([path, blob]) => [path, fileOf(blob)]));
const change = (path: string, before: string | null, after: string | null): FileChange => ({
  path,
  before: before === null ? null : fileOf(before),
  after: after === null ? null : fileOf(after),
});
const always = (): boolean => true;

describe('a tree without what gates that are not upstream left', () => {
  it('goes back over the edits of several such gates', () => {
    const left = [change('a', '2', '3'), change('a', '1', '2')];
    expect(unwind(treeOf({ a: '3' }), left, [], always)).toEqual(treeOf({ a: '1' }));
  });

  it('keeps a file that somebody changed since', () => {
    expect(unwind(treeOf({ a: 'edited' }), [change('a', '1', '2')], [], always)).toEqual(treeOf({ a: 'edited' }));
  });

  it('stops where a file stands as a gate upstream left it', () => {
    const left = [change('a', '2', '3'), change('a', '1', '2')];
    expect(unwind(treeOf({ a: '3' }), left, [change('a', '1', '2')], always)).toEqual(treeOf({ a: '2' }));
  });

  it('has files that such a gate deleted, and not those that it made', () => {
    const left = [change('made', null, '1'), change('deleted', '1', null)];
    expect(unwind(treeOf({ made: '1' }), left, [], always)).toEqual(treeOf({ deleted: '1' }));
    expect(unwind(treeOf({ made: '1' }), left, [], (path) => path === 'made')).toEqual(treeOf({}));
  });

  it('goes back to where it began when two gates undo each other’s edits', () => {
    const left = [change('a', '2', '1'), change('a', '1', '2')];
    expect(unwind(treeOf({ a: '1' }), left, [], always)).toEqual(treeOf({ a: '1' }));
  });
});
