import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, repositoryFiles } from './repository-files.ts';

interface Package {
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

const { files, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Package;

/** Folders of src/ whose compiled form is not in the package: they are only in dist/. */
const leftOut = files.flatMap((pattern) => /^!build\/([\w/]+)$/.exec(pattern)?.[1] ?? []);
const sources = repositoryFiles().filter((path) => path.startsWith('src/') && path.endsWith('.ts'));
const shipped = sources.filter((path) => !leftOut.some((folder) => path.startsWith(`src/${folder}/`)));

/** What a file imports, types too: they stand in its `.d.ts`. Paths of the repository begin with `src/`. */
function importsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  const names = [
    ...text.matchAll(/^(?:import|export) [^;]*?from '([^']+)'/gm),
    ...text.matchAll(/^import '([^']+)'/gm),
    ...text.matchAll(/\bimport\(\s*'([^']+)'/g),
  ].map((match) => match[1]!);
  return names.map((name) => (name.startsWith('.') ? posix.join(dirname(path), name) : name));
}

/** `zod` of `zod/v4`, `@actions/expressions` of `@actions/expressions/ast`. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

describe('the package that library users install', () => {
  it('leaves out the action and its stores, which are bundled', () => {
    expect(leftOut.toSorted()).toEqual(['action', 'github', 'store/github']);
    expect(shipped).not.toEqual(sources);
    expect(files.filter((pattern) => pattern.startsWith('dist'))).toEqual(['dist/cli', 'dist/licenses.txt']);
  });

  it('imports nothing that is left out', () => {
    const imports = shipped.flatMap((path) => importsOf(path).map((name) => `${path}: ${name}`));
    const isLeftOut = (line: string) => leftOut.some((folder) => line.includes(`: src/${folder}/`));
    expect(imports.length).toBeGreaterThan(500);
    expect(imports.filter(isLeftOut)).toEqual([]);
  });

  it('installs every package that it imports, and none that it does not', () => {
    const names = shipped.flatMap(importsOf).filter((name) => !name.startsWith('node:') && !name.startsWith('src/'));
    const used = new Set(names.map(packageOf));
    // Asked for by @hyperjump/json-schema itself.
    used.add('@hyperjump/browser');
    expect([...used].toSorted()).toEqual(Object.keys(dependencies).toSorted());
  });

  it('brings none of the storage libraries with it', () => {
    expect(Object.keys(dependencies).filter((name) => /azure|@actions\/(?!expressions)/.test(name))).toEqual([]);
  });
});
