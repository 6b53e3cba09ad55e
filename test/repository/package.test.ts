import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, repositoryFiles } from './repository-files.ts';

interface Package {
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const { files, dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
) as Package;

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

/** Packages that files import, without those of Node. */
function packagesOf(paths: readonly string[]): Set<string> {
  const names = paths.flatMap(importsOf).filter((name) => !name.startsWith('node:') && !name.startsWith('src/'));
  return new Set(names.map(packageOf));
}

/** Paths of the files that npm would put into the package. */
function packed(): string[] {
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', shell: command.endsWith('.cmd') });
  const answer = JSON.parse(stdout || `"${stderr}"`) as { files: { path: string }[] }[];
  return Object.values(answer)[0]!.files.map(({ path }) => path);
}

describe('the package that library users install', () => {
  it('leaves out the action and its stores, which are bundled', () => {
    expect(leftOut.toSorted()).toEqual(['action', 'github', 'store/github']);
    expect(shipped).not.toEqual(sources);
    expect(files.filter((pattern) => pattern.startsWith('dist'))).toEqual(['dist']);
  });

  it('has the files of dist/ that the command line loads, now or later, and no other programs', () => {
    const dist = packed().flatMap((path) => /^dist\/(.+)$/.exec(path)?.[1] ?? []);
    const programs = ['cli/index.js', 'gateline.js', 'licenses.txt', 'package.json'];
    const chunks = dist.filter((path) => !programs.includes(path));
    expect(dist).toEqual(expect.arrayContaining(programs));
    expect(chunks.filter((path) => !/^\d+\.gateline\.js$/.test(path))).toEqual([]);
    const loads = (path: string): string[] => {
      const text = readFileSync(join(ROOT, 'dist', path), 'utf8');
      return [...text.matchAll(/\b\w+\.e\((\d+)\)/g)].map((match) => `${match[1]!}.gateline.js`);
    };
    expect(chunks.flatMap(loads).filter((path) => !dist.includes(path))).toEqual([]);
    const text = chunks.map((path) => readFileSync(join(ROOT, 'dist', path), 'utf8')).join('');
    expect(text).toContain('MATRIX_INVALID');
    expect(text).not.toMatch(/undici|BlobServiceClient|octokit/i);

    const folder = mkdtempSync(join(tmpdir(), 'gateline-package-'));
    try {
      for (const path of dist) cpSync(join(ROOT, 'dist', path), join(folder, path));
      const { stdout } = spawnSync(process.execPath, [join(folder, 'cli/index.js'), 'help'], { encoding: 'utf8' });
      expect(stdout).toContain('gateline run');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('imports nothing that is left out', () => {
    const imports = shipped.flatMap((path) => importsOf(path).map((name) => `${path}: ${name}`));
    const isLeftOut = (line: string) => leftOut.some((folder) => line.includes(`: src/${folder}/`));
    expect(imports.length).toBeGreaterThan(500);
    expect(imports.filter(isLeftOut)).toEqual([]);
  });

  it('installs every package that it imports, and none that it does not', () => {
    const used = packagesOf(shipped.filter((path) => !path.startsWith('src/langgraph/')));
    // Asked for by @hyperjump/json-schema itself.
    used.add('@hyperjump/browser');
    // Not imported yet.
    for (const name of ['ajv', 'ajv-formats', 'commander']) used.add(name);
    expect([...used].toSorted()).toEqual(Object.keys(dependencies).toSorted());
  });

  it('leaves LangGraph to its users: optional peers of one room, and nothing of it in dist/', () => {
    const own = packagesOf(shipped.filter((path) => path.startsWith('src/langgraph/')));
    const peers = Object.keys(peerDependencies);
    expect([...own].filter((name) => !Object.hasOwn(dependencies, name)).toSorted()).toEqual(peers.toSorted());
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(peers.map((name) => [name, { optional: true }])));
    const built = readdirSync(join(ROOT, 'dist'), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const texts = built.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect(texts.filter((text) => /@langchain/.test(text))).toEqual([]);
  });

  it('brings none of the storage libraries with it', () => {
    expect(Object.keys(dependencies).filter((name) => /azure|@actions\/(?!expressions)/.test(name))).toEqual([]);
  });
});
