import { describe, expect, it } from 'vitest';
import { pathsNotDelivered, pathsWithUnseen, quotedPath } from '../../../src/run/files/delivered-paths.ts';

describe('a path that something would run by itself', () => {
  it.each([
    '.github/workflows/evil.yml',
    '.GitHub/workflows/evil.yml',
    '.ｇithub/workflows/evil.yml',
    'sub/.github/dependabot.yml',
    '.husky/pre-commit',
    'app/.husky/pre-push',
    '.githooks/pre-push',
    '.git-hooks/pre-push',
    '.pre-commit-config.yaml',
    'lefthook.yml',
    '.lefthook.yaml',
    '.gitmodules',
  ])('%s is delivered only if it is allowed by its exact name', (path) => {
    expect(pathsNotDelivered(['a.txt', path], [])).toEqual([path]);
    expect(pathsNotDelivered([path], ['.github', '.github/', '*', path.toUpperCase()])).toEqual([path]);
    expect(pathsNotDelivered([path], [path])).toEqual([]);
  });

  it.each(['a.txt', 'github/workflows/a.yml', 'docs/.github.md', 'husky/a', 'lefthook.ts'])(
    '%s is delivered',
    (path) => {
      expect(pathsNotDelivered([path], [])).toEqual([]);
    },
  );
});

describe('a path with characters that cannot be seen', () => {
  it.each([
    ['a\nb', '"a\\nb"'],
    ['a\rb', '"a\\rb"'],
    ['a\u001b[2Jb', '"a\\u001b[2Jb"'],
    ['a\u009bb', '"a\\u009bb"'],
    ['a\u2028b', '"a\\u2028b"'],
    ['invoice\u202etxt.sh', '"invoice\\u202etxt.sh"'],
  ])('%j is delivered only if it is allowed by its exact name', (path, shown) => {
    expect(pathsWithUnseen(['a.txt', 'ä/日本.md', 'a b', path], [])).toEqual([path]);
    expect(pathsWithUnseen([path], [path])).toEqual([]);
    expect(quotedPath(path)).toBe(shown);
  });
});
