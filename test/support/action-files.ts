import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLED, REPOSITORY } from './programs/places.ts';
import { IS_FULL } from './test-size.ts';

/**
 * The folder of the action, as `uses:` finds it. Its programs are `src/` as it is now: the bundle of this test run, or two
 * lines that load the sources. In the larger sizes it is this repository: `dist/` as its users get it.
 */
export const ACTION_FOLDER = IS_FULL ? REPOSITORY : (BUNDLED ?? join(import.meta.dirname, 'action-from-source'));

/** The programs of the action by themselves, in {@link ACTION_FOLDER}, as `action.yml` names them. */
export const ACTION_PROGRAMS = {
  main: join(ACTION_FOLDER, 'dist/index.js'),
  post: join(ACTION_FOLDER, 'dist/post.js'),
} as const;

/**
 * Puts the action into a folder as its users get it: `action.yml` and the bundle that it starts, as they are in this
 * repository. Nothing else of it: act copies the folder of an action whole.
 */
export async function layAction(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(join(REPOSITORY, 'action.yml'), join(folder, 'action.yml'));
  const commandLine = join(REPOSITORY, 'dist/cli');
  const filter = (path: string) => path !== commandLine;
  await cp(join(REPOSITORY, 'dist'), join(folder, 'dist'), { recursive: true, filter });
}
