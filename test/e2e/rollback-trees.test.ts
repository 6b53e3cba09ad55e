import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateline } from '../cli/in-process.ts';
import { plainEnvironment, REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { bySize, spread } from '../support/test-size.ts';

const LONG = { timeout: 3_600_000 };

/** What an agent does to a tree: edits, deletes, adds, changes modes, and swaps files and folders. */
const AGENT = `
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\\0').filter((path) => path !== '');
const links = tracked.filter((path) => lstatSync(path).isSymbolicLink());
const files = tracked.filter((path) => lstatSync(path).isFile() && !/^(?:gateline\\.yml|\\.git.*)$/.test(path));
const top = (path) => path.split('/')[0];
const folder = files.filter((path) => path.includes('/')).map(top).find((name) => !links.some((link) => top(link) === name));
files.forEach((path, index) => {
  if (top(path) === folder) return;
  if (index % 6 === 0) appendFileSync(path, 'appended\\n');
  if (index % 6 === 1) rmSync(path);
  if (index % 6 === 2) chmodSync(path, (lstatSync(path).mode & 0o777) ^ 0o111);
  if (index % 6 === 3) writeFileSync(path, Buffer.from([0, 255, 13, 10, index % 256]));
  if (index % 6 === 4) { rmSync(path); mkdirSync(path); writeFileSync(path + '/inside', 'a folder now'); }
});
if (folder !== undefined) { rmSync(folder, { recursive: true }); writeFileSync(folder, 'a file now'); }
mkdirSync('new/dé ep', { recursive: true });
writeFileSync('new/dé ep/ünï – "quoted".txt', 'new');
writeFileSync('ignored/made', 'made');
writeFileSync(process.env.GATELINE_OUTPUT, '1');
`;

/** Everything in a folder but `.git` and `.state`: kind, mode and content of each entry. */
function everythingIn(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    if (path === '.git' || path === '.state') continue;
    const place = join(folder, path);
    const stats = lstatSync(place);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) Object.assign(found, everythingIn(folder, path));
    else if (stats.isSymbolicLink()) found[path] = `link to ${readlinkSync(place)}`;
    else found[path] = `${mode} ${createHash('sha256').update(readFileSync(place)).digest('hex')}`;
  }
  return found;
}

/** Packages that are installed here, as trees that other people wrote. */
const PACKAGES = [
  'ajv',
  'yaml',
  'zod',
  'fast-check',
  'picomatch',
  'semver',
  'undici',
  'magic-string',
  'pathe',
  'chai',
  'debug',
  'ms',
  'tinyrainbow',
  'acorn',
  'chokidar',
  'fast-uri',
  'json-schema-traverse',
  'readdirp',
  'braces',
  'micromatch',
  'fill-range',
  'is-number',
  'to-regex-range',
  'glob-parent',
  'reusify',
  'fastq',
  'merge2',
  'run-parallel',
  'queue-microtask',
  'human-id',
].filter((name) => isInstalled(name));

function isInstalled(name: string): boolean {
  try {
    return readdirSync(join(REPOSITORY, 'node_modules', name)).length > 0;
  } catch {
    return false;
  }
}

/** Trees that are hard to restore, by what is hard. */
const NASTY: Readonly<Record<string, (folder: string) => void>> = {
  modes: (folder) => {
    for (const mode of [0o600, 0o640, 0o644, 0o700, 0o744, 0o755, 0o444, 0o555, 0o664]) {
      for (const at of [1, 2, 3, 4, 5]) put(folder, `${mode.toString(8)}-${at}`, `${mode} ${at}`, mode);
    }
  },
  links: (folder) => {
    for (const at of [1, 2, 3, 4, 5, 6, 7]) put(folder, `real/file-${at}`, String(at));
    for (const at of [1, 2, 3, 4, 5, 6, 7]) put(folder, `file-${at}`, String(at));
    symlinkSync('real', join(folder, 'to-folder'));
    symlinkSync('real/file-1', join(folder, 'to-file'));
    symlinkSync('nowhere', join(folder, 'dangling'));
  },
  names: (folder) => {
    const names = [
      'ünïcode',
      'e\u0301',
      '日本語',
      'with space',
      "quo'te",
      '"double"',
      '-dash',
      '#hash',
      'tab\there',
      '{a,b}',
      '*',
      '[x]',
      ':colon',
      'new\nline',
    ];
    for (const name of names) put(folder, name, name);
    for (const name of names) put(folder, `deep/${name}/${name}`, name);
  },
  'line endings': (folder) => {
    put(folder, '.gitattributes', '* text=auto eol=crlf\n*.bin -text\n*.sh text eol=lf\n');
    for (const at of [1, 2, 3, 4, 5, 6, 7]) {
      put(folder, `crlf-${at}.txt`, 'one\r\ntwo\r\n');
      put(folder, `lf-${at}.txt`, 'one\ntwo\n');
      put(folder, `mixed-${at}.txt`, 'one\r\ntwo\nthree\r');
      put(folder, `raw-${at}.bin`, 'one\r\ntwo\n\0');
      put(folder, `lines-${at}.sh`, 'one\r\ntwo\n');
    }
  },
  folders: (folder) => {
    for (const at of [1, 2, 3, 4, 5, 6, 7]) put(folder, `a/b/c-${at}/d/e`, String(at));
    for (const at of [1, 2, 3, 4, 5, 6, 7]) put(folder, `top-${at}`, '');
    for (const at of [1, 2, 3, 4, 5, 6, 7]) put(folder, `z/${at}`, 'x'.repeat(300_000));
  },
};

function put(folder: string, path: string, text: string, mode = 0o644): void {
  const place = join(folder, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
  chmodSync(place, mode);
}

/** A run whose files are applied and rolled back leaves everything as it was. */
async function expectRoundTrip(fill: (folder: string) => void | Promise<void>): Promise<number> {
  await using workspace = await ScratchWorkspace.create({ 'first.txt': 'first' });
  const agent = workspace.beside('agent.mjs');
  await writeFile(agent, AGENT);
  await fill(workspace.root);
  put(workspace.root, '.gitignore', 'ignored/\n');
  const run = `mkdir -p ignored && ${JSON.stringify(process.execPath)} ${JSON.stringify(agent)}`;
  const definition = {
    pipeline: 'trees',
    defaults: { run: { shell: 'sh' } },
    gates: { change: { run, inputs: [], files: 'changed' } },
  };
  put(workspace.root, 'gateline.yml', JSON.stringify(definition));
  await workspace.commitAll('tree');
  put(workspace.root, 'ignored/mine', 'ignored\r\n', 0o600);
  put(workspace.root, 'foreign/mine', 'untracked', 0o640);
  const environment = plainEnvironment(workspace.variables());
  const command = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await gateline(workspace.root, args, { environment });
    expect(code, out + err).toBe(0);
    return out;
  };
  const before = everythingIn(workspace.root);
  await command('run', '-q');
  await command('apply');
  const applied = everythingIn(workspace.root);
  put(workspace.root, 'foreign/later', 'written after apply');
  const said = JSON.parse(await command('rollback', '--all', '--json')) as { files: { action: string }[] };
  expect(everythingIn(workspace.root)).toEqual({
    ...before,
    'foreign/later': everythingIn(workspace.root)['foreign/later'],
  });
  expect(await workspace.git('status', '--porcelain')).toBe('?? foreign/\n');
  expect(Object.keys(applied)).toContain('new/dé ep/ünï – "quoted".txt');
  const changed = said.files.filter(({ action }) => action !== 'unchanged');
  expect(changed.length).toBeGreaterThan(3);
  return changed.length;
}

describe.runIf(process.platform !== 'win32')('run, apply and roll back', () => {
  it.each(Object.keys(NASTY))('leaves a tree of hard %s as it was, to the byte and the mode', LONG, async (name) => {
    await expectRoundTrip(NASTY[name]!);
  });

  it('leaves trees of installed packages as they were', LONG, async () => {
    expect(PACKAGES.length).toBeGreaterThanOrEqual(20);
    let files = 0;
    const some = spread(PACKAGES, bySize({ sample: 2, full: 8, soak: PACKAGES.length }));
    for (const name of some) {
      const from = join(REPOSITORY, 'node_modules', name);
      files += await expectRoundTrip((folder) =>
        cp(from, folder, { recursive: true, filter: (path) => !path.slice(from.length).includes('node_modules') }),
      );
    }
    console.log(`rollback: ${some.length} packages, ${files} files put back`);
  });
});
