import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { git, ROOT } from '../scripts/run.ts';
import { VERSION } from '../src/version.ts';

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const exists = (path: string): boolean => existsSync(join(ROOT, path));
const manifest = JSON.parse(read('package.json')) as Manifest;
/** Made by commands, and in no clone. */
const MADE = ['build', 'CHANGELOG.md'];

describe.each(['AGENTS.md', 'CONTRIBUTING.md', '.changeset/README.md'])('%s', (file) => {
  const text = read(file);

  it('names only files, folders and scripts that exist', () => {
    // Names of packages and absolute paths are none of ours.
    const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
    const paths = spans.filter((span) => /^\.?\w[\w.-]*(?:\/|\.(?:ts|mjs|md|json|yml)$)[\w./-]*$/.test(span));
    const programs = [...text.matchAll(/\bnode ((?:scripts|src|bench)\/[\w./-]+)/g)].map(([, path]) => path!);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => join(file, '..', path!));
    const isOurs = (path: string): boolean =>
      !['gateline/langgraph', 'gateline.yml'].includes(path) && !MADE.includes(path.replace(/\/$/, ''));
    const scripts = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name!);
    const absent = [...paths, ...programs, ...links].filter((path) => isOurs(path) && !exists(path));
    expect([...absent, ...scripts.filter((name) => !(name in manifest.scripts))]).toEqual([]);
    expect(paths.length + links.length + scripts.length).toBeGreaterThan(0);
  });
});

it('AGENTS.md has a row for each room of src/, and at most 80 lines', () => {
  const rooms = git(ROOT, 'ls-files', 'src').match(/^src\/\w+(?=\/)/gm)!;
  expect([...new Set(rooms)].filter((room) => !read('AGENTS.md').includes(`| \`${room}/\``))).toEqual([]);
  expect(read('AGENTS.md').split('\n').length).toBeLessThanOrEqual(81);
});

it('docs/dependencies.md has one row for each package of package.json', () => {
  const rows = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| \S/gm)].map(([, name]) => name!);
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(rows.toSorted()).toEqual(packages.toSorted());
});

describe('the package', () => {
  it('has the version that the programs print', () => {
    expect(VERSION).toBe(manifest.version);
  });

  it('contains files that exist, or that the compiler makes of a source', () => {
    const targets = Object.values(manifest.exports).flatMap((value) =>
      typeof value === 'string' ? value : Object.values(value),
    );
    const sources = [...targets, ...Object.values(manifest.bin)].map((path) =>
      path.replace(/^\.\/build\/(.*?)(?:\.d\.ts|\.js)$/, 'src/$1.ts'),
    );
    const listed = manifest.files.filter((path) => !MADE.includes(path) && !path.startsWith('!build/'));
    const left = manifest.files.flatMap((path) => /^!build\/(.*)$/.exec(path)?.[1] ?? []).map((path) => `src/${path}`);
    expect([...sources, ...listed, ...left].filter((path) => !exists(path))).toEqual([]);
    expect(listed).toEqual(expect.arrayContaining(['dist', 'templates']));
  });
});

describe('scripts/release.ts', () => {
  const place = mkdtempSync(join(tmpdir(), 'gateline-release-'));
  afterAll(() => rmSync(place, { recursive: true }));
  const [clone, remote] = [join(place, 'clone'), join(place, 'remote')] as const;
  git(place, 'init', '--quiet', '--bare', remote);
  git(place, 'init', '--quiet', clone);
  for (const [key, value] of ['user.name=a', 'user.email=a@b', 'commit.gpgSign=false', 'tag.gpgSign=false'].map(
    (text) => text.split('='),
  ))
    git(clone, 'config', key!, value!);

  const tag = (version: string, ...options: readonly string[]): string => {
    writeFileSync(join(clone, 'package.json'), JSON.stringify({ version }));
    git(clone, 'add', '.');
    git(clone, 'commit', '--quiet', '-m', version);
    git(clone, 'tag', ...options, `v${version}`);
    git(clone, 'push', '--quiet', remote, `v${version}`);
    return git(clone, 'rev-parse', 'HEAD').trim();
  };
  const release = (...words: readonly string[]) => {
    const args = [join(ROOT, 'scripts/release.ts'), ...words];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { status, stdout: stdout.trim(), stderr };
  };
  const major = (): string => git(place, '--git-dir', remote, 'rev-parse', 'refs/tags/v1^{commit}').trim();

  it('refuses a tag that is not the version of package.json', () => {
    tag('1.0.0');
    expect(release('check', 'v1.0.0', clone)).toMatchObject({ status: 0 });
    const stderr = expect.stringContaining('v1.0.1 is not v1.0.0, the version of package.json') as string;
    expect(release('check', 'v1.0.1', clone)).toMatchObject({ status: 1, stderr });
  });

  it('moves v1 to a newer release, and never back or to a prerelease', () => {
    const move = (name: string): string => release('move', name, clone, remote).stdout;
    expect([move('v1.0.0'), move('v1.0.0')]).toEqual(['v1 is at v1.0.0 now.', 'v1 is at v1.0.0 already.']);
    const newest = tag('1.10.0', '--annotate', '--message', 'x');
    expect([move('v1.10.0'), major()]).toEqual(['v1 is at v1.10.0 now.', newest]);
    tag('1.9.0');
    tag('1.11.0-beta.1');
    expect(move('v1.9.0')).toBe('v1.10.0 is newer than v1.9.0: v1 does not move.');
    expect(move('v1.11.0-beta.1')).toBe('v1.11.0-beta.1 is a prerelease: no tag moves.');
    expect(major()).toBe(newest);
    expect(release('move', 'v1.12.0', clone, remote)).toMatchObject({ status: 1 });
  });
});
