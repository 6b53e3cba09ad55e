import { delimiter, join } from 'node:path';
import { GIT_LOCAL_VARIABLES, PATH_LISTS, type Environment } from '../../environment.ts';
import { pathBelow } from '../dependencies/link-plan.ts';

/**
 * An environment for a command that runs in a work tree: without variables that point git at another repository, and
 * with program and library paths in the user's repository replaced by those in the work tree. Otherwise a call from an
 * npm script or with an active Python environment would run the user's `node_modules/.bin` and install into the user's
 * `.venv`.
 *
 * @param from top of the user's repository; absolute, real path
 * @param to top of the work tree
 */
export function environmentOfTree(environment: Environment, from: string, to: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || GIT_LOCAL_VARIABLES.has(name)) continue;
    const isList = PATH_LISTS.has(name.toUpperCase());
    result[name] = isList
      ? value
          .split(delimiter)
          .map((path) => moved(path, from, to))
          .join(delimiter)
      : value;
  }
  return result;
}

function moved(path: string, from: string, to: string): string {
  const below = path.startsWith(from) ? pathBelow(from, path) : undefined;
  return below === undefined ? path : join(to, below);
}
