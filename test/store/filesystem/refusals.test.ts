import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GatelineError } from '../../../src/errors/gateline-error.ts';
import type { RecordStore } from '../../../src/store/record-store.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { takeLock } from '../../../src/store/filesystem/lock/engine-lock.ts';
import { someone, startedRecord } from '../../contract/samples.ts';
import { exitOf, filesBelow, makeWorkspace, startFixture } from './workspace.ts';

const posix = process.platform !== 'win32';

async function foldersBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true });
  return [root, ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))];
}

describe.runIf(posix)('a user whom file modes stop', () => {
  it('is told what cannot be read and written; nothing of it counts as absent', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const records: GatelineRecord[] = [
      startedRecord({ n: 1 }),
      startedRecord({ n: 2 }),
      startedRecord({ n: 3, runNumber: 2 }),
    ];
    for (const record of records) await store.write(record);
    const { digest } = await store.put('secret of another user');
    // Ours are for their owner alone; here everybody may look, but for three places.
    for (const folder of [made.workspace, ...(await foldersBelow(made.root))]) await chmod(folder, 0o755);
    await chmod(made.fileOf(records[1]!), 0);
    await chmod(dirname(made.fileOf(records[2]!)), 0);
    await chmod(made.fileOfContent(digest), 0);
    for (const folder of [made.root, join(made.root, 'tmp'), join(made.root, 'runs')]) await chmod(folder, 0o555);
    const exit = await exitOf(startFixture('list-without-rights.ts', made.workspace, digest));
    for (const folder of [
      made.root,
      join(made.root, 'tmp'),
      join(made.root, 'runs'),
      dirname(made.fileOf(records[2]!)),
    ])
      await chmod(folder, 0o755);
    expect(exit.code).toBe(0);
    const said = JSON.parse(exit.stdout) as { listing: { problems: { code: string; names?: { n: number } }[] } };
    expect(said.listing).toMatchObject({ records: [records[0]] });
    expect(said.listing.problems.map((problem) => `${problem.code} ${problem.names?.n}`).toSorted()).toEqual([
      'LISTING_LIMIT undefined',
      'UNREADABLE 2',
    ]);
    expect(said).toMatchObject({
      content: {
        state: 'unknown',
        problem: { code: 'UNREADABLE', message: expect.stringContaining('EACCES') as string },
      },
      subjects: { settled: ['pr-42'] },
      written: { code: 'STORE_READ_ONLY' },
    });
  });
});

/** Content that was there before, and content that was not: one of them has a folder to make. */
async function putBoth(store: RecordStore): Promise<void> {
  await store.put("somebody else's");
  await store.put("somebody's");
}

describe.runIf(posix)('what stands in the way of content', () => {
  /** What stands there, by its path below .state; `DIGEST` is where the content belongs. */
  it.each([
    ['a folder is in its place', 'DIGEST', true],
    ['a file is in the place of the folder .state/content/sha256', 'content/sha256', false],
    ['a file is in the place of the folder .state/content', 'content', false],
    ['a file is in the place of the folder .state/tmp', 'tmp', false],
  ])('%s: reading and writing say so, and the command that they print repairs it', async (said, where, isFolder) => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const { digest } = await store.put("somebody's");
    const place = where === 'DIGEST' ? made.fileOfContent(digest) : join(made.root, where);
    await rm(place, { recursive: true });
    await (isFolder ? mkdir(join(place, 'kept'), { recursive: true }) : writeFile(place, 'kept'));
    const command = `mv ${place} ${place}.moved`;
    const reopened = await (where === 'tmp' ? store : made.open());
    if (where !== 'tmp') {
      expect(await reopened.get(digest)).toMatchObject({
        state: 'unknown',
        problem: { code: 'UNREADABLE', message: `${said}; move it away: \`${command}\`` },
      });
    }
    const refused: unknown = await putBoth(reopened).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'STORE_WRITE_FAILED', fault: 'platform' });
    expect(refused).toHaveProperty('message', expect.stringMatching(new RegExp(`: ${said}$`)));
    expect((refused as GatelineError).hint).toContain(`\`${command}\``);
    execFileSync('sh', ['-c', command]);
    expect(await (await made.open()).put("somebody's")).toMatchObject({ digest });
    expect(await readdir(dirname(place))).toContain(basename(`${place}.moved`));
  });

  it('is named where .state itself is a file', async () => {
    await using made = await makeWorkspace();
    await writeFile(made.root, 'kept');
    await expect(takeLock(made.root, someone, () => false)).rejects.toMatchObject({
      code: 'STORE_WRITE_FAILED',
      hint: expect.stringContaining(`\`mv ${made.root} ${made.root}.moved\``) as string,
    });
  });
});

describe('a disk that refuses', () => {
  it.each([
    ['a file in the place of runs/', 'runs'],
    ['a file in the place of tmp/', 'tmp'],
  ])('%s: STORE_WRITE_FAILED with path, hint and cause, and nothing half written', async (_, folder) => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await rm(join(made.root, folder), { recursive: true, force: true });
    await writeFile(join(made.root, folder), '');
    await expect(store.write(startedRecord())).rejects.toMatchObject({
      code: 'STORE_WRITE_FAILED',
      fault: 'platform',
      message: expect.stringContaining('.state/runs/pr-42/1/ship.design._.1.1.1.started.json') as string,
      hint: expect.stringMatching(/./) as string,
      cause: { syscall: expect.any(String) as string },
    });
    expect(await readdir(made.root)).toContain(folder);
  });

  it.runIf(posix)(
    'a file that may not grow any further: the content is refused and nothing of it is left',
    async () => {
      await using made = await makeWorkspace();
      const script = join(import.meta.dirname, 'fixtures/big-content.ts');
      const limited = `ulimit -f 2048; exec "$0" "$@" 2>&1`;
      let output = '';
      try {
        execFileSync('sh', ['-c', limited, process.execPath, script, made.workspace, '4'], {
          encoding: 'utf8',
          stdio: 'pipe',
        });
      } catch (error) {
        output = (error as { stdout: string }).stdout;
      }
      expect(output).toContain('STORE_WRITE_FAILED');
      expect(output).toContain('EFBIG');
      expect(await filesBelow(made.root)).toEqual(['.gitignore']);
    },
  );
});
