import { describe, expect, it } from 'vitest';
import { gateOf, gateSaid, pipelineOf, said } from './reading.ts';

/** What is said about `workspace` with these keys; without places. */
function workspaceSaid(keys: string): string[] {
  return said(`workspace: {${keys}}\ngates: {a: {}}`).map((line) => line.replace(/^1:\d+ /, ''));
}

describe('workspace at the top of the file', () => {
  it.each(['', 'workspace: {}\n'])('has a default for everything: %j', (text) => {
    expect(pipelineOf(`${text}gates: {a: {}}`).workspace).toEqual({
      link: 'dependencies',
      setup: undefined,
      shell: 'bash',
      maxUntracked: 100_000_000,
      trees: undefined,
    });
  });

  it('says what is linked, what sets a work tree up, and where it lies', () => {
    const text = `
defaults: {run: {shell: sh}}
workspace:
  link: [./vendor/**, .venv, '!vendor/tmp']
  setup: |
    npm ci
    npm run build
  max-untracked: 2GB
  trees: ~/trees
gates: {a: {shell: pwsh}}
`;
    expect(pipelineOf(text).workspace).toEqual({
      link: ['vendor/**', '.venv', '!vendor/tmp'],
      setup: 'npm ci\nnpm run build\n',
      shell: 'sh',
      maxUntracked: 2_000_000_000,
      trees: '~/trees',
    });
  });

  it.each([
    ['none', 'none'],
    ['dependencies', 'dependencies'],
  ])('link: %s', (written, link) => {
    expect(pipelineOf(`workspace: {link: ${written}}\ngates: {a: {}}`).workspace.link).toBe(link);
  });

  it.each([
    ['1', 1],
    ['1048576', 1_048_576],
    ['10KB', 10_000],
    ['250MB', 250_000_000],
    ['99999GB', 99_999_000_000_000],
    ['100000000000000', 10 ** 14],
  ])('reads max-untracked %s as bytes', (written, bytes) => {
    expect(pipelineOf(`workspace: {max-untracked: ${written}}\ngates: {a: {}}`).workspace.maxUntracked).toBe(bytes);
  });

  it.each([
    '/var/trees',
    '../trees',
    'a/../../trees',
    '..',
    '"~"',
    '~/a/b',
    '"C:\\\\trees"',
    '"\\\\\\\\host\\\\share"',
  ])('trees: %s is a path outside of the workspace', (path) => {
    expect(workspaceSaid(`trees: ${path}`)).toEqual([]);
  });

  it.each([
    ['trees: trees', 'PATH_INVALID workspace.trees: `trees` is inside the workspace; write a path outside'],
    ['trees: ./a/..', 'PATH_INVALID workspace.trees: `./a/..` is inside the workspace'],
    ['trees: .state/trees', 'PATH_INVALID workspace.trees: `.state/trees` is inside the workspace'],
    ['trees: ~bob/trees', "PATH_INVALID workspace.trees: `~bob/trees` is another user's home folder; write the whole"],
    ['trees: "file:///x"', 'PATH_INVALID workspace.trees: `file:///x` is an address, not a path'],
    ['trees: "..\\\\x"', 'PATH_INVALID workspace.trees: `..\\x` has a backslash; use `/`'],
    ['trees: ~', 'VALUE_INVALID workspace.trees: expected the path of a folder, found nothing; write a value'],
    [
      'link: all',
      'VALUE_INVALID workspace.link: expected `dependencies`, `none` or a list of globs, found the text "all"',
    ],
    [
      'link: []',
      'VALUE_INVALID workspace.link: expected `dependencies`, `none` or a list of globs, found an empty list',
    ],
    ['link: [/x]', 'GLOB_INVALID workspace.link: `/x` is an absolute path'],
    ['link: [a, ../x]', 'GLOB_INVALID workspace.link: `../x` leaves the workspace'],
    ['link: ["!a"]', 'GLOBS_ONLY_EXCLUDE workspace.link: every glob excludes'],
    ['link: [1]', 'VALUE_INVALID workspace.link: expected a glob such as `src/**/*.ts`, found the number 1'],
    ['setup: " "', 'VALUE_INVALID workspace.setup: expected a command'],
    ['setup: "x ${{ y }}"', 'EXPRESSION_NOT_ALLOWED workspace.setup: `${{ }}` is not evaluated here'],
    ['max-untracked: 0', 'VALUE_INVALID workspace.max-untracked: expected a whole number from 1 to 100000000000000'],
    ['max-untracked: 1.5', 'VALUE_INVALID workspace.max-untracked: expected a size such as `250MB`'],
    ['max-untracked: 1.5GB', 'VALUE_INVALID workspace.max-untracked: expected a size such as `250MB`'],
    ['max-untracked: 5TB', 'VALUE_INVALID workspace.max-untracked: expected a size such as `250MB`'],
    ['max-untracked: 0MB', 'VALUE_INVALID workspace.max-untracked: expected a size such as `250MB`'],
    ['max-untracked: 100000000000001', 'VALUE_INVALID workspace.max-untracked: expected a'],
    [
      'max-untracked: "100"',
      'VALUE_INVALID workspace.max-untracked: expected a size such as `250MB` or `2GB`, or a number of bytes, found the text "100"; remove the quotes',
    ],
    ['links: none', 'KEY_UNKNOWN workspace.links: there is no such key under `workspace`; did you mean `link`?'],
  ])('%s', (keys, expected) => {
    expect(workspaceSaid(keys)).toEqual([expect.stringContaining(expected)]);
  });

  it('is a map', () => {
    expect(said('workspace: in-place\ngates: {a: {}}')).toEqual([
      '1:12 VALUE_INVALID workspace: expected a map with keys such as `link` and `setup`, found the text "in-place"; write `tree` and `in-place` at a gate; here `workspace` is a map',
    ]);
  });

  it('has its keys at no other place', () => {
    expect(said('setup: npm ci\ngates: {a: {}}')).toEqual([
      '1:1 KEY_UNKNOWN setup: there is no such key; write it under `workspace`',
    ]);
  });
});

describe('workspace at a gate', () => {
  it.each(['tree', 'in-place'])('is %s', (where) => {
    expect(gateOf(`gates: {a: {workspace: ${where}}}`).workspace).toBe(where);
  });

  it.each([
    ['workspace: inplace', 'VALUE_INVALID workspace: expected `tree` or `in-place`, found the text "inplace"'],
    [
      'workspace: {link: none}',
      'VALUE_INVALID workspace: expected `tree` or `in-place`, found a map; settings of all work trees belong at the top of the file, under `workspace`',
    ],
    ['in-place: true', 'KEY_UNKNOWN in-place: there is no such key under `gates.a`; write `workspace: in-place`'],
  ])('%s', (keys, expected) => {
    expect(gateSaid(keys)).toEqual([expected]);
  });
});
