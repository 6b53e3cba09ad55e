import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from './command-line.ts';

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
