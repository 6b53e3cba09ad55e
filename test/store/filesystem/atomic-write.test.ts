import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atomicWrite } from '../../../src/store/filesystem/atomic-write.ts';
import { makeFolder, sweepTemporary, writeTemporaryBytes } from '../../../src/store/filesystem/durable.ts';
import { neverCounts } from '../../../src/workspace/files/contain.ts';
import { REPOSITORY } from '../../support/command-line.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'atomic-'))));
afterEach(() => rm(folder, { recursive: true }));

/** A folder on another file system than the temporary one. */
const OTHERS = ['/dev/shm', '/tmp', REPOSITORY].filter(
  (one) => existsSync(one) && statSync(one).dev !== statSync(tmpdir()).dev,
);

describe('a folder', () => {
  it('is made although another process removes it again and again', async () => {
    const path = join(folder, 'made');
    const script = `const fs = require('node:fs'); console.log('begun');
      for (;;) try { fs.rmdirSync(process.argv[1]); } catch {}`;
    const remover = spawn(process.execPath, ['-e', script, path]);
    await once(remover.stdout, 'data');
    const made = new Set<boolean>();
    for (const end = Date.now() + 4_000; Date.now() < end;) made.add(await makeFolder(path));
    remover.kill('SIGKILL');
    await once(remover, 'exit');
    // It was there, and it was not.
    expect(made).toEqual(new Set([true, false]));
  });
});

describe('a temporary file', () => {
  it('has a name that is never an input of a gate', async () => {
    const { path } = await writeTemporaryBytes(folder, [Buffer.from('half')]);
    expect([neverCounts(basename(path)), neverCounts(`src/${basename(path)}`)]).toEqual([true, true]);
  });

  it('that a killed process left is removed after an hour; those of others are not', async () => {
    const [old, young] = await Promise.all([1, 2].map(() => writeTemporaryBytes(folder, [Buffer.from('half')])));
    const others = join(folder, 'mine.tmp');
    await writeFile(others, 'x');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const path of [old!.path, others]) await utimes(path, longAgo, longAgo);
    await sweepTemporary(folder, neverCounts);
    expect((await readdir(folder)).toSorted()).toEqual([basename(young!.path), 'mine.tmp'].toSorted());
    await sweepTemporary(join(folder, 'none'));
  });

  it.runIf(OTHERS.length > 0)('is next to the file if its folder is on another file system', async () => {
    const other = await mkdtemp(join(OTHERS[0]!, 'atomic-'));
    try {
      const path = join(folder, 'a', 'file');
      const done: string[] = [];
      await atomicWrite(path, 'new', { temporaryFolder: join(other, 'tmp'), onDurable: (what) => done.push(what) });
      expect([await readFile(path, 'utf8'), done]).toEqual(['new', [`file ${path}`]]);
      expect([await readdir(join(folder, 'a')), await readdir(join(other, 'tmp'))]).toEqual([['file'], []]);
    } finally {
      await rm(other, { recursive: true });
    }
  });

  it('does not stay if the file cannot get its name', async () => {
    await mkdir(join(folder, 'taken', 'inside'), { recursive: true });
    await expect(atomicWrite(join(folder, 'taken'), 'new')).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' });
    expect(await readdir(folder)).toEqual(['taken']);
  });
});
