import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitIn, type GitOptions } from '../git/git.ts';

/** Messages of git that are read. */
const MOST = 1_000;

/**
 * What git says of objects in our own store whose bytes are not what their names say, or whose packs cannot be read; a
 * line each. The objects of the user's repository are not looked at, and a missing object is no damage: old ones are
 * removed.
 * @param store absolute path of the store; it may be missing
 * @throws GatelineError `GIT_NOT_FOUND`, `GIT_TIMEOUT`
 */
export async function damagedObjects(store: string, options: GitOptions): Promise<string[]> {
  if (!existsSync(join(store, 'objects'))) return [];
  const fsck = ['--git-dir', store, 'fsck', '--full', '--no-dangling', '--no-progress'];
  const { err } = await gitIn(store, options)(fsck, { answers: Array.from({ length: 256 }, (_, code) => code) });
  return err
    .split('\n')
    .filter((line) => line.startsWith('error: '))
    .slice(0, MOST)
    .map((line) => line.slice('error: '.length));
}
