import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './repository-files.ts';

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Record<string, string>;
  readonly hasInstallScript?: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Record<string, Package> };
const installed = Object.entries(packages).filter(([path]) => path !== '');
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const names = new Set(installed.map(([path]) => nameOf(path)));

describe('package-lock.json', () => {
  it('names no registry, so that npm takes the one that is configured', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('has a digest for every package', () => {
    expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  });

  it('has the native packages of every platform: without one, `npm ci` refuses everywhere', () => {
    const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies).filter((name) => !names.has(name)),
    );
    expect(missing).toEqual([]);
  });

  it('has one undici for all clients of GitHub, so that dist/ has one', () => {
    const users = ['@actions/github', '@actions/http-client'].map((name) => `node_modules/${name}/node_modules/undici`);
    expect(installed.map(([path]) => path).filter((path) => users.includes(path))).toEqual([]);
    expect(packages['node_modules/undici']!.version).toMatch(/^6\./);
  });

  it('lets only reviewed packages run install scripts', () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
    const unreviewed = scripted.map(([path]) => nameOf(path)).filter((name) => allowScripts[name] === undefined);
    expect(unreviewed).toEqual([]);
  });
});

describe('the dependencies', () => {
  const { dependencies, devDependencies } = read('package.json') as Record<string, Record<string, string>>;
  const used = Object.keys({ ...dependencies, ...devDependencies }).toSorted();
  const page = readFileSync(join(ROOT, 'docs', 'dependencies.md'), 'utf8');

  it('are explained in docs/dependencies.md, each of them and no other', () => {
    const explained = [...page.matchAll(/^\| `([^`]+)` +\|/gm)].map((match) => match[1]!);
    expect(explained.toSorted()).toEqual(used);
  });

  it('have exact versions', () => {
    const versions = Object.entries({ ...dependencies, ...devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});
