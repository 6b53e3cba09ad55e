import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { GatelineError, isSystemError } from '../errors/gateline-error.ts';
import { gitIn, type Git } from './git.ts';
import type { ObjectFormat } from './blob.ts';

/** A git work tree that the workspace lies in. */
export interface Repository {
  readonly git: Git;
  /** Top of the work tree, absolute. */
  readonly top: string;
  /** Path of the workspace below the top, '' or ending in `/`. */
  readonly prefix: string;
  readonly format: ObjectFormat;
  /** `core.fileMode`: the executable bit of files means something. */
  readonly modesCount: boolean;
  /** `core.symlinks`: links are links, and not files that hold the target's name. */
  readonly links: boolean;
}

/**
 * The repository whose work tree holds `root`. `undefined` where there is none: no git, a bare repository, or a
 * folder that the repository around it ignores.
 *
 * @throws GatelineError `GIT_NOT_FOUND` when there is a repository and git cannot be started; `GIT_UNSAFE_DIRECTORY`
 *   when git does not trust its owner.
 */
export async function findRepository(
  root: string,
  binary: string,
  environment: Environment,
): Promise<Repository | undefined> {
  const git = gitIn(binary, root, environment);
  let answer;
  try {
    answer = await git(['rev-parse', '--is-inside-work-tree', '--show-object-format', '--show-cdup', '--show-prefix']);
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    if (error.code === 'GIT_FAILED' && error.message.includes('not a git repository')) return undefined;
    if (error.code === 'GIT_NOT_FOUND' && isSystemError(error.cause, 'ENOENT') && !belowGit(root)) return undefined;
    throw error;
  }
  const [inside, format, up = '', ...rest] = answer.out.toString('utf8').split('\n');
  if (inside !== 'true') return undefined;
  const prefix = rest.slice(0, -1).join('\n');
  const top = resolve(root, up);
  if (prefix !== '' && (await isIgnored(git, top, prefix))) return undefined;
  const settings = await git(['config', '-z', '--type=bool', '--get-regexp', '^core\\.(filemode|symlinks)$'], {
    answers: [0, 1],
  });
  const off = new Set(settings.out.toString('utf8').split('\0'));
  return {
    git,
    top,
    prefix,
    format: format === 'sha256' ? 'sha256' : 'sha1',
    modesCount: !off.has('core.filemode\nfalse') && process.platform !== 'win32',
    links: !off.has('core.symlinks\nfalse'),
  };
}

function belowGit(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
    if (folder === dirname(folder)) return false;
  }
}

/** A folder that the repository around it ignores, and of which it tracks nothing, is no part of it. */
async function isIgnored(git: Git, top: string, prefix: string): Promise<boolean> {
  const asked = await git(['check-ignore', '-q', '--no-index', `./${prefix.slice(0, -1)}`], {
    cwd: top,
    answers: [0, 1],
  });
  if (asked.code === 1) return false;
  return (await git(['ls-files', '-z'])).out.length === 0;
}
