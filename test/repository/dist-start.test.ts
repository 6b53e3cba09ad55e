import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from './repository-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateline-start-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOOKS = pathToFileURL(join(import.meta.dirname, 'fixtures', 'tell-loaded.mjs')).href;

/** Starts a program of dist/; what it printed, and the modules that it loaded: files of dist/, and names of Node's own. */
function start(program: string, env: Readonly<Record<string, string>>) {
  const args = ['--import', HOOKS, join(ROOT, 'dist', program)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, cwd: folder, encoding: 'utf8' });
  const urls = stderr.split('\n');
  return {
    stdout,
    files: urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url)),
    own: urls.filter((url) => url.startsWith('node:')),
  };
}

/** What every step loads, whatever its command: this one is refused when its inputs were read. */
function startStep(inputs: Readonly<Record<string, string>> = {}) {
  const [output, state] = ['output', 'state'].map((name) => join(folder, name));
  for (const path of [output!, state!]) writeFileSync(path, '');
  const given = { INPUT_COMMAND: 'plan', INPUT_HISTORY: 'x', ...inputs };
  return start('index.js', { GITHUB_OUTPUT: output!, GITHUB_STATE: state!, ...given });
}

describe('a step of the action, before its command is loaded', () => {
  it('loads no HTTP library: an import of src/ that brings one in costs every step 40 ms', () => {
    const { stdout, files, own } = startStep();
    expect(stdout).toContain('history');
    expect(files.map((path) => basename(path))).toEqual(expect.arrayContaining(['index.js', 'gateline.js']));
    const heavy = files.filter((path) => /undici|tunnel|OidcClient/i.test(readFileSync(path, 'utf8')));
    expect(heavy).toEqual([]);
    expect(own.filter((name) => /^node:(?:_?https?|tls|net|http2)/.test(name))).toEqual([]);
  });

  it('loads no YAML library, unless an input may hold YAML', () => {
    const holdsYaml = (path: string): boolean => readFileSync(path, 'utf8').includes('BLOCK_AS_IMPLICIT_KEY');
    expect(startStep().files.filter(holdsYaml)).toEqual([]);
    expect(startStep({ INPUT_SCHEMA: 'schema.json', INPUT_TOOLS: 'node' }).files.filter(holdsYaml)).toEqual([]);
    expect(startStep({ INPUT_WITH: 'model: large' }).files.filter(holdsYaml)).not.toEqual([]);
  });

  it('reports by the toolkit', () => {
    const { stdout, files } = startStep();
    expect(stdout).toMatch(/^::error title=/m);
    expect(files.some((path) => readFileSync(path, 'utf8').includes('ghadelimiter_'))).toBe(true);
  });
});

describe('the help of the command line', () => {
  it('loads neither the library that checks schemas nor YAML', () => {
    const { stdout, files } = start('cli/index.js', {});
    expect(stdout).toContain('gateline');
    expect(files.length).toBeGreaterThan(1);
    const heavy = files.filter((path) => /_zod|BLOCK_AS_IMPLICIT_KEY/.test(readFileSync(path, 'utf8')));
    expect(heavy.map((path) => basename(path))).toEqual([]);
  });
});
