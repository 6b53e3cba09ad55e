import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atomicWrite } from '../../../src/store/filesystem/atomic-write.ts';
import { compareBoots, parseProcStat } from '../../../src/store/filesystem/lock/process-identity.ts';
import { temporaryFolder } from '../../contract/temporary-folder.ts';
import { startedRecord } from '../../contract/samples.ts';
import { PREPARED } from '../../support/programs/places.ts';
import { exitOf, makeWorkspace, startFixture } from './workspace.ts';

describe('the state folder', () => {
  it("is kept out of git when it is made, with the user's own .gitignore left alone", async () => {
    await using made = await makeWorkspace();
    await made.open();
    expect(await readFile(join(made.root, '.gitignore'), 'utf8')).toBe('*\n');
    await writeFile(join(made.root, '.gitignore'), '!*-pipeline.json\n');
    await made.open();
    expect(await readFile(join(made.root, '.gitignore'), 'utf8')).toBe('!*-pipeline.json\n');
  });

  it("gets no .gitignore where it was there before us: how git sees it is the user's choice", async () => {
    await using made = await makeWorkspace();
    await mkdir(made.root);
    await writeFile(join(made.root, 'shop-login-gate1-output.json'), '{}');
    await made.open();
    expect(await readdir(made.root)).not.toContain('.gitignore');
  });

  it.runIf(process.platform !== 'win32')('is for its owner alone, with every folder that is made in it', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await store.write(startedRecord({ n: 1 }));
    await store.put('content');
    const entries = await readdir(made.root, { withFileTypes: true, recursive: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    expect(folders.length).toBeGreaterThan(4);
    for (const folder of [made.root, ...folders]) expect((await stat(folder)).mode & 0o777, folder).toBe(0o700);
  });

  it('is not made by a reader', async () => {
    await using made = await makeWorkspace();
    const reader = await made.open({ readOnly: true });
    expect(await reader.list('ship', 'pr-42')).toEqual({ records: [], problems: [] });
    expect(await reader.subjects('ship')).toEqual([]);
    expect(await readdir(made.workspace)).toEqual([]);
  });

  it.each([
    ['a link out of the workspace', async (root: string, outside: string) => symlink(outside, root)],
    ['a link to nowhere', async (root: string, outside: string) => symlink(join(outside, 'missing'), root)],
  ])('is refused as %s, and nothing is written there', async (_, prepare) => {
    await using made = await makeWorkspace();
    await using outside = await temporaryFolder();
    await prepare(made.root, outside.path);
    for (const readOnly of [false, true])
      await expect(made.open({ readOnly })).rejects.toMatchObject({ code: 'STATE_ESCAPES', fault: 'user' });
    expect(await readdir(outside.path)).toEqual([]);
  });

  it.each(['runs', 'content', 'tmp', 'quarantine', 'applied', 'attempts', 'git', 'snapshots'])(
    'is never left through a link in the place of %s/',
    async (folder) => {
      await using made = await makeWorkspace();
      await using outside = await temporaryFolder();
      await mkdir(made.root);
      await symlink(outside.path, join(made.root, folder));
      const everything = async () => {
        const store = await made.open();
        await store.write(startedRecord());
        const { digest } = await store.put('x');
        await writeFile(made.fileOfContent(digest), 'y');
        await store.check(digest);
        await store.put('x');
      };
      await expect(everything()).rejects.toMatchObject({ code: 'STATE_ESCAPES' });
      expect(await readdir(outside.path)).toEqual([]);
    },
  );

  it('may be a link that stays inside, and must not be the workspace itself or beside it', async () => {
    await using made = await makeWorkspace();
    await mkdir(join(made.workspace, 'inside'));
    await symlink(join(made.workspace, 'inside'), made.root);
    expect(await (await made.open()).write(startedRecord())).toBe('written');
    for (const root of [made.workspace, join(made.workspace, '..', 'beside')])
      await expect(made.open({ root })).rejects.toMatchObject({ code: 'STATE_ESCAPES' });
  });
});

describe('atomicWrite', () => {
  it('replaces a whole file, tells when it is durable, and leaves nothing beside it', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'deep', 'state.json');
    const told: string[] = [];
    await atomicWrite(path, 'one', { onDurable: (what) => told.push(what) });
    await atomicWrite(path, Buffer.from('two'), { onDurable: (what) => told.push(what) });
    expect(await readFile(path, 'utf8')).toBe('two');
    expect(told).toEqual([`file ${path}`, `file ${path}`]);
    expect(await readdir(join(folder.path, 'deep'))).toEqual(['state.json']);
  });

  it('replaces a link instead of writing through it', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'target'), 'untouched');
    await symlink(join(folder.path, 'target'), join(folder.path, 'link'));
    await atomicWrite(join(folder.path, 'link'), 'new');
    expect(await readFile(join(folder.path, 'target'), 'utf8')).toBe('untouched');
    expect(await readFile(join(folder.path, 'link'), 'utf8')).toBe('new');
  });

  it('leaves what was there when it fails, and no temporary file', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'taken', 'full'), { recursive: true });
    await expect(atomicWrite(join(folder.path, 'taken'), 'x')).rejects.toMatchObject({
      code: 'STORE_WRITE_FAILED',
      place: { file: join(folder.path, 'taken') },
    });
    expect(await readdir(folder.path)).toEqual(['taken']);
  });

  it.runIf(process.platform === 'linux')('needs no temporary folder on the same file system', async () => {
    await mkdir(PREPARED, { recursive: true });
    const [folder, other] = await Promise.all([PREPARED, '/dev/shm'].map((place) => mkdtemp(join(place, 'write-'))));
    try {
      expect((await stat(folder!)).dev).not.toBe((await stat(other!)).dev);
      await atomicWrite(join(folder!, 'file'), 'x', { temporaryFolder: other! });
      expect(await readFile(join(folder!, 'file'), 'utf8')).toBe('x');
      expect([await readdir(folder!), await readdir(other!)]).toEqual([['file'], []]);
    } finally {
      for (const one of [folder!, other!]) await rm(one, { recursive: true });
    }
  });

  it.runIf(process.platform === 'linux')('ends where no folder can be made', async () => {
    await expect(atomicWrite('/proc/gateline/deep/file', 'x')).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' });
  });
});

describe('processes as the system shows them', () => {
  it('are read from /proc whatever their name holds, and a zombie is gone', () => {
    const line = (state: string) => `42 (a) b (c)) ${state} 1 42 42 0 -1 4194560 1 0 0 0 1 2 3 4 20 0 1 0 98765 0 0`;
    expect(parseProcStat(line('S'))).toEqual({ state: 'running', start: '98765' });
    expect(parseProcStat(line('Z'))).toEqual({ state: 'gone' });
  });

  it('belong to one boot, another one, or a namespace that cannot be looked into', () => {
    expect(compareBoots('b1 pid:[1]', 'b1 pid:[1]')).toBe('same');
    expect(compareBoots('b1 pid:[1]', 'b2 pid:[1]')).toBe('other');
    expect(compareBoots('b1 pid:[1]', 'b1 pid:[2]')).toBe('cannot-tell');
    expect(compareBoots('about:1000', 'about:1060')).toBe('same');
    expect(compareBoots('about:1000', 'about:9000')).toBe('other');
  });
});

describe('a store after its process was killed', () => {
  it('goes on where it was', async () => {
    await using made = await makeWorkspace();
    const exit = await exitOf(startFixture('write-many.ts', made.workspace, 'design', '0', '3'));
    expect(exit.stdout).toBe('written 0\nwritten 1\nwritten 2\n');
    const again = await exitOf(startFixture('write-many.ts', made.workspace, 'design', '0', '4'));
    expect(again.stdout).toBe('taken 0\ntaken 1\ntaken 2\nwritten 3\n');
  });
});
