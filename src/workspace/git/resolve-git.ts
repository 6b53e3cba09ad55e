import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from '../../environment.ts';

/**
 * The absolute path of git, by the PATH as it is now: what an agent puts on the PATH later is not run. A name that is
 * not found there is answered as it is; running it then says so.
 */
export async function resolveGit(name: string, environment: Environment): Promise<string> {
  if (isAbsolute(name) || process.platform === 'win32') return name;
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    if (!isAbsolute(path)) continue;
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // Not here, or not for us: the next folder may have it.
    }
  }
  return name;
}
