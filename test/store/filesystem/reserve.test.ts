import { readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Reserve, RESERVE_BYTES } from '../../../src/store/filesystem/reserve.ts';
import { StateFolder } from '../../../src/store/filesystem/state-folder.ts';
import { startedRecord } from '../../contract/samples.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const full = (code: string) => Object.assign(new Error(`${code}: no space left`), { code, syscall: 'write' });

async function reserveOf(made: TestWorkspace): Promise<{ readonly reserve: Reserve; readonly path: string }> {
  const state = await StateFolder.open({ root: made.root, workspace: made.workspace });
  return { reserve: new Reserve(state), path: join(made.root, 'reserve') };
}

/** Fails as often as it is told, with errors of the system. */
function failing(codes: string[]): () => Promise<string> {
  return async () => {
    const code = codes.shift();
    if (code !== undefined) throw full(code);
    return 'written';
  };
}

describe('space that is kept for how attempts end', () => {
  it('is taken on the disk with the first claim, and again when it was given up', async () => {
    await using made = await makeWorkspace();
    const store = await made.open({ reserve: true });
    await store.write(startedRecord({ n: 1 }));
    const { reserve, path } = await reserveOf(made);
    const before = await stat(path);
    expect(before.size).toBe(RESERVE_BYTES);
    await reserve.hold();
    expect((await stat(path)).ino).toBe(before.ino);
    await reserve.using(failing(['ENOSPC']));
    await store.write(startedRecord({ n: 2 }));
    expect((await stat(path)).size).toBe(RESERVE_BYTES);
    expect((await readdir(join(made.root, 'tmp'))).length).toBe(0);
  });

  it.each(['ENOSPC', 'EDQUOT'])('is given up for one more try after %s', async (code) => {
    await using made = await makeWorkspace();
    const { reserve, path } = await reserveOf(made);
    await reserve.hold();
    expect(await reserve.using(failing([code]))).toBe('written');
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(reserve.using(failing([code]))).rejects.toMatchObject({ code });
  });

  it('is not given up for any other error, and only once for one write', async () => {
    await using made = await makeWorkspace();
    const { reserve, path } = await reserveOf(made);
    await reserve.hold();
    await expect(reserve.using(failing(['EACCES']))).rejects.toMatchObject({ code: 'EACCES' });
    expect((await stat(path)).size).toBe(RESERVE_BYTES);
    await expect(reserve.using(failing(['ENOSPC', 'ENOSPC']))).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  it('replaces what is in its place: a short file, a link', async () => {
    await using made = await makeWorkspace();
    const { reserve, path } = await reserveOf(made);
    await writeFile(path, 'short');
    await reserve.hold();
    expect((await stat(path)).size).toBe(RESERVE_BYTES);
    await reserve.using(failing(['ENOSPC']));
    await symlink(join(made.workspace, 'elsewhere'), path);
    await reserve.hold();
    expect((await readdir(made.workspace)).toSorted()).toEqual(['.state']);
  });
});
