import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { CACHE_FOLDER_VARIABLES, CLI_VARIABLES, type Environment } from '../../environment.ts';
import { GatelineError, isDiskFull } from '../../errors/gateline-error.ts';
import { pathBelow } from '../dependencies/link-plan.ts';

/** Options of {@link treesFolder}. */
export interface TreesFolderOptions {
  /** `workspace.trees` of the pipeline. */
  readonly setting: string | undefined;
  /** The caller's: `GATELINE_TREES` overrides the setting. */
  readonly environment: Environment;
  /** Root of the workspace; relative settings are resolved against it. Absolute, real path. */
  readonly workspace: string;
  /** Top of the repository, which must not contain work trees. Absolute, real path. */
  readonly repository: string;
  /** Default: `process.platform`. */
  readonly platform?: NodeJS.Platform;
}

/**
 * Absolute path of the folder for work trees. It need not exist.
 * @throws GatelineError `TREES_INSIDE_REPOSITORY`
 */
export async function treesFolder(options: TreesFolderOptions): Promise<string> {
  const { setting, environment, workspace, repository, platform = process.platform } = options;
  const given = environment[CLI_VARIABLES.trees];
  const written = given === undefined || given === '' ? setting : given;
  const home = environment[CACHE_FOLDER_VARIABLES.home] ?? homedir();
  const folder =
    written === undefined
      ? join(cacheFolder(environment, home, platform), 'gateline', 'trees')
      : fromHome(written, home, workspace);
  const real = await realOf(folder);
  if (pathBelow(repository, real) === undefined) return real;
  const source =
    written === undefined
      ? 'the cache folder of the system'
      : written === given
        ? CLI_VARIABLES.trees
        : '`trees` under `workspace`';
  throw new GatelineError(
    'TREES_INSIDE_REPOSITORY',
    `The folder for work trees, ${folder}, is inside the repository ${repository}: it is set by ${source}.`,
    {
      hint: `Name a folder outside: git, test runners and linters would treat work trees as part of the repository.`,
    },
  );
}

/** The folder of one workspace's work trees. @param place absolute, real path of the workspace */
export function treesOf(trees: string, place: string): string {
  return join(trees, createHash('sha256').update(place).digest('hex').slice(0, 16));
}

/** Whether the system refused access to a path in a folder, or to one of its parents. */
export function isRefusedBelow(error: unknown, folder: string): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('syscall' in error) || !('path' in error)) return false;
  const path = String(error.path);
  return path === folder || path.startsWith(folder + sep) || folder.startsWith(path + sep);
}

/** Whether the system refused a write into an open file: it does not say into which one. */
export function isRefusedWrite(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall === 'write';
}

/** The error for a folder in which work trees cannot be made or removed. */
export function treesUnusable(folder: string, error: Error): GatelineError {
  const hint = isDiskFull(error)
    ? 'The disk is full: free some space, then run the same command again. Nothing that was stored is lost.'
    : 'Name a folder that can be written to: `GATELINE_TREES`, or `trees` under `workspace` in gateline.yml.';
  const message = `Work trees cannot be kept in ${folder}: ${error.message}`;
  return new GatelineError('TREES_UNUSABLE', message, { hint, cause: error });
}

function fromHome(path: string, home: string, workspace: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(1)) : resolve(workspace, path);
}

function cacheFolder(environment: Environment, home: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(home, 'Library', 'Caches');
  const variable = platform === 'win32' ? CACHE_FOLDER_VARIABLES.windows : CACHE_FOLDER_VARIABLES.xdg;
  const set = environment[variable];
  // https://specifications.freedesktop.org/basedir-spec: a relative path must be ignored.
  if (set !== undefined && isAbsolute(set)) return set;
  return platform === 'win32' ? join(home, 'AppData', 'Local') : join(home, '.cache');
}

/** A path with links resolved, as far as it exists. */
async function realOf(path: string): Promise<string> {
  const above = dirname(path);
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || above === path) return real ?? path;
  return join(await realOf(above), path.slice(above.length));
}
