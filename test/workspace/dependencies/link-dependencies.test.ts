import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow } from '../folder.ts';
import { UserAndTree } from '../work-tree.ts';

describe('what an agent does to node_modules of its work tree leaves that of the user as it is', () => {
  let installed: UserAndTree;

  beforeAll(async () => {
    installed = await UserAndTree.create();
    const { folder } = installed;
    for (const name of ['foo', '@z/bar']) {
      const manifest = { name, version: '1.0.0', bin: { [name.split('/').at(-1)!]: 'cli.js' } };
      folder.write('pack/package/package.json', JSON.stringify(manifest));
      folder.write('pack/package/cli.js', '#!/usr/bin/env node\nconsole.log(process.argv[1]);\n', 0o755);
      folder.write('pack/package/lib/deep.js', `module.exports = '${name}';`);
      mkdirSync(join(installed.from, 'vendor'), { recursive: true });
      installed.run(`tar -czf vendor/${name.split('/').at(-1)!}.tgz -C pack package`, installed.from);
    }
    rmSync(join(installed.from, 'pack'), { recursive: true });
    const dependencies = { foo: 'file:vendor/foo.tgz', '@z/bar': 'file:vendor/bar.tgz' };
    folder.write('package.json', JSON.stringify({ name: 'top', workspaces: ['packages/*'], dependencies }));
    folder.write('packages/a/package.json', JSON.stringify({ name: '@x/a', version: '1.0.0', main: 'index.js' }));
    folder.write('packages/a/index.js', "module.exports = 'source of the user';");
    folder.write('.gitignore', 'node_modules/\n');
    installed.run('npm install && git init -q && git add -A && git commit -q -m work', installed.from);
  });

  afterAll(async () => installed[Symbol.asyncDispose]());

  /** The user's folder and a work tree in which only the source of a package is another one. */
  async function linked(): Promise<UserAndTree> {
    const both = await UserAndTree.create();
    cpSync(installed.from, both.from, { recursive: true, verbatimSymlinks: true });
    both.files.push(...both.run('git ls-files', both.from).split('\n'));
    for (const file of both.files) cpSync(join(both.from, file), join(both.to, file));
    both.inTree('packages/a/index.js', "module.exports = 'source of the tree';");
    both.run('git init -q && git add -A && git commit -q -m work');
    expect(await both.linkAll()).toEqual({ linked: ['node_modules'], warnings: [] });
    return both;
  }

  it.each([
    'rm -rf node_modules',
    'rm -rf node_modules/',
    'rm -rf node_modules/*',
    'rm -rf node_modules/foo',
    'rm -rf node_modules/@x node_modules/@z/',
    'find node_modules/ -delete',
    `node -e "fs.rmSync('node_modules', { recursive: true })"`,
    `node -e "fs.rmSync('node_modules/', { recursive: true })"`,
    `node -e "for (const name of fs.readdirSync('node_modules')) fs.rmSync('node_modules/' + name, { recursive: true })"`,
    'git clean -ffdx',
    'git stash -u',
    'git add -A -f && git reset -q --hard && git checkout -q -f HEAD',
    'npm ci',
    'npm install',
    'npm install ./packages/a',
    'npm prune --omit=dev',
    'npm uninstall foo',
    'mv node_modules gone && rm -rf gone',
  ])('%s', async (command) => {
    await using both = await linked();
    const before = filesBelow(both.from);
    expect(Object.keys(before)).toContain('node_modules/foo/lib/deep.js');
    both.run(command);
    expect(filesBelow(both.from)).toEqual(before);
    both.run('rm -rf node_modules/foo');
    expect(await both.linkAll()).toEqual({ linked: ['node_modules'], warnings: [] });
    expect(both.at('node_modules/foo')).toBe(`-> ${both.from}/node_modules/foo`);
  });

  it('a package of the workspace is the one of the work tree', async () => {
    await using both = await linked();
    expect(both.run(`node -p "require('@x/a')"`)).toBe('source of the tree');
    both.inTree('packages/a/run.mjs', "import value from '@x/a';\nconsole.log(value);");
    expect(both.run('node packages/a/run.mjs')).toBe('source of the tree');
    expect(both.run(`node -p "require('foo/lib/deep.js') + require('@z/bar/lib/deep.js')"`)).toBe('foo@z/bar');
  });

  it('programs of packages start', async () => {
    await using both = await linked();
    expect(both.at('node_modules/.bin/foo')).toBe('-> ../foo/cli.js');
    expect(both.run('node_modules/.bin/foo')).toBe(`${both.to}/node_modules/.bin/foo`);
    expect(both.run('npm exec foo')).toBe(`${both.to}/node_modules/.bin/foo`);
  });

  it('nothing of it is seen by git', async () => {
    await using both = await linked();
    expect(both.run('git status --porcelain && git add -A && git diff --cached --name-only')).toBe('');
  });

  it('what an attempt installed or damaged is gone when the next one begins', async () => {
    await using both = await linked();
    const before = filesBelow(join(both.to, 'node_modules'));
    both.run('npm ci');
    expect(both.at('node_modules/foo')).toBe('folder');
    both.run(`
      rm -rf node_modules/@x && mkdir -p node_modules/own/node_modules node_modules/.cache && echo 1 > node_modules/.cache/x
      ln -sfn /nowhere node_modules/.bin/foo; rm -rf node_modules/@z && ln -s /nowhere node_modules/@z
    `);
    await both.linkAll();
    expect(filesBelow(join(both.to, 'node_modules'))).toEqual(before);
  });

  it('a node_modules that became a link is a folder again, and what it led to stays', async () => {
    await using both = await linked();
    both.run('rm -rf node_modules && mkdir ../elsewhere && touch ../elsewhere/kept && ln -s ../elsewhere node_modules');
    await both.linkAll();
    expect(both.at('node_modules/foo')).toBe(`-> ${both.from}/node_modules/foo`);
    expect(both.run('ls -A ../elsewhere')).toBe('kept');
  });
});
