import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf, hexOf, type Digest } from '../../src/json/digest.ts';
import type { Checkpoint } from '../../src/run/checkpoint.ts';
import { AttemptFolders, readPlainFile, subjectSlug } from '../../src/store/files/attempts.ts';
import { FileCheckpoints } from '../../src/store/files/checkpoints.ts';
import { FileContents } from '../../src/store/files/contents.ts';
import { FileHistory } from '../../src/store/files/history.ts';
import { writeProjection } from '../../src/store/files/projections.ts';
import { dieAtEachStep, testFolder } from './folder.ts';

describe('the state folder', () => {
  it('is created with a .gitignore for everything, and can be opened again', async () => {
    await using folder = await testFolder();
    await folder.reopen();
    expect(await readFile(folder.state.pathOf('.gitignore'), 'utf8')).toBe('*\n');
    expect((await stat(folder.state.path)).mode & 0o777 & ~0o755).toBe(0);
  });

  it('may be a link inside the workspace, but none that leads out', async () => {
    await using folder = await testFolder();
    const path = join(folder.workspace, '.state');
    await rename(path, join(folder.workspace, 'kept'));
    await symlink('kept', path);
    expect((await folder.reopen()).path).toBe(join(folder.workspace, 'kept'));
    for (const [target, error] of [
      ['..', /leads out of the workspace/],
      ['.', /leads out/],
      ['nowhere', /^[^']+\/\.state cannot be used: ENOENT: no such file or directory, realpath$/],
    ] as const) {
      await rm(path);
      await symlink(target, path);
      await expect(folder.reopen()).rejects.toThrow(error);
    }
  });

  it('says what to do where the system refuses', async () => {
    await using folder = await testFolder();
    await writeFile(folder.state.pathOf('checkpoints'), '');
    const find = new FileCheckpoints(folder.state).find(digestOf(''));
    await expect(find).rejects.toMatchObject({ fault: 'platform', hint: expect.stringContaining('move it away') });
    await rm(folder.state.path, { recursive: true });
    await writeFile(folder.state.path, '');
    await expect(folder.reopen()).rejects.toMatchObject({
      fault: 'platform',
      hint: expect.stringContaining('move it away'),
    });
  });

  it('is cleared of temporary files of killed writers after an hour', async () => {
    await using folder = await testFolder();
    const { path } = await folder.state.writeTemporary(['old']);
    await folder.state.writeTemporary(['new']);
    await utimes(path, 1, 1);
    await folder.state.sweep();
    expect(await readdir(folder.state.pathOf('tmp'))).toHaveLength(1);
  });
});

describe('contents', () => {
  it('are found by their digest, in whatever chunks they were written', async () => {
    await using folder = await testFolder();
    const contents = new FileContents(folder.state);
    async function* pieces() {
      yield 'ä';
      yield Buffer.from('bc');
    }
    const content = await contents.put(pieces());
    expect(content).toEqual({ digest: digestOf('äbc'), bytes: 4 });
    expect(await contents.put(['äb', 'c'])).toEqual(content);
    expect(Buffer.from((await contents.get(content.digest))!).toString()).toBe('äbc');
    expect(await contents.copyTo(content.digest, join(folder.workspace, 'copy'))).toBe(true);
    expect(await readFile(join(folder.workspace, 'copy'), 'utf8')).toBe('äbc');
    await expect(contents.copyTo(content.digest, join(folder.workspace, 'copy'))).rejects.toThrow(/EEXIST/);
    expect(await readdir(folder.state.pathOf('tmp'))).toEqual([]);
    const { digest } = await contents.put(['other']);
    await contents.removeAllBut(new Set([digest]));
    expect([await contents.get(content.digest), await contents.get(digest)]).toEqual([undefined, Buffer.from('other')]);
  });

  it('that are absent or damaged are not found until they are put again', async () => {
    await using folder = await testFolder();
    const contents = new FileContents(folder.state);
    const { digest } = await contents.put(['value']);
    const path = folder.state.pathOf('content', hexOf(digest).slice(0, 2), hexOf(digest));
    for (const damage of [() => rm(path), () => writeFile(path, 'valve'), () => writeFile(path, '')]) {
      await damage();
      expect(await contents.get(digest)).toBeUndefined();
      expect(await contents.copyTo(digest, join(folder.workspace, 'copy'))).toBe(false);
      expect(existsSync(join(folder.workspace, 'copy'))).toBe(false);
      await contents.put(['value']);
      expect(await contents.get(digest)).toBeDefined();
    }
  });

  it('are there or not when the writer is killed, and nothing is left where its source fails', async () => {
    const steps = await dieAtEachStep(
      (state) => new FileContents(state).put(['value']),
      async ({ state }) => expect(await new FileContents(state).get(digestOf('value'))).toBeUndefined(),
    );
    expect(steps).toEqual(['write tmp', 'rename content/cd/…']);
    await using folder = await testFolder();
    function* failing() {
      yield 'a';
      throw new Error('source');
    }
    await expect(new FileContents(folder.state).put(failing())).rejects.toThrow('source');
    expect(await readdir(folder.state.pathOf('tmp'))).toEqual([]);
  });
});

describe('checkpoints', () => {
  const digest: Digest = digestOf('x');
  const checkpoint = (n: number, unit = 'build'): Checkpoint => ({
    v: 1,
    attempt: { subject: 's', run: 1, unit, n },
    fingerprint: digest,
    how: 'ran',
    verdict: { status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' },
    contract: digest,
    files: {},
    startedAt: '2026-01-01T00:00:00.000Z',
    ms: 1,
  });
  const keys = ['a', 'b', 'c', 'd'].map((text) => digestOf(text)) as [Digest, Digest, Digest, Digest];

  it('are remembered, the newest wins, and those of an attempt are forgotten', async () => {
    await using folder = await testFolder();
    const checkpoints = new FileCheckpoints(folder.state);
    expect(await checkpoints.find(keys[0])).toBeUndefined();
    await checkpoints.forget([checkpoint(1).attempt]);
    await checkpoints.save(keys[0], checkpoint(9));
    for (const [index, key] of keys.entries())
      await checkpoints.save(key, checkpoint(index % 2, index < 3 ? 'build' : 'test'));
    expect(await checkpoints.find(keys[0])).toEqual(checkpoint(0));
    await checkpoints.forget([checkpoint(0).attempt, checkpoint(5).attempt]);
    expect(await checkpoints.list()).toEqual(
      new Map([
        [keys[1], checkpoint(1)],
        [keys[3], checkpoint(1, 'test')],
      ]),
    );
    await checkpoints.removeAllBut(new Set([keys[3]]));
    expect([...(await checkpoints.list()).keys()]).toEqual([keys[3]]);
  });

  it.each(['', '{', 'null', '{"v":2}', JSON.stringify({ ...checkpoint(1), more: 1 })])(
    'that are none are not used: %s',
    async (text) => {
      await using folder = await testFolder();
      const checkpoints = new FileCheckpoints(folder.state);
      await checkpoints.save(keys[0], checkpoint(1));
      await writeFile(folder.state.pathOf('checkpoints', `${hexOf(keys[0])}.json`), text);
      await writeFile(folder.state.pathOf('checkpoints', 'README'), text);
      expect(await checkpoints.find(keys[0])).toBeUndefined();
      expect((await checkpoints.list()).size).toBe(0);
      await checkpoints.forget([checkpoint(1).attempt]);
    },
  );
});

describe('directories of attempts', () => {
  const attempt = { subject: 'Feature/Login', run: 2, unit: 'build/linux', n: 3 };

  it('are new and empty, only for their owner, at a path that names the attempt', async () => {
    await using folder = await testFolder();
    const attempts = new AttemptFolders(folder.state, 'web');
    const path = await attempts.create(attempt);
    expect(path).toMatch(/\/\.state\/attempts\/web\/feature-login-[0-9a-f]{16}\/2\/build\.linux\/3$/);
    expect([path, (await stat(path)).mode & 0o777]).toEqual([attempts.pathOf(attempt), 0o700]);
    await attempts.write(path, 'request.json', '{}');
    expect(await attempts.read(path, 'request.json', 2)).toEqual({ state: 'present', bytes: Buffer.from('{}') });
    expect(await readdir(await attempts.create(attempt))).toEqual([]);
  });

  it('have files of agents that are read without following links or waiting for pipes', async () => {
    await using folder = await testFolder();
    const path = (name: string) => join(folder.workspace, name);
    await writeFile(path('file'), '12345');
    await symlink('file', path('link'));
    await mkdir(path('folder'));
    execFileSync('mkfifo', [path('pipe')]);
    expect(await readPlainFile(path('file'), 5)).toMatchObject({ state: 'present' });
    expect(await readPlainFile(path('file'), 4)).toEqual({ state: 'too-large', size: 5 });
    expect(await readPlainFile(path('none'), 5)).toEqual({ state: 'absent' });
    expect(await readPlainFile(path('link'), 5)).toMatchObject({ state: 'refused', reason: /symbolic link$/ });
    for (const name of ['folder', 'pipe', 'file/below'])
      expect(await readPlainFile(path(name), 5)).toMatchObject({ state: 'refused' });
  });

  it.each([
    ['pr-42', 'pr-42'],
    ['Feature/Login', /^feature-login-[0-9a-f]{16}$/],
    ['', /^subject-[0-9a-f]{16}$/],
    ['nul.txt', /^_nul\.txt-[0-9a-f]{16}$/],
    ['\ud800', /^subject-[0-9a-f]{16}$/],
    ['x'.repeat(200), /^x{63}-[0-9a-f]{16}$/],
    [`a-${'0'.repeat(16)}`, /^a-0{16}-[0-9a-f]{16}$/],
  ])('have a name for the subject %j', (subject, slug) => {
    expect(subjectSlug(subject)).toEqual(typeof slug === 'string' ? slug : expect.stringMatching(slug));
    expect(subjectSlug(`${subject}\u0301`)).not.toBe(subjectSlug(subject));
  });
});

describe('files for people', () => {
  it('include a history with a line per call, even after a writer was killed', async () => {
    await using folder = await testFolder();
    const history = new FileHistory(folder.state);
    expect(await history.read()).toBe('');
    await history.append({ run: 1 });
    await writeFile(folder.state.pathOf('history.jsonl'), '{"run":1}\n{"ru');
    await history.append({ run: 2 });
    expect(await history.read()).toBe('{"run":1}\n{"ru\n{"run":2}\n');
  });

  it('never take the place of files that somebody else wrote', async () => {
    await using folder = await testFolder();
    const names = async () => (await readdir(folder.state.path)).filter((name) => name.startsWith('gate0')).sort();
    await writeFile(folder.state.pathOf('gate0.json'), 'theirs');
    await writeProjection(folder.state, 'gate0.json', null);
    await writeProjection(folder.state, 'gate0.json', 'one');
    await writeProjection(folder.state, 'gate0.json', 'two');
    expect(await names()).toEqual(['gate0.json', expect.stringMatching(/^gate0\.json\..*\.bak$/)]);
    expect(await readFile(folder.state.pathOf((await names())[1]!), 'utf8')).toBe('theirs');
    expect(await readFile(folder.state.pathOf('gate0.json'), 'utf8')).toBe('two');
    await writeProjection(folder.state, 'gate0.json', null);
    expect(await names()).toEqual([expect.stringMatching(/\.bak$/)]);
  });
});
