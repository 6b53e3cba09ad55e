import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inParallel } from '../../in-parallel.ts';
import { ENVIRONMENT_FILE } from './plan-environment.ts';
import { isInstalled } from './plan-modules.ts';

const OF_NODE = /(?:^|\/)package\.json$/;
const OF_PYTHON = /(?:^|\/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|Pipfile|uv\.lock|poetry\.lock)$/;
const ENVIRONMENTS = ['.venv', 'venv'];
const SIDE_BY_SIDE = 16;

/**
 * Folders of installed packages in the user's folder: `node_modules`, and `.venv` and `venv` created by Python. Only
 * the top folder and the folders with dependency files are searched, so no tree is walked.
 *
 * @param top absolute path of the repository
 * @param files paths of the tree, relative to the top
 * @returns relative paths, sorted
 */
export async function findDependencyFolders(top: string, files: Iterable<string>): Promise<string[]> {
  const found: string[] = [];
  await inParallel(SIDE_BY_SIDE, candidates(files), async (path) => {
    const isThere = isInstalled(path) ? isFolder(join(top, path)) : isEnvironment(join(top, path));
    if (await isThere) found.push(path);
  });
  return found.toSorted();
}

/** Whether this folder is an environment created by Python. */
export async function isEnvironment(path: string): Promise<boolean> {
  const stats = await stat(join(path, ENVIRONMENT_FILE)).catch(() => undefined);
  return stats?.isFile() === true;
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() === true;
}

function candidates(files: Iterable<string>): Set<string> {
  const paths = new Set(['node_modules', ...ENVIRONMENTS]);
  for (const file of files) {
    const isOfNode = OF_NODE.test(file);
    if ((!isOfNode && !OF_PYTHON.test(file)) || isInstalled(file)) continue;
    const folder = file.slice(0, file.lastIndexOf('/') + 1);
    for (const name of isOfNode ? ['node_modules'] : ENVIRONMENTS) paths.add(folder + name);
  }
  return paths;
}
