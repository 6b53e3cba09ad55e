import { describe, expect, it } from 'vitest';
import { IgnoredNames, createMatcher } from '../../src/workspace/globs.ts';
import { findPathProblem, isInnerLink } from '../../src/workspace/paths.ts';

describe('globs', () => {
  it.each<[globs: string[], matches: string[], others: string[]]>([
    [['src/**'], ['src/a', 'src/b/c', 'src/.x/y'], ['src2/a', 'a/src/b']],
    [['src'], ['src', 'src/a', 'src/b/c'], ['src2', 'a/src']],
    [['src/'], ['src/a', 'src/b/c'], ['src', 'src2/a']],
    [['./src//a.ts'], ['src/a.ts'], ['src/b.ts']],
    [['*.md'], ['a.md', '.b.md'], ['a/b.md', 'a.mdx']],
    [['**/*.md'], ['a.md', 'a/b.md', '.c/d.md', 'e\nf.md'], ['a.txt']],
    [['docs/*/'], ['docs/a/b', 'docs/a/b/c'], ['docs/a']],
    [
      ['**', '!**/*.log', 'keep.log'],
      ['a', 'keep.log'],
      ['b.log', 'c/keep.log'],
    ],
    [['a/{b,c}/?.[ch]'], ['a/b/x.c', 'a/c/y.h'], ['a/d/x.c', 'a/b/xy.c']],
    [
      ['a/b+(c|d)/*', '@(e|f).md'],
      ['a/bc/x', 'a/bdc/x', 'f.md'],
      ['a/b/x', 'e', 'g.md'],
    ],
    [['.'], ['a', 'b/c'], []],
    [['!a'], [], ['a', 'b']],
    [[], [], ['a']],
  ])('%j', (globs, matches, others) => {
    const matcher = createMatcher(globs);
    expect(matches.filter((path) => !matcher(path))).toEqual([]);
    expect(others.filter(matcher)).toEqual([]);
  });

  it.each(['', '!', '/etc/**', '../x', 'a/../b'])('%j is an error that says why', (glob) => {
    expect(() => createMatcher([glob])).toThrow(/^The glob .* (is empty|is absolute|has a `\.\.`)\.$/);
  });

  it.each<[globs: string[], entry: string, file: string, isNamed: boolean]>([
    [['dist/**'], 'dist', 'dist/a/b', true],
    [['dist'], 'dist', 'dist/a', true],
    [['dist/api/*.js'], 'dist', 'dist/api/a.js', true],
    [['dist/api/*.js'], 'dist', 'dist/a.js', false],
    [['.env'], '.env', '.env', true],
    [['docs/*.pdf'], 'docs/a.pdf', 'docs/a.pdf', true],
    [['packages/*/dist/**'], 'packages/a/dist', 'packages/a/dist/x', true],
    [['**/dist/**'], 'packages/a/dist', 'packages/a/dist/x', true],
    [['src/**'], 'src/__pycache__', 'src/__pycache__/a.pyc', false],
    [['**/*.js'], 'node_modules', 'node_modules/a/b.js', false],
    [['**', '*'], '.env', '.env', false],
    [['dist/**', '!dist/**/*.map'], 'dist', 'dist/a.map', false],
  ])('%j: the ignored entry %s makes %s part: %s', (globs, entry, file, isNamed) => {
    const names = new IgnoredNames(globs);
    names.select([entry]);
    expect(names.has(file)).toBe(isNamed);
  });
});

describe('paths', () => {
  it.each(['a', 'a/b.c', '.gitignore', '.github/x', 'git', 'a/.state/b', 'a\\b', 'l\nb', '~x', 'ü', '...'])(
    '%j is allowed',
    (path) => {
      expect(findPathProblem(path)).toBeUndefined();
    },
  );

  it.each([
    ['', '1 to 4096 characters'],
    ['a'.repeat(4_097), '1 to 4096 characters'],
    ['a\0b', 'NUL'],
    ...['/a', 'a//b', '../a', 'a/../b', './a', 'a/', 'a/.'].map((path) => [path, 'not a plain path']),
    ...[
      '.git',
      '.git/config',
      'a/.GIT/hooks/x',
      '.git./x',
      '.git /x',
      'GIT~1/x',
      '.g\u200cit/x',
      '.git::$INDEX_ALLOCATION/x',
    ].map((path) => [path, "git's own folder"]),
    ...['.state', '.state/log.jsonl'].map((path) => [path, '.state']),
  ])('%j is refused: %s', (path, problem) => {
    expect(findPathProblem(path)).toContain(problem);
  });

  it.each<[path: string, target: string, isInner: boolean]>([
    ['a', 'b', true],
    ['a/b', '../c', true],
    ['a/b', './', true],
    ['a', '.', true],
    ['a/b', '../..', false],
    ['a', '../x', false],
    ['a', '/etc/passwd', false],
    ['a/b', '../.git/config', false],
    ['a', '.state/log.jsonl', false],
    ['a/b', '../../r/a', false],
    ['a', 'd/up/..', false],
    ['a/b', '../d/../c', false],
  ])('a link at %s to %s stays in the folder: %s', (path, target, isInner) => {
    expect(isInnerLink(path, target)).toBe(isInner);
  });
});
