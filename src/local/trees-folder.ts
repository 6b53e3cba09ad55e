import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { CLI_VARIABLES, SYSTEM_VARIABLES, type Environment } from '../environment.ts';

/**
 * The folder for work trees: `GATELINE_TREES`, else what gateline.yml says, else the system's cache folder. It lies outside
 * of every workspace: in a work tree below it, tools that look upwards would find the user's files, and git the user's
 * repository.
 * @param root absolute path of the workspace
 * @param written `workspace: {trees}`: absolute, relative to the workspace, or below `~`
 * @returns absolute path; it may not exist
 */
export function treesFolder(root: string, written: string | undefined, environment: Environment): string {
  const asked = environment[CLI_VARIABLES.trees] ?? '';
  const path = asked === '' ? written : asked;
  if (path === undefined) return join(cacheFolder(environment), 'gateline', 'trees');
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  return resolve(root, path);
}

function cacheFolder(environment: Environment): string {
  const home = environment[SYSTEM_VARIABLES.home] ?? homedir();
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches');
  if (process.platform === 'win32') return environment[SYSTEM_VARIABLES.localAppData] ?? join(home, 'AppData', 'Local');
  const named = environment[SYSTEM_VARIABLES.cacheHome] ?? '';
  return named.startsWith('/') ? named : join(home, '.cache');
}
