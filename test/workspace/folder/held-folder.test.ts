import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdFolder } from '../../../src/workspace/folder/held-folder.ts';
import { temporaryFolder } from '../../contract/temporary-folder.ts';

describe('a held folder', () => {
  it('is made where it is missing, with those above it', async () => {
    await using folder = await temporaryFolder();
    await using held = await holdFolder(folder.path, ['a', 'b\uFFFDFF', 'c']);
    writeFileSync(held.at('f'), 'x');
    expect(readFileSync(Buffer.from(`${folder.path}/a/b\xff/c/f`, 'latin1'), 'utf8')).toBe('x');
  });

  it.runIf(process.platform === 'linux')('stays the same folder where a link takes its place', async () => {
    await using folder = await temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    for (const name of ['root/d', 'outside']) mkdirSync(at(name), { recursive: true });
    await using held = await holdFolder(at('root'), ['d']);
    renameSync(at('root/d'), at('root/moved'));
    symlinkSync(at('outside'), at('root/d'));
    writeFileSync(held.at('f'), 'x');
    expect([existsSync(at('outside/f')), existsSync(at('root/moved/f'))]).toEqual([false, true]);
  });

  it.runIf(process.platform === 'linux')('is never reached through a link or a file', async () => {
    await using folder = await temporaryFolder();
    symlinkSync('/etc', join(folder.path, 'link'));
    writeFileSync(join(folder.path, 'file'), '');
    for (const names of [['link'], ['link', 'x'], ['file'], ['file', 'x']])
      await expect(holdFolder(folder.path, names)).rejects.toThrow(/ENOTDIR|ELOOP/);
  });
});
