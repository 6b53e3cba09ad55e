import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import type { ObjectFormat } from '../blob.ts';
import { gitIn, startGit, type GitAnswer, type GitCall, type GitOptions } from '../git.ts';
import type { Repository } from '../repository.ts';

/** Which index a git command uses, and which folder is its work tree. */
export interface IndexedFolder {
  /** Absolute path of an index of our own. */
  readonly index: string;
  /** Absolute path of the folder that it describes. */
  readonly folder: string;
}

/**
 * Settings that keep git from running the user's hooks and monitors, from writing other files than the ones that are
 * named, and from cleaning up meanwhile. Large files are stored as they are: packing them costs more than it saves.
 */
const SETTINGS = [
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'index.sparse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.safecrlf=false',
  'advice.addEmbeddedRepo=false',
  'core.compression=0',
];

/**
 * Git objects of our own, beside those of the user's repository. Everything is read from both and written to ours only, so
 * that the repository stays as it is, whatever is stored.
 */
export interface ObjectStore {
  /** Absolute path of its folder: a bare repository. */
  readonly path: string;
  readonly format: ObjectFormat;
  /** The repository whose objects are read too; `undefined`: the workspace is in none. */
  readonly repository: Repository | undefined;
  /** Top of the folder that is described: that of the repository, else the workspace. */
  readonly top: string;
  /** Runs git on our objects, with the settings and attributes of the user's repository. */
  git(
    args: readonly string[],
    where?: Partial<IndexedFolder>,
    call?: Pick<GitCall, 'input' | 'answers'>,
  ): Promise<GitAnswer>;
  /** Starts git to be talked to; whoever starts it ends it. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams;
}

/** What {@link openObjectStore} is given. */
export interface ObjectStoreOptions {
  /** Absolute path; made where it is missing. */
  readonly path: string;
  readonly repository: Repository | undefined;
  /** Absolute path of the workspace. */
  readonly root: string;
  readonly git: GitOptions;
  /** Other folders whose objects are read too. */
  readonly alternates?: readonly string[];
}

/** Folders that count as dependencies where no `.gitignore` says so. */
const IGNORED_WITHOUT_REPOSITORY = 'node_modules/\n';

/** Opens the store, and makes it first where it is missing. Doing so twice is safe. */
export async function openObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const { path, repository, root } = options;
  const format = repository?.format ?? 'sha1';
  await makeStore(path, format);
  // Folders move: written anew wherever it does not say what is true now.
  const alternates = [...(repository === undefined ? [] : [repository.objects]), ...(options.alternates ?? [])];
  await writeIfOther(join(path, 'objects', 'info', 'alternates'), alternates.map((one) => `${one}\n`).join(''));
  const top = repository?.top ?? root;
  const git = gitIn(top, options.git);
  const settings = [...SETTINGS, `core.hooksPath=${join(path, 'no-hooks')}`].flatMap((one) => ['-c', one]);
  const base = { GIT_DIR: repository?.gitDir ?? path, GIT_OBJECT_DIRECTORY: join(path, 'objects') };
  return {
    path,
    format,
    repository,
    top,
    git: (args, { index, folder = top } = {}, call = {}) =>
      git([...settings, ...args], {
        ...call,
        cwd: folder,
        env: { ...base, GIT_WORK_TREE: folder, ...(index !== undefined && { GIT_INDEX_FILE: index }) },
      }),
    start: (args) => startGit(top, options.git, [...settings, ...args], { ...base, GIT_WORK_TREE: top }),
  };
}

async function makeStore(path: string, format: ObjectFormat): Promise<void> {
  for (const folder of ['objects/info', 'objects/pack', 'refs', 'info']) {
    await mkdir(join(path, folder), { recursive: true, mode: 0o700 });
  }
  const extension = format === 'sha256' ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  const version = format === 'sha256' ? 1 : 0;
  await writeIfOther(join(path, 'config'), `[core]\n\trepositoryformatversion = ${version}\n${extension}`);
  await writeIfOther(join(path, 'info', 'exclude'), IGNORED_WITHOUT_REPOSITORY);
  await writeIfOther(join(path, 'HEAD'), 'ref: refs/heads/none\n');
}

async function writeIfOther(path: string, text: string): Promise<void> {
  try {
    if ((await readFile(path, 'utf8')) === text) return;
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
  await writeFile(path, text, { mode: 0o600 });
}
