import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { GatelineError } from '../../src/errors/gateline-error.ts';
import { filesBelow } from './folder.ts';
import { UserAndTree } from './work-tree.ts';

const SITE = '.venv/lib/python3.11/site-packages';

/** An environment as `python -m venv` and pip lay it out. */
async function withEnvironment(): Promise<UserAndTree> {
  const both = await UserAndTree.create();
  const { folder, from } = both;
  both.tracked('pyproject.toml');
  both.tracked('src/pk/__init__.py');
  folder.write('.venv/pyvenv.cfg', `home = /usr/bin\ncommand = /usr/bin/python3 -m venv ${from}/.venv\n`);
  folder.write('.venv/.gitignore', '*\n');
  both.link('.venv/bin/python', 'python3');
  both.link('.venv/bin/python3', '/usr/bin/python3');
  both.link('.venv/lib64', 'lib');
  folder.write('.venv/bin/pip', `#!${from}/.venv/bin/python\nimport sys\n`, 0o755);
  folder.write('.venv/bin/activate', `VIRTUAL_ENV="${from}/.venv"\nOTHER="/mnt${from}/.venv"\n`);
  folder.write('.venv/bin/plain', '#!/bin/sh\n', 0o755);
  folder.write('.venv/bin/binary', Buffer.concat([Buffer.from([0, 255]), Buffer.from(`${from}/.venv`)]), 0o755);
  both.ignored(`${SITE}/six.py`);
  both.ignored(`${SITE}/foo/__init__.py`);
  both.ignored(`${SITE}/foo-1.0.dist-info/METADATA`);
  both.ignored(`${SITE}/__pycache__/six.cpython-311.pyc`);
  both.ignored(`${SITE}/distutils-precedence.pth`, "import os; enabled = os.environ.get('X')\n");
  both.ignored('.venv/share/man/foo.1');
  return both;
}

async function refusal(both: UserAndTree): Promise<GatelineError> {
  const error = await both.linkAll().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'DEPENDENCIES_EDITABLE', fault: 'user' });
  expect(both.at('.venv')).toBeUndefined();
  return error as GatelineError;
}

describe('a Python environment', () => {
  it('has real folders down to its packages, and programs that belong to the work tree', async () => {
    await using both = await withEnvironment();
    const { from, to } = both;
    expect(await both.linkAll()).toEqual({ linked: ['.venv'], warnings: [] });
    const found = Object.entries(filesBelow(to)).filter(([path]) => path.startsWith('.venv/'));
    expect(Object.fromEntries(found)).toEqual({
      '.venv/pyvenv.cfg': `home = /usr/bin\ncommand = /usr/bin/python3 -m venv ${to}/.venv\n`,
      '.venv/.gitignore': '*\n',
      '.venv/bin/python': 'link python3',
      '.venv/bin/python3': 'link /usr/bin/python3',
      '.venv/bin/pip': `x #!${to}/.venv/bin/python\nimport sys\n`,
      '.venv/bin/activate': `VIRTUAL_ENV="${to}/.venv"\nOTHER="/mnt${from}/.venv"\n`,
      '.venv/bin/plain': `link ${from}/.venv/bin/plain`,
      '.venv/bin/binary': `link ${from}/.venv/bin/binary`,
      '.venv/lib64': 'link lib',
      [`${SITE}/six.py`]: `link ${from}/${SITE}/six.py`,
      [`${SITE}/foo`]: `link ${from}/${SITE}/foo`,
      [`${SITE}/foo-1.0.dist-info`]: `link ${from}/${SITE}/foo-1.0.dist-info`,
      [`${SITE}/distutils-precedence.pth`]: `link ${from}/${SITE}/distutils-precedence.pth`,
      '.venv/share/man': `link ${from}/.venv/share/man`,
    });
  });

  it.each([
    'rm -rf .venv/*',
    'rm -rf .venv/',
    `rm -rf ${SITE}/*`,
    'find .venv/ -delete',
    'echo x > .venv/bin/pip; echo x > .venv/pyvenv.cfg',
  ])('%s in the work tree leaves that of the user as it is', async (command) => {
    await using both = await withEnvironment();
    await both.linkAll();
    const before = filesBelow(both.from);
    const linked = filesBelow(both.to);
    both.run(command);
    expect(filesBelow(both.from)).toEqual(before);
    await both.linkAll();
    expect(filesBelow(both.to)).toEqual(linked);
  });

  it('is only a folder that Python made', async () => {
    await using both = await UserAndTree.create();
    both.tracked('pyproject.toml');
    both.ignored('venv/notes.txt');
    expect(await both.linkAll()).toEqual({ linked: [], warnings: [] });
  });

  it('of another place may be named by a link', async () => {
    await using both = await withEnvironment();
    both.run(`mv .venv ../elsewhere && ln -s ../elsewhere .venv`, both.from);
    await both.linkAll();
    expect(both.at(`${SITE}/foo`)).toBe(`-> ${both.folder.beside('elsewhere')}/lib/python3.11/site-packages/foo`);
    expect(both.at('.venv/lib64')).toBe('-> lib');
  });

  it.skipIf(!hasPython())('that Python made finds its packages in the work tree', async () => {
    await using both = await UserAndTree.create();
    both.tracked('pyproject.toml');
    both.run('python3 -m venv --without-pip .venv', both.from);
    const site = both.run(`.venv/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))"`, both.from);
    const below = site.slice(both.from.length + 1);
    both.ignored(`${below}/foo/__init__.py`, 'value = 1');
    both.ignored(`${below}/six.py`, 'value = 2');
    await both.linkAll();
    const code = "import sys, foo, six; print(sys.prefix, foo.__file__, foo.value + six.value, sep='|')";
    expect(both.run(`.venv/bin/python -c "${code}"`)).toBe(`${both.to}/.venv|${both.to}/${below}/foo/__init__.py|3`);
    expect(both.run(`. .venv/bin/activate && command -v python`)).toBe(`${both.to}/.venv/bin/python`);
  });
});

describe('an environment that imports from the folder of the user is refused', () => {
  it('with the package and the line, and what to do', async () => {
    await using both = await withEnvironment();
    const url = JSON.stringify({ url: `file://${both.from}`, dir_info: { editable: true } });
    both.ignored(`${SITE}/pk-1.0.dist-info/direct_url.json`, url);
    both.ignored(`${SITE}/__editable__.pk-1.0.pth`, `# a comment\n\n${both.from}/src\n`);
    const { message, hint } = await refusal(both);
    expect(message).toContain(`: pk (${SITE}/__editable__.pk-1.0.pth, line 3: ${both.from}/src).`);
    expect(hint).toContain('workspace: {link: none, setup: COMMAND}');
  });

  it('by direct_url.json alone', async () => {
    await using both = await withEnvironment();
    const url = JSON.stringify({ url: `file://${both.from}/src`, dir_info: { editable: true } });
    both.ignored(`${SITE}/a_b-c-1.0.dist-info/direct_url.json`, url);
    expect((await refusal(both)).message).toContain(
      `: a_b-c (${SITE}/a_b-c-1.0.dist-info/direct_url.json: ${both.from}/src).`,
    );
  });

  it.each([
    ['__editable__.pk-1.0.pth', 'FROM/src', 'pk'],
    ['_pk.pth', 'FROM/src', 'pk'],
    ['pk.pth', '../../../../src', 'pk'],
    ['easy-install.pth', 'FROM/src/pk', 'pk'],
    ['own.pth', "import sys; sys.path.insert(0, 'FROM/src')", 'own'],
    ['own.pth', '\ufeffFROM\r\n', 'own'],
  ])('by a line of %s: %s', async (file, line, name) => {
    await using both = await withEnvironment();
    both.ignored(`${SITE}/${file}`, line.replace('FROM', both.from));
    expect((await refusal(both)).message).toContain(`: ${name} (${SITE}/${file}, line 1: ${both.from}`);
  });

  it('through a link too', async () => {
    await using both = await withEnvironment();
    symlinkSync(both.from, both.folder.beside('around'));
    both.ignored(`${SITE}/pk.pth`, `${both.folder.beside('around')}/src\n`);
    expect((await refusal(both)).message).toContain(`line 1: ${both.from}/src`);
  });

  it('with all of them named, up to five', async () => {
    await using both = await withEnvironment();
    for (let index = 1; index <= 7; index += 1) both.ignored(`${SITE}/p${index}.pth`, `${both.from}/src/${index}\n`);
    expect((await refusal(both)).message).toMatch(/: p1 .*; p2 .*; p5 \([^;]*\) and 2 more\.$/);
  });

  it.each([
    ['pk.pth', 'FROM/.venv/src/pk'],
    ['pk.pth', './vendored'],
    ['pk.pth', '# FROM/src'],
    ['pk.pth', 'FROM-other/src'],
    ['pk.pth', "import sys; sys.path.insert(0, 'FROM-other')"],
    ['pk.pth', '/usr/lib/python3/dist-packages'],
    ['pk-1.0.dist-info/direct_url.json', '{"url": "file://FROM/src", "dir_info": {}}'],
    ['pk-1.0.dist-info/direct_url.json', '{"url": "https://example.org/x", "dir_info": {"editable": true}}'],
    ['pk-1.0.dist-info/direct_url.json', '{"url": "file:///elsewhere", "dir_info": {"editable": true}}'],
    ['pk-1.0.dist-info/direct_url.json', 'null'],
    ['pk-1.0.dist-info/direct_url.json', 'not JSON'],
  ])('but not for %s: %s', async (file, content) => {
    await using both = await withEnvironment();
    both.ignored(`${SITE}/${file}`, content.replace('FROM', both.from));
    expect((await both.linkAll()).linked).toEqual(['.venv']);
  });

  it('and not when nothing is linked', async () => {
    await using both = await withEnvironment();
    both.ignored(`${SITE}/pk.pth`, `${both.from}/src\n`);
    expect((await both.linkAll({ link: 'none' })).linked).toEqual([]);
    expect((await both.linkAll({ link: ['node_modules'] })).linked).toEqual([]);
    await expect(both.linkAll({ link: ['.venv'] })).rejects.toMatchObject({ code: 'DEPENDENCIES_EDITABLE' });
  });
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import venv'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
