import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdir, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { GatelineError, isSystemError } from '../../errors/gateline-error.ts';
import { hintFor, writing } from '../../errors/store-errors.ts';
import type { ObjectFormat } from '../files/blob.ts';
import { gitIn, noSpaceFor, startGit, type Git, type GitAnswer, type GitCall, type GitOptions } from '../git/git.ts';
import { strangeEntries } from '../files/strange-entries.ts';
import { refusePipes } from '../git/git-folder.ts';
import type { Repository } from '../git/repository.ts';

/** The index and the work tree folder for a git command. */
export interface IndexedFolder {
  /** Absolute path of one of our own indexes. */
  readonly index: string;
  /** Absolute path of the folder that it describes. */
  readonly folder: string;
}

/**
 * Settings that keep git from running the user's hooks and monitors, writing files other than those named, skipping
 * files, and cleaning up meanwhile. Large files are stored as they are: packing them costs more than it saves.
 */
const SETTINGS = [
  'core.ignoreStat=false',
  'submodule.recurse=false',
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
 * Our own git objects, next to those of the user's repository. Objects are read from both and written only to ours, so
 * the repository never changes.
 */
export interface ObjectStore {
  /** Absolute path of its folder: a bare repository. */
  readonly path: string;
  /** Absolute path of the folder for new objects. Agents' repositories read them there. */
  readonly objects: string;
  readonly format: ObjectFormat;
  /** The repository whose objects are read too; `undefined`: the workspace is not in one. */
  readonly repository: Repository | undefined;
  /** Top of the captured folder: that of the repository, or else the workspace. */
  readonly top: string;
  /** Runs git on our objects, with the settings and attributes of the user's repository. */
  git(
    args: readonly string[],
    where?: Partial<IndexedFolder>,
    call?: Pick<GitCall, 'input' | 'answers'>,
  ): Promise<GitAnswer>;
  /** Runs git on our objects only: the user's objects are not visible, and nothing is fetched. */
  own(args: readonly string[], call?: Pick<GitCall, 'input' | 'answers'>): Promise<GitAnswer>;
  /** Runs git in another repository (for example a submodule), with the settings there. */
  at(folder: string): Git;
  /** Starts git for two-way communication; the caller ends it. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams;
}

/** Options of {@link openObjectStore}. */
export interface ObjectStoreOptions {
  /** Absolute path; created if missing. */
  readonly path: string;
  readonly repository: Repository | undefined;
  /** Absolute path of the workspace. */
  readonly root: string;
  readonly git: GitOptions;
  /** Other object folders that are read too. */
  readonly alternates?: readonly string[];
}

/** Indexes of trees being built, and incoming contents. */
const HALF_DONE = /^(?:build\.[0-9a-f]+\.index(?:\.lock)?|incoming)$/;

/**
 * The index for snapshots of the user's version. It includes the `.gitattributes` that a sparse checkout leaves out.
 */
export function snapshotIndexOf({ path }: Pick<ObjectStore, 'path'>): string {
  return join(path, 'snapshot.index');
}

/** What is ignored if there is no repository: dependencies, and the files of other systems that `export` writes. */
const IGNORED_WITHOUT_REPOSITORY = 'node_modules/\n/.devloop/\n/.claude/*.local.md\n/.claude/skills/nexus/history/\n';

/** Opens the store; creates it if missing. Repeating this is safe. */
export async function openObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const { path, repository, root } = options;
  const format = repository?.format ?? 'sha1';
  const objects = objectsBelow(path, format);
  await writing(path, () => makeStore(path, objects, format));
  const top = repository?.top ?? root;
  const git = gitIn(top, options.git);
  const settings = [...SETTINGS, `core.hooksPath=${join(path, 'no-hooks')}`].flatMap((one) => ['-c', one]);
  const others = [...(repository === undefined ? [] : [repository.objects]), ...(options.alternates ?? [])];
  const own = { GIT_DIR: path, GIT_OBJECT_DIRECTORY: objects, GIT_WORK_TREE: top };
  const all = {
    ...own,
    GIT_DIR: repository?.gitDir ?? path,
    // Not in a file of the store: folders move, and some queries concern only our own objects.
    GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map(quoted).join(delimiter),
    // Git reads an index even if it needs none, and an agent may have replaced the user's.
    GIT_INDEX_FILE: join(path, 'no-index'),
  };
  const look = (): void => {
    if (repository !== undefined) refusePipes(repository.gitDir);
  };
  return {
    path,
    objects,
    format,
    repository,
    top,
    git: async (args, { index, folder = top } = {}, call = {}) => {
      look();
      const env = { ...all, GIT_WORK_TREE: folder, ...(index !== undefined && { GIT_INDEX_FILE: index }) };
      const whenSlow = (): Promise<GatelineError | undefined> => waitingFor(folder);
      return git([...settings, ...args], { ...call, cwd: folder, env, whenSlow }).catch(async (error: unknown) => {
        throw await explained(error, path, folder);
      });
    },
    own: (args, call = {}) => git([...settings, ...args], { ...call, env: own }),
    at: (folder) => gitIn(folder, options.git),
    start: (args) => {
      look();
      return startGit(top, options.git, [...settings, ...args], all);
    },
  };
}

/** Files that git opens in any folder without checking their type. */
const OPENED_ANYWHERE = ['.gitignore', '.gitattributes', '.gitmodules'];

/**
 * The error for a command that waits for the writer of a pipe. Searched for when it is slow: there may be many folders.
 */
async function waitingFor(folder: string): Promise<GatelineError | undefined> {
  const strange = (await strangeEntries(folder, [])).map(String);
  const pipe = strange.find((path) => OPENED_ANYWHERE.includes(basename(path)));
  if (pipe === undefined) return undefined;
  return new GatelineError('WORKSPACE_UNREADABLE', `${pipe} is not a plain file: git would wait for its other end.`, {
    hint: 'Remove it, or put a plain file in its place.',
  });
}

/** Less than this is free after git filled a disk: what it wrote of a file is still there. */
const HARDLY_FREE = 1_048_576;

/**
 * git does not always say why it could not write. @param path of the store, from which it only reads files otherwise
 */
async function explained(error: unknown, path: string, folder: string): Promise<unknown> {
  if (!(error instanceof GatelineError) || error.code !== 'GIT_FAILED') return error;
  const { message } = error;
  const refusals = message.split('\n').filter((line) => /Permission denied|insufficient permission/.test(line));
  if (refusals.some((line) => line.includes(path))) {
    return new GatelineError('STORE_WRITE_FAILED', `Cannot write ${path}: ${message}`, {
      hint: hintFor('EACCES'),
      place: { file: path },
      cause: error,
    });
  }
  if (!/unable to write|could not write|write error/.test(message)) return error;
  return (await isFull(path)) || (await isFull(folder)) ? noSpaceFor(message) : error;
}

async function isFull(place: string): Promise<boolean> {
  const disk = await statfs(place).catch(() => undefined);
  return disk !== undefined && disk.bavail * disk.bsize < HARDLY_FREE;
}

/** Removes leftovers of killed calls. The caller must have exclusive use of the workspace. @param path of the store */
export async function removeHalfDone(path: string): Promise<void> {
  let names;
  try {
    names = await readdir(path);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return;
    throw error;
  }
  for (const name of names.filter((one) => HALF_DONE.test(one)))
    await rm(join(path, name), { recursive: true, force: true });
}

/** Objects of the two formats cannot be mixed: a folder that becomes a repository may change its format. */
export function objectsBelow(store: string, format: ObjectFormat): string {
  return join(store, format === 'sha256' ? 'objects-sha256' : 'objects');
}

/** Quotes a path for git's path lists: as in C. */
function quoted(path: string): string {
  return process.platform === 'win32'
    ? path
    : `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`;
}

async function makeStore(path: string, objects: string, format: ObjectFormat): Promise<void> {
  for (const folder of [join(objects, 'info'), join(objects, 'pack'), join(path, 'refs'), join(path, 'info')]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
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
