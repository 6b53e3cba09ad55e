import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, repositoryFiles } from './repository-files.ts';

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = /^(?:utils?|helpers?|common|misc|managers?)(?:\.|$)|[-_.](?:utils?|helpers?|manager)(?:\.|$)/i;

/** Places that only exist where this repository happened to be written. */
const FOREIGN_PLACES = [/(?<![\w.~-])\/work\//, new RegExp(String.raw`\.\./` + 'shared')];

/** Written by tools, from sources elsewhere. */
const GENERATED = /^(?:dist\/|package-lock\.json$)/;

/** An interface, class or type alias of a module. */
const TYPE_DECLARATION = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;

describe('the repository', () => {
  it('has no file or folder with a name that says nothing', () => {
    const parts = (path: string) => path.split('/');
    expect(repositoryFiles().filter((path) => parts(path).some((part) => EMPTY_NAMES.test(part)))).toEqual([]);
  });

  it('would see such a name', () => {
    const names = ['utils', 'helper.ts', 'common', 'state-manager.ts', 'misc', 'test-utils', 'Helpers'];
    expect(names.filter((name) => !EMPTY_NAMES.test(name))).toEqual([]);
  });

  it('names no place outside itself', () => {
    const found = repositoryFiles()
      .filter((path) => !GENERATED.test(path))
      .flatMap((path) => {
        const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
        return lines.flatMap((line, index) =>
          FOREIGN_PLACES.some((place) => place.test(line)) ? [`${path}:${index + 1}`] : [],
        );
      });
    expect(found).toEqual([]);
  });

  it('takes no address of a file for its path: a folder may be called %20', () => {
    const code = repositoryFiles().filter((path) => /\.(?:ts|mjs)$/.test(path) && !GENERATED.test(path));
    const wrong = /import\.meta\.url\)\.pathname|_FILE\.pathname/;
    expect(wrong.test("new URL('x', import.meta.url).pathname")).toBe(true);
    const found = code.filter((path) => wrong.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(found.filter((path) => path !== 'test/repository/names.test.ts')).toEqual([]);
  });

  it('has no source of more than 300 lines', () => {
    const sources = repositoryFiles().filter((path) => path.startsWith('src/') && path.endsWith('.ts'));
    expect(sources.length).toBeGreaterThan(0);
    const lines = (path: string) => readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1;
    expect(sources.filter((path) => lines(path) > 300)).toEqual([]);
  });

  it('has no folder of more than 15 sources', () => {
    const sources = repositoryFiles().filter((path) => /^src\/.*\.ts$/.test(path));
    const folders = Map.groupBy(sources, (path) => posix.dirname(path));
    expect([...folders].filter(([, files]) => files.length > 15).map(([folder]) => folder)).toEqual([]);
  });

  it('has no two types of one name in its sources, exported or not', () => {
    const found = new Map<string, string[]>();
    for (const path of repositoryFiles().filter((one) => one.startsWith('src/') && one.endsWith('.ts')))
      for (const [, name = ''] of readFileSync(join(ROOT, path), 'utf8').matchAll(TYPE_DECLARATION))
        found.set(name, [...(found.get(name) ?? []), path]);
    expect(found.size).toBeGreaterThan(0);
    expect([...found].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });
});
