import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileVersion } from '../../src/run/files.ts';
import { createRedactor } from '../../src/untrusted/redact.ts';
import type { GitWorkspace } from '../../src/workspace/git-workspace.ts';
import { findHandOnProblems } from '../../src/workspace/hand-on.ts';
import { type Snapshot, snapshotFrom, snapshotId } from '../../src/workspace/workspace.ts';
import { TestFolder } from './folder.ts';

async function read(workspace: GitWorkspace, version: FileVersion | null): Promise<string | null> {
  const bytes = version === null ? undefined : await workspace.readVersion(version);
  return bytes === undefined ? version : Buffer.from(bytes).toString();
}

/** Numbers from 0 to below `limit`, the same for the same seed. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

describe('differences of snapshots', () => {
  it('name path, version before and after, in the order of paths', async () => {
    const folder = new TestFolder().commit('b/x=1 b.c=1 keep=1 .gitignore=dist');
    const workspace = await folder.open({ hashed: ['dist/h'] });
    const first = await workspace.takeSnapshot();
    folder.write('-b/x b.c=2 \u{1f600}=4 \uffee=3 dist/h=5 dist/other=6');
    const second = await workspace.takeSnapshot();
    const changes = await workspace.diff(first, second);
    expect(changes.map(({ path }) => path)).toEqual(['b.c', 'b/x', 'dist/h', '\uffee', '\u{1f600}']);
    const contents = changes.map(async ({ before, after }) =>
      Promise.all([before, after].map((version) => read(workspace, version))),
    );
    const unstored = expect.stringMatching(/^unstored 100644 [0-9a-f]{64}$/);
    const expected = [
      ['1', '2'],
      ['1', null],
      [null, unstored],
      [null, '3'],
      [null, '4'],
    ];
    expect(await Promise.all(contents)).toEqual(expected);
    const names = ['.gitignore', 'b.c', 'dist/h', 'keep', '\uffee', '\u{1f600}'];
    expect([...(await workspace.listFiles(second)).keys()]).toEqual(names);
    expect(snapshotFrom(snapshotId(second))).toEqual(second);
    expect(await workspace.diff(second, snapshotFrom(snapshotId(second)))).toEqual([]);
  });

  it('distinguish a file that git ignores now from a deleted one', async () => {
    const folder = new TestFolder().commit('.gitignore= a=1').write('dist/x=1 b=1');
    const workspace = await folder.open();
    const first = await workspace.takeSnapshot();
    folder.write('.gitignore=dist -b');
    const changes = await workspace.diff(first, await workspace.takeSnapshot());
    expect(changes.map(({ path, after, ignored }) => [path, after === null, ignored])).toEqual([
      ['.gitignore', false, undefined],
      ['b', true, undefined],
      ['dist/x', true, true],
    ]);
    expect(await workspace.applyTo(first, changes)).toEqual(await workspace.takeSnapshot());
  });

  it('lead from one snapshot to the other, in a tree and on the disk, for random folders', async () => {
    const random = createRandom(7);
    const folder = new TestFolder().commit('.gitignore=i');
    const workspace = await folder.open({ stored: ['i/0'], hashed: ['i/**'] });
    const paths = ['0', '1', '2', '0/0', '0/1', '1/0/0', '1/0/1', 'i/0', 'i/1', 'i/2'];
    let last = await workspace.takeSnapshot();
    for (let step = 0; step < 25; step++) {
      for (let edits = random(4); edits >= 0; edits--) {
        const path = paths[random(paths.length)]!;
        // A file may stand where this path needs a folder.
        if (folder.read(path.split('/')[0]!) !== null) folder.write({ [path.split('/')[0]!]: null });
        if (path.startsWith('1/0') && folder.read('1/0') !== null) folder.write({ '1/0': null });
        folder.write({ [path]: [null, 'a', 'b', '→0'][random(4)]! });
      }
      // git does not know folders without files.
      folder.run('find . -type d -empty -not -path "./.git/*" -not -path "./.state/*" -delete');
      const next = await workspace.takeSnapshot();
      const changes = await workspace.diff(last, next);
      expect(await workspace.applyTo(last, changes)).toEqual(next);
      const isStored = changes.every(({ path }) => !/^i\/[12]/.test(path));
      if (isStored) {
        const reverse = changes.map(({ path, before, after }) => ({ path, before: after, after: before }));
        expect(await workspace.put(reverse)).toEqual([]);
        expect(await workspace.takeSnapshot()).toEqual(last);
        expect(await workspace.put(changes)).toEqual([]);
        expect(await workspace.takeSnapshot()).toEqual(next);
      }
      last = next;
    }
  });

  it('can be applied although the user has lost a blob of them', async () => {
    const workspace = await new TestFolder().commit('a=1').open();
    const lost = `100644 ${'1'.repeat(40)}`;
    const snapshot = await workspace.applyTo(await workspace.takeSnapshot(), [
      { path: 'b', before: null, after: lost },
    ]);
    expect((await workspace.listFiles(snapshot)).get('b')).toBe(lost);
  });

  it('are shown as a unified diff, binary files and files that are not stored by name', async () => {
    const folder = new TestFolder().write({ binary: Buffer.of(0, 1) }).commit('.gitignore=.env d/a=1,2, c=1,');
    folder.run('git config diff.noprefix true; git config diff.external false');
    const workspace = await folder.open({ hashed: ['.env'] });
    const first = await workspace.takeSnapshot();
    folder.write('d/a=1,3, -c .env=secret').write({ binary: Buffer.of(0, 2) });
    const second = await workspace.takeSnapshot();
    const patch = await workspace.patch(first, second);
    expect(patch).toContain('--- a/d/a\n+++ b/d/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n');
    expect(patch).toContain('deleted file mode 100644');
    expect(patch).toContain('Binary files a/binary and b/binary differ');
    expect(patch).toContain('File .env, which is not stored, differs');
    expect(patch).not.toContain('secret');
    const part = await workspace.patch(first, second, ['d', 'binary']);
    expect(part.match(/^diff --git .*/gm)).toEqual(['diff --git a/binary b/binary', 'diff --git a/d/a b/d/a']);
    expect(part).not.toContain('.env');
  });
});

describe('the digest of files', () => {
  it.each<[globs: string[] | null, except: string[], counts: string[]]>([
    [null, [], ['a', 'src/b', 'src/c.md', 'mode', '.env', 'x\ta']],
    [null, ['none', 'a', 'src/c.md'], ['src/b', 'mode', '.env', 'x\ta']],
    [null, ['.env', 'x\ta'], ['a', 'src/b', 'src/c.md', 'mode']],
    [['src/**'], ['src/b'], ['src/b', 'src/c.md']],
    [['src', '!**/*.md'], [], ['src/b']],
    [['.env'], [], ['.env']],
    [['none'], [], []],
  ])('of %j without %j changes with %j, and with nothing else', async (globs, except, counts) => {
    const folder = new TestFolder().commit('.gitignore=.env a=1 src/b=1 src/c.md=1 mode→a');
    folder.write({ '.env': '1', 'x\ta': '1' });
    const workspace = await folder.open({ hashed: ['.env'] });
    const digest = async () => workspace.digestFiles(await workspace.takeSnapshot(), globs, except);
    const before = await digest();
    const changed: string[] = [];
    for (const path of ['a', 'src/b', 'src/c.md', 'mode', '.env', 'x\ta']) {
      const content = folder.read(path)!;
      folder.write({ [path]: '2' });
      if ((await digest()) !== before) changed.push(path);
      folder.write({ [path]: content });
      expect(await digest()).toBe(before);
    }
    expect(changed.sort()).toEqual([...counts].sort());
  });
});

it.each(['', 'x/'])('the files in %j are the same, just looked at or long ago', async (prefix) => {
  const top = new TestFolder().commit(
    `a=1 ${prefix}b.c=1 ${prefix}b/c=2 ${prefix}l→b ${prefix}\u{1f600}=4 ${prefix}\uffee=3`,
  );
  const folder = top.at(prefix).write({ '0 blob a\t\n': '5' });
  const workspace = await folder.open();
  const snapshot = await workspace.takeSnapshot();
  const look = async (from: GitWorkspace) => [
    [...(await from.listFiles(snapshot))],
    await from.digestFiles(snapshot, null, ['b.c']),
    await from.digestFiles(snapshot, ['b/**'], []),
  ];
  expect(await look(await folder.open())).toEqual(await look(workspace));
});

describe('files that may be handed on', () => {
  // In two parts: scanners must not take this file for one with a token.
  const TOKEN = ['ghp', 'Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6'].join('_');
  const redactor = createRedactor({ NAME: 'correct-horse-battery' });
  const fill = (files: string): string =>
    files.replaceAll('TOKEN', TOKEN).replaceAll('OTHER', TOKEN.replace('Ab3', 'Zx9'));

  it.each<[name: string, before: string, after: string, problems?: RegExp[]]>([
    ['plain files', 'a=1', 'a=2 b=3'],
    ['a token, with its line', '', 'a/b=x,,TOKEN', [/^a\/b:3 holds a secret \(GitHub token\)$/]],
    ['the value of a secret', '', 'a=correct-horse-battery', [/^a:1 holds a secret \(NAME\)$/]],
    ['a token that the file had', 'a=x,TOKEN', 'a=1,2,TOKEN,y'],
    ['a token in a file that was renamed', 'a=TOKEN', '-a b=x,TOKEN'],
    ['the value of a secret that the file had', 'a=correct-horse-battery', 'a=x,correct-horse-battery'],
    ['that value in a file that was renamed', 'a=correct-horse-battery', '-a b=x,correct-horse-battery', [/^b:2/]],
    ['another token of the same kind', 'a=TOKEN', 'a=OTHER', [/^a:1 holds a secret/]],
    ['a deleted token', 'a=TOKEN', '-a'],
    ['a token in a path that is allowed', '', 'fixtures/a=TOKEN'],
    ['links in the folder', '', 'a→b c/d→../a'],
    ['links out of it', '', 'a→/etc/x c/d→../../x', [/^a is a link to \/etc\/x/, /^c\/d is a link to \.\.\/\.\.\/x/]],
  ])('%s', async (_, before, after, problems = []) => {
    const folder = new TestFolder().commit(fill(before));
    const workspace = await folder.open();
    const first = await workspace.takeSnapshot();
    const second = await (folder.write(fill(after)), workspace.takeSnapshot());
    const changes = await workspace.diff(first, second);
    const messages = await findHandOnProblems(workspace, changes, redactor, ['fixtures/**']);
    expect(messages).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });
});

describe('kept snapshots', () => {
  const NAMES = ['1/plan', '1/plan/leg', 'Plan', 'plan', 'a b..c.lock', '@{ü}~^:?*[\\', '.', '\u{1f600}', '\u{1f601}'];
  NAMES.push('x'.repeat(1_024), `${'x'.repeat(1_024)}y`);

  /** Whether another process can read all files of a snapshot. */
  async function hasFiles(workspace: GitWorkspace, snapshot: Snapshot): Promise<boolean> {
    const other = await new TestFolder(workspace.root).open();
    const files = await other.listFiles(snapshot).catch(() => new Map([['', 'lost']]));
    const contents = await Promise.all([...files.values()].map((version) => other.readVersion(version)));
    return contents.every((bytes) => bytes !== undefined);
  }

  it('outlive garbage collection until they are dropped, under any name', async () => {
    const folder = new TestFolder().commit('a=1');
    const workspace = await folder.open();
    const snapshots: Snapshot[] = [];
    for (const name of NAMES) {
      snapshots.push(await (folder.write({ a: name }), workspace.takeSnapshot()));
      await workspace.keep(name, snapshots.at(-1)!);
    }
    folder.write('a=1');
    const current = await workspace.takeSnapshot();
    const survivors = async (): Promise<string[]> => {
      age(folder.path('.state/git/objects'));
      await workspace.collectGarbage([]);
      const alive = await Promise.all(snapshots.map((snapshot) => hasFiles(workspace, snapshot)));
      return NAMES.filter((_, index) => alive[index]);
    };
    expect(await survivors()).toEqual(NAMES);
    await workspace.drop([...NAMES.slice(0, 3), 'never kept']);
    expect(await survivors()).toEqual(NAMES.slice(3));
    await workspace.drop(NAMES);
    expect(await survivors()).toEqual([]);
    expect(await hasFiles(workspace, current)).toBe(true);
    expect(await workspace.takeSnapshot()).toEqual(current);
  });

  it("keep versions that gates need, also those that the user's repository lost", async () => {
    const folder = new TestFolder().commit({ a: 'only in a commit that is amended away', b: '1' });
    const workspace = await folder.open();
    const first = await workspace.takeSnapshot();
    const second = await (folder.write({ a: 'by the gate', b: null }), workspace.takeSnapshot());
    const changes = await workspace.diff(first, second);
    const versions = changes.flatMap(({ before, after }) => [before, after]).filter((version) => version !== null);
    await workspace.storeVersions(changes);
    await workspace.storeVersions([...changes, { path: 'x', before: null, after: 'unstored 100644 00' }]);
    folder.write('a=3');
    await workspace.takeSnapshot();
    folder.run('git commit -qa --amend -m x; git reflog expire --expire=now --all; git gc -q --prune=now');
    for (const named of [versions, versions, versions.slice(0, 1), []]) {
      age(folder.path('.state/git/objects'));
      await workspace.collectGarbage(named);
      const contents = await Promise.all(versions.map((version) => workspace.readVersion(version)));
      expect(versions.filter((_, index) => contents[index] !== undefined)).toEqual(named);
    }
  });

  it("whose objects the user's `git gc` removed are dropped by the next collection", async () => {
    const folder = new TestFolder().commit('a=1');
    const workspace = await folder.open();
    await workspace.keep('x', await workspace.takeSnapshot());
    folder.run('rm -r .git/objects; git init -q; write a=2');
    const snapshot = await (await folder.open()).takeSnapshot();
    await workspace.collectGarbage([]);
    expect(folder.git('--git-dir=.state/git', 'for-each-ref')).toBe('');
    expect(await hasFiles(workspace, snapshot)).toBe(true);
  });

  it('of other jobs: their bytes are stored under the same version', async () => {
    const folder = new TestFolder().commit('a=1');
    const workspace = await folder.open();
    const version = (await workspace.listFiles(await workspace.takeSnapshot())).get('a')!;
    const other = await new TestFolder().open();
    expect(await other.readVersion(version)).toBeUndefined();
    expect(`100644 ${await other.storeBytes(Buffer.from('1'))}`).toBe(version);
    expect(await other.put([{ path: 'b', before: null, after: version }])).toEqual([]);
  });
});

/** Makes everything below old enough to be removed. */
function age(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) utimesSync(join(folder, name), 1, 1);
}
