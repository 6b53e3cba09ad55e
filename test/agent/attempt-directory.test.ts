import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { AttemptDirectory, AttemptFiles } from '../../src/agent/attempt-files.ts';
import { createAttemptFiles } from '../../src/agent/process/attempt-directory.ts';

const ID = { pipeline: 'p', subject: 'subject', gate: 'a', leg: '', runNumber: 1, runAttempt: 1, n: 1 };

interface Scratch extends AsyncDisposable {
  readonly root: string;
  readonly attempts: AttemptFiles;
  readonly directory: AttemptDirectory;
}

async function scratch(): Promise<Scratch> {
  const root = await mkdtemp(join(tmpdir(), 'gateline-attempts-'));
  const attempts = createAttemptFiles({ root: join(root, 'attempts') });
  const directory = await attempts.create(ID);
  return { root, attempts, directory, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

describe('the directory of an attempt', () => {
  it('is made once, and found again by whoever completes the attempt', async () => {
    await using made = await scratch();
    await made.directory.write('request.json', ['{', '}']);
    await expect(made.attempts.create(ID)).rejects.toMatchObject({ code: 'ATTEMPT_EXISTS' });
    const found = await made.attempts.open(ID);
    expect(await found?.read('request.json', 100)).toMatchObject({ state: 'present', bytes: Buffer.from('{}') });
    expect(await made.attempts.open({ ...ID, n: 2 })).toBeUndefined();
  });

  it('gives only plain files: no link is followed, no folder and no pipe is read', async () => {
    await using made = await scratch();
    const { directory, root } = made;
    await writeFile(join(root, 'elsewhere.json'), '"not yours"');
    await symlink(join(root, 'elsewhere.json'), directory.pathOf('output.json'));
    await mkdir(directory.pathOf('metrics.json'));
    expect(await directory.read('output.json', 100)).toEqual({ state: 'refused', why: 'it is a symbolic link' });
    expect(await directory.read('metrics.json', 100)).toMatchObject({ state: 'refused' });
    expect(await directory.read('learnings.md', 100)).toEqual({ state: 'absent' });
  });

  it('gives no file that is larger than asked for', async () => {
    await using made = await scratch();
    await writeFile(made.directory.pathOf('output.json'), 'x'.repeat(101));
    expect(await made.directory.read('output.json', 100)).toEqual({ state: 'too-large', size: 101 });
  });

  it('is read, cleared and written after an agent took the rights to it away, and leftovers are still found in it', async () => {
    await using made = await scratch();
    await chmod(made.root, 0o777);
    const script = join(import.meta.dirname, 'fixtures/without-rights.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script, join(made.root, 'of-somebody')]);
    expect(JSON.parse(stdout)).toEqual({
      state: 'present',
      left: 'absent',
      records: [{ pid: 1, started: '1', boot: '1', format: 'gateline-process/1' }],
    });
  });
});
