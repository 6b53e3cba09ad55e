import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileAndFolder, overlay, sameFile, type Tree } from '../../../src/run/files/tree.ts';

const fileOf = (blob: string, mode = '100644') => ({ blob, mode });
const treeOf = (files: Readonly<Record<string, string>>): Tree =>
  new Map(Object.entries(files).map(([path, blob]) => [path, fileOf(blob)]));
const change = (path: string, after: string | null) => ({
  path,
  after: after === null ? null : { ...fileOf(after), mode: '100644' as const },
});
const laid = (tree: Readonly<Record<string, string>>, ...changes: ReturnType<typeof change>[]) =>
  Object.fromEntries([...overlay(treeOf(tree), changes)].map(([path, { blob }]) => [path, blob]));

describe('a tree with changes laid over it', () => {
  it('has what they write, not what they delete, and everything else', () => {
    const tree = { same: '1', edited: '1', deleted: '1' };
    const changes = [change('edited', '2'), change('deleted', null), change('new/file', '3'), change('never', null)];
    expect(laid(tree, ...changes)).toEqual({ same: '1', edited: '2', 'new/file': '3' });
    expect(laid(tree)).toEqual(tree);
    expect([...overlay(new Map(), [{ path: 'tool', after: { blob: '1', mode: '100755' } }])]).toEqual([
      ['tool', { blob: '1', mode: '100755' }],
    ]);
  });

  it('has a file in the place of a folder, and a folder in the place of a file', () => {
    expect(laid({ 'd/a': '1', 'd/e/b': '1', dd: '1' }, change('d', '2'))).toEqual({ d: '2', dd: '1' });
    expect(laid({ d: '1', e: '1' }, change('d/a/b', '2'))).toEqual({ 'd/a/b': '2', e: '1' });
    expect(
      laid({ 'd/a': '1', f: '1' }, change('d/a', null), change('d', '2'), change('f', null), change('f/x', '2')),
    ).toEqual({
      d: '2',
      'f/x': '2',
    });
    // What is deleted makes room for nothing.
    expect(laid({ 'd/a': '1' }, change('d', null))).toEqual({ 'd/a': '1' });
  });

  it('leaves the tree alone that it began with', () => {
    const tree = treeOf({ a: '1' });
    expect(overlay(tree, [])).not.toBe(tree);
    overlay(tree, [change('a', null)]);
    expect([...tree.keys()]).toEqual(['a']);
  });

  it('is always a tree that could lie on a disk', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 3 })
      .map((names) => names.join('/'));
    const files = (paths: readonly string[]): string[] =>
      paths.filter((one) => fileAndFolder([...paths]).every(([file]) => file !== one));
    fc.assert(
      fc.property(fc.uniqueArray(path), fc.uniqueArray(path), fc.uniqueArray(path), (before, written, deleted) => {
        const kept = files(written);
        const gone = deleted.filter((one) => !kept.includes(one));
        const tree = treeOf(Object.fromEntries(files(before).map((one) => [one, '1'])));
        const result = overlay(tree, [...kept.map((one) => change(one, '2')), ...gone.map((one) => change(one, null))]);
        expect(fileAndFolder(result.keys())).toEqual([]);
        for (const one of kept) expect(result.get(one)?.blob).toBe('2');
        for (const one of gone) expect(result.has(one)).toBe(false);
        for (const [one, file] of tree) {
          const isInTheWay = kept.some((other) => one.startsWith(`${other}/`) || other.startsWith(`${one}/`));
          if (!kept.includes(one) && !gone.includes(one))
            expect(result.get(one)).toEqual(isInTheWay ? undefined : file);
        }
      }),
    );
  });
});

describe('a file where another path needs a folder', () => {
  it('is named with that path, however deep it lies', () => {
    expect(fileAndFolder(['a', 'a/b', 'ab', 'b/c'])).toEqual([['a', 'a/b']]);
    expect(fileAndFolder(['a/b/c', 'a', 'a/b'])).toEqual([
      ['a', 'a/b/c'],
      ['a/b', 'a/b/c'],
      ['a', 'a/b'],
    ]);
    expect(fileAndFolder([])).toEqual([]);
  });
});

describe('one file', () => {
  it('is the same by content and mode', () => {
    expect(sameFile(fileOf('1'), fileOf('1'))).toBe(true);
    expect(sameFile(fileOf('1'), fileOf('2'))).toBe(false);
    expect(sameFile(fileOf('1'), fileOf('1', '100755'))).toBe(false);
    expect(sameFile(null, null)).toBe(true);
    expect(sameFile(fileOf('1'), null)).toBe(false);
  });
});
