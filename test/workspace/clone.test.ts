import { statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cloneWorkspace } from '../../src/workspace/clone.ts';
import { TestFolder } from './folder.ts';

const MAKE = {
  'a repository': 'commit a=1 b/c=1 d=1 .gitignore=node_modules,cache,.env',
  'no repository': 'write a=1 b/c=1 d=1 .gitignore=node_modules,cache,.env',
  'a repository without a commit': 'git init -q; write a=1 b/c=1 d=1 .gitignore=node_modules,cache,.env',
  'a subfolder of a repository':
    'mkdir s; cd s; write a=1 b/c=1 d=1 .gitignore=node_modules,cache,.env; cd ..; commit o=1',
};

describe.each(Object.entries(MAKE))('a clone of %s', (name, script) => {
  const isPart = name.startsWith('a subfolder');
  const hasCommit = script.includes('commit ');

  function create(): { folder: TestFolder; path: string; inClone: TestFolder } {
    const top = new TestFolder().run(script);
    const folder = isPart ? top.at('s') : top;
    const path = folder.path('.state/clones/1');
    return { folder, path, inClone: new TestFolder(isPart ? `${path}/s` : path) };
  }

  it('has the files as they are, uncommitted ones included, again at each call', async () => {
    const { folder, path, inClone } = create();
    const source = await folder.write('a=2 new=3 -b/c l→a .env=s cache/x=1').open({ hashed: ['.env'] });
    const first = await cloneWorkspace(source, path);
    expect(first).toMatchObject({ isNew: true, clone: { root: inClone.root } });
    expect(await first.clone.takeSnapshot()).toEqual(await source.takeSnapshot());
    expect(inClone.show('a l .env cache/x b/c')).toBe('a=2 l→a .env=s -cache/x -b/c');
    if (isPart) expect(new TestFolder(path).show('o')).toBe('o=1');

    // What an agent did there goes, but for what is ignored.
    inClone.write('a=agent -new x/y=1 cache/y=1 l=1 .env=agent');
    folder.write('d=5 b/c=6');
    const second = await cloneWorkspace(source, path);
    expect(second.isNew).toBe(false);
    expect(await second.clone.takeSnapshot()).toEqual(await source.takeSnapshot());
    expect(inClone.show('a x/y cache/y .env')).toBe('a=2 -x/y cache/y=1 .env=s');
  });

  it('gives its work back to the folder, committed or not', async () => {
    const { folder, path, inClone } = create();
    const source = await folder.open();
    const { clone } = await cloneWorkspace(source, path);
    const before = await clone.takeSnapshot();
    inClone.write('a=agent n=agent');
    if (hasCommit)
      inClone.run('git config core.hooksPath evil; git checkout -qb agent; git add -A; git commit -qm agent');
    const changes = await clone.diff(before, await clone.takeSnapshot());
    await cloneWorkspace(source, path);
    expect(inClone.show('a n')).toBe('a=1 -n');
    if (hasCommit) {
      expect(inClone.git('log', '--format=%s', '--all')).toBe('files');
      expect(inClone.git('config', '--get', '--default', '', 'core.hooksPath')).toBe('');
      expect(inClone.git('status', '--short')).toBe('');
      expect(folder.git('branch', '--format=%(refname:short)')).toBe('main');
    }
    expect(await source.put(changes)).toEqual([]);
    expect(folder.show('a n')).toBe('a=agent n=agent');
  });

  it('has packages of its own, which are copied again when something is installed', async () => {
    const { folder, path, inClone } = create();
    folder.write('node_modules/x/i=1 node_modules/.bin/x→../x/i node_modules/w→../b b/node_modules/y/i=2');
    const source = await folder.open();
    await cloneWorkspace(source, path);
    const times = [folder, inClone].map((place) => statSync(place.path('node_modules/x/i')).mtimeMs);
    expect(times[0], 'caches of compilers go by it').toBeCloseTo(times[1]!, -1);
    const links = 'node_modules/.bin/x→../x/i node_modules/w→../b b/node_modules/y/i=2';
    expect(inClone.show('node_modules/.bin/x node_modules/w b/node_modules/y/i')).toBe(links);
    writeFileSync(inClone.path('node_modules/x/i'), 'an agent changes it in place');
    expect(folder.show('node_modules/x/i')).toBe('node_modules/x/i=1');
    inClone.write('node_modules/x/cache=1 -node_modules/x/i');
    await cloneWorkspace(source, path);
    expect(inClone.show('node_modules/x/cache'), 'nothing was installed').toBe('node_modules/x/cache=1');
    folder.write('node_modules/z/i=3');
    await cloneWorkspace(source, path);
    const packages = 'node_modules/z/i=3 node_modules/x/i=1 -node_modules/x/cache';
    expect(inClone.show('node_modules/z/i node_modules/x/i node_modules/x/cache')).toBe(packages);
  });
});
