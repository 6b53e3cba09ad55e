import { basename, dirname, resolve } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { refusePipes, refusePipesAbove } from './git-folder.ts';
import { gitIn, type Git, type GitOptions } from './git.ts';
import type { ObjectFormat } from '../files/blob.ts';

/** The git work tree that contains the workspace. All paths are absolute except `prefix`. */
export interface Repository {
  readonly git: Git;
  /** Top of the work tree. */
  readonly top: string;
  /** Path of the workspace below the top, '' or ending in `/`. */
  readonly prefix: string;
  readonly format: ObjectFormat;
  /** This work tree's own git folder: `.git`, or `.git/worktrees/<name>`. */
  readonly gitDir: string;
  readonly objects: string;
  readonly index: string;
  /** Folder of the files shared by all its work trees: `info/exclude`, `shallow`, `lfs`. */
  readonly commonDir: string;
}

/**
 * The oldest git with every option that we use: `rev-parse --show-object-format`, `read-tree --reset -u` over untracked
 * files.
 */
const OLDEST = [2, 30] as const;

/**
 * The repository whose work tree contains `root`. `undefined` if there is none: a bare repository, a folder that the
 * repository around it ignores, or no repository.
 *
 * @throws GatelineError `GIT_NOT_FOUND` when git cannot be started; `GIT_TOO_OLD`; `GIT_UNSAFE_DIRECTORY` when git does
 *   not trust the owner of the repository; `WORKSPACE_UNREADABLE` when a file of git is a pipe
 */
export async function findRepository(root: string, options: GitOptions): Promise<Repository | undefined> {
  refusePipesAbove(root);
  const git = gitIn(root, options);
  const asked = ['--is-inside-work-tree', '--show-object-format', '--absolute-git-dir', '--git-common-dir'];
  const paths = ['--git-path', 'objects', '--git-path', 'index', '--show-cdup', '--show-prefix'];
  const answering = git(['rev-parse', ...asked, ...paths]).catch((error: unknown) => {
    if (!(error instanceof GatelineError)) throw error;
    if (error.code === 'GIT_FAILED' && /not a git repository|must be run in a work tree/.test(error.message))
      return undefined;
    throw error;
  });
  // An old git's reply to an unknown option is ignored; it is awaited below.
  answering.catch(() => undefined);
  await refuseOldGit(git, options);
  const answer = await answering;
  if (answer === undefined) return undefined;
  const [inside, format, gitDir = '', common = '', objects = '', index = '', up = '', ...rest] = answer.out
    .toString('utf8')
    .split('\n');
  if (inside !== 'true') return undefined;
  const prefix = rest.slice(0, -1).join('\n');
  const top = resolve(root, up);
  if (prefix !== '' && (await isIgnored(git, top, prefix, resolve(root, index)))) return undefined;
  return {
    git,
    top,
    prefix,
    format: format === 'sha256' ? 'sha256' : 'sha1',
    gitDir,
    commonDir: resolve(root, common),
    objects: resolve(root, objects),
    index: resolve(root, index),
  };
}

/** Where a new enough git was found in this process: its name or path, and the PATH that it was found on. */
const newEnough = new Set<string>();

async function refuseOldGit(git: Git, { binary, environment }: GitOptions): Promise<void> {
  const place = `${binary}\0${environment['PATH'] ?? ''}`;
  if (newEnough.has(place)) return;
  const { out } = await git(['version']);
  const [, major, minor] = /(\d+)\.(\d+)/.exec(out.toString('utf8')) ?? [];
  const isOld = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
  if (isOld) {
    throw new GatelineError('GIT_TOO_OLD', `git is ${major}.${minor}, and Gateline needs ${OLDEST.join('.')} or newer`);
  }
  newEnough.add(place);
}

/** A folder that the surrounding repository ignores, and in which it tracks nothing, is not part of it. */
async function isIgnored(git: Git, top: string, prefix: string, index: string): Promise<boolean> {
  const asked = await git(['check-ignore', '-q', '--no-index', `./${prefix.slice(0, -1)}`], {
    cwd: top,
    answers: [0, 1],
  });
  if (asked.code === 1) return false;
  refusePipes(dirname(index), [basename(index)]);
  return (await git(['ls-files', '-z'])).out.length === 0;
}
