import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { treesFolder, type TreesFolderOptions } from '../../../src/workspace/slots/trees-folder.ts';
import { Folder } from '../folder.ts';

async function folderOf(folder: Folder, options: Partial<TreesFolderOptions> = {}): Promise<string> {
  const workspace = join(folder.root, 'web');
  mkdirSync(workspace, { recursive: true });
  return treesFolder({
    setting: undefined,
    environment: folder.environment,
    workspace,
    repository: folder.root,
    platform: 'linux',
    ...options,
  });
}

describe('the folder for work trees', () => {
  it('is in the cache folder of the system', async () => {
    await using folder = await Folder.plain();
    const home = folder.beside('home');
    const { environment } = folder;
    expect(await folderOf(folder)).toBe(`${home}/.cache/gateline/trees`);
    expect(await folderOf(folder, { platform: 'darwin' })).toBe(`${home}/Library/Caches/gateline/trees`);
    expect(await folderOf(folder, { platform: 'win32' })).toBe(`${home}/AppData/Local/gateline/trees`);
    const set = { ...environment, XDG_CACHE_HOME: '/var/cache/me', LOCALAPPDATA: '/local' };
    expect(await folderOf(folder, { environment: set })).toBe('/var/cache/me/gateline/trees');
    expect(await folderOf(folder, { environment: set, platform: 'win32' })).toBe('/local/gateline/trees');
    expect(await folderOf(folder, { environment: { ...environment, XDG_CACHE_HOME: 'relative' } })).toBe(
      `${home}/.cache/gateline/trees`,
    );
  });

  it('is what the pipeline says', async () => {
    await using folder = await Folder.plain();
    const home = folder.beside('home');
    expect(await folderOf(folder, { setting: '/var/trees' })).toBe('/var/trees');
    expect(await folderOf(folder, { setting: '~/trees' })).toBe(`${home}/trees`);
    expect(await folderOf(folder, { setting: '~' })).toBe(home);
    expect(await folderOf(folder, { setting: '../../trees' })).toBe(folder.beside('trees'));
  });

  it('is what GATELINE_TREES says, if it says anything', async () => {
    await using folder = await Folder.plain();
    const given = (value: string) => ({ ...folder.environment, GATELINE_TREES: value });
    expect(await folderOf(folder, { setting: '/var/trees', environment: given('/srv/trees') })).toBe('/srv/trees');
    expect(await folderOf(folder, { setting: '/var/trees', environment: given('') })).toBe('/var/trees');
    expect(await folderOf(folder, { environment: given('~/x') })).toBe(`${folder.beside('home')}/x`);
  });

  it('has no link in its path, so that it is one path for everybody', async () => {
    await using folder = await Folder.plain();
    mkdirSync(folder.beside('real'));
    symlinkSync('real', folder.beside('link'));
    expect(await folderOf(folder, { setting: '../../link/a/b' })).toBe(folder.beside('real/a/b'));
  });

  it.each([
    ['../trees', 'x', 'it is set by `trees` under `workspace`'],
    ['..', 'x', 'it is set by `trees` under `workspace`'],
    [undefined, '.cache', 'it is set by GATELINE_TREES'],
    ['../../around/trees', 'x', 'it is set by `trees` under `workspace`'],
  ])('never lies in the repository: %s, %s', async (setting, given, why) => {
    await using folder = await Folder.plain();
    symlinkSync(folder.root, folder.beside('around'));
    const environment = setting === undefined ? { ...folder.environment, GATELINE_TREES: given } : folder.environment;
    await expect(folderOf(folder, { setting, environment })).rejects.toMatchObject({
      code: 'TREES_INSIDE_REPOSITORY',
      fault: 'user',
      message: expect.stringContaining(why),
    });
  });
});
