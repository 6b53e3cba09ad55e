import { existsSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseFiles, TestFolder } from './folder.ts';

/**
 * Files before the gate, and what it makes of them. A script changes the folder before its files are put back. These
 * paths must be left, and these files must be there in the end; default: as the gate left them.
 */
type Case = readonly [name: string, before: string, after: string, script?: string, left?: string, ends?: string];

const CASES: readonly Case[] = [
  ['changes, new files, deletions', 'a=1 b/c=2 d=3', 'a=2 -b/c e/f/g=4'],
  ['odd names', '"q"=1 l\nb=1', '"q"=2 l\nb=2 b\\s=1 ü=1 r\r=1 \t=1'],
  ['an empty file', 'a=1', 'a='],
  ['a file becomes a folder', 'a=1', '-a a/b/c=2'],
  ['a folder becomes a file', 'a/b/c=1 a/d=1', 'a=2'],
  ['links: changed, to a folder, to nowhere', 'a=1 l→a', 'l→b m→sub n→none'],
  ['a link becomes a file, a file a link', 'a=1 l→a', 'l=2 a→l'],
  ['a link becomes a folder', 'x/y=1 l→x', '-l l/y=2'],
  ['what is there already is no conflict', 'a=1 c=1', 'a=2 b=3 -c', 'write a=2 b=3 -c'],
  ["the user's version stays", 'a=1 b=1', 'a=2 b=2', 'write a=user', 'a', 'a=user b=2'],
  ["the user's new file stays", '', 'a=2', 'write a=user', 'a', 'a=user'],
  ["the user's deletion stays", 'a=1', 'a=2', 'rm a', 'a', '-a'],
  ['a file that the user changed is not deleted', 'a=1', '-a', 'write a=user', 'a', 'a=user'],
  ["the user's executable bit stays", 'a=1', 'a=2', 'chmod +x a', 'a', 'a=1'],
  ['nothing is written through a link', 'a/b=1', 'a/b=2 a/c=3', 'write -a o/b=1; ln -s o a', 'a/b a/c', 'o/b=1 -o/c'],
  ['nothing is deleted through a link', 'a/b=1', '-a/b', 'write -a o/b=1; ln -s o a', '', 'o/b=1'],
  ['a file where a folder is needed', '', 'a/b=2', 'write a=user', 'a/b', 'a=user'],
  ['a folder where a file was', 'a=1', 'a=2', 'write -a a/user=1', 'a', 'a/user=1'],
  ['a folder in the place of a new file', '', 'a=2', 'write a/user=1', 'a', 'a/user=1'],
  ['an empty folder in the place of a new file', '', 'a=2', 'mkdir a'],
  ['a folder that is not empty stays', 'a/b=1', '-a/b c=1', 'write a/user=1', '', '-a/b a/user=1 c=1'],
  ['a pipe where a file was', 'a=1', 'a=2', 'rm a; mkfifo a', 'a', ''],
  [
    'an ignored file in the way',
    '.gitignore=.env',
    '.gitignore= .env=agent',
    'write .env=user',
    '.env',
    '.gitignore= .env=user',
  ],
];

/** One lends objects and has a path in front of all others; in the other all is ours, from the top. */
const FLAVOURS = ['a subfolder of a repository', 'no repository, .state on another file system'] as const;

function create(flavour: (typeof FLAVOURS)[number], files: string): { folder: TestFolder; state?: string } {
  const folder = new TestFolder();
  if (flavour === 'a subfolder of a repository') {
    folder.at('sub').write('keep=1').write(files);
    return { folder: folder.commit('.gitattributes=sub/*.txt\teol=crlf').at('sub') };
  }
  return {
    folder: folder.write(files),
    state: new TestFolder(undefined, existsSync('/dev/shm') ? '/dev/shm' : tmpdir()).root,
  };
}

describe.each(FLAVOURS)('puts files back: %s', (flavour) => {
  it.each(CASES)('%s', async (...columns) => {
    const [, before = '', after = '', script, left = '', ends = after] = columns;
    const { folder, ...options } = create(flavour, before);
    const workspace = await folder.open(options);
    const first = await workspace.takeSnapshot();
    const second = await (folder.write(after), workspace.takeSnapshot());
    const changes = await workspace.diff(first, second);
    // Its own first: a link of the gate may be in the way of a file that was there.
    folder.write(Object.fromEntries(Object.keys(parseFiles(after)).map((path) => [path, null]))).write(before);
    if (script !== undefined) folder.run(script);
    expect([...(await workspace.put(changes))].sort().join(' ')).toBe(left);
    for (const [path, content] of Object.entries(parseFiles(ends))) expect(folder.read(path), path).toBe(content);
    if (ends === after) expect(await workspace.takeSnapshot()).toEqual(second);
    expect(readdirSync(folder.root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(readdirSync(workspace.repository.store).filter((name) => name.startsWith('temporary'))).toEqual([]);
  });
});

describe('put', () => {
  it('writes through the filters of a path, with its mode', async () => {
    const folder = new TestFolder().run(`commit ".gitattributes=*.up\tfilter=up,*.txt\teol=crlf" sub/a.up=A
      git config filter.up.clean "tr a-z A-Z"; git config filter.up.smudge "tr A-Z a-z"`);
    const place = folder.at('sub');
    const workspace = await place.open();
    const first = await workspace.takeSnapshot();
    place.run(`write a.up=b run=x; printf '1\\r\\n' > b.txt; chmod +x run`);
    const second = await workspace.takeSnapshot();
    const changes = await workspace.diff(first, second);
    place.write('a.up=a -b.txt -run');
    expect(await workspace.put(changes)).toEqual([]);
    expect([place.read('a.up'), place.read('b.txt')]).toEqual(['b', '1\r\n']);
    expect(statSync(place.path('run')).mode & 0o777).toBe(0o755);
    expect(await workspace.takeSnapshot()).toEqual(second);
  });

  it.each(['../x', '.git/hooks/x', '/etc/x', '.GIT/config', '.state/log.jsonl'])('refuses %s', async (path) => {
    const workspace = await new TestFolder().commit('a=1').open();
    const snapshot = await workspace.takeSnapshot();
    const after = (await workspace.listFiles(snapshot)).get('a')!;
    for (const change of [
      { path, before: null, after },
      { path, before: after, after: null },
    ]) {
      await expect(workspace.put([change])).rejects.toThrow(/cannot be a file of a gate/);
      await expect(workspace.applyTo(snapshot, [change])).rejects.toThrow(/cannot be a file of a gate/);
    }
  });

  it('leaves files whose version is not stored, or no longer stored', async () => {
    const folder = new TestFolder().commit('a=1');
    const workspace = await folder.open();
    const before = (await workspace.listFiles(await workspace.takeSnapshot())).get('a')!;
    const lost = { path: 'a', before, after: `100644 ${'1'.repeat(40)}` };
    const unstored = { path: 'b', before: null, after: 'unstored 100644 abc' };
    expect([...(await workspace.put([lost, unstored]))].sort()).toEqual(['a', 'b']);
    expect([folder.read('a'), folder.read('b')]).toEqual(['1', null]);
  });
});
