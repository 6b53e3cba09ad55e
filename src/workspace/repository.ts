import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, realpath, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { GatelineError, isSystemError } from '../errors.ts';
import { digestOfJson, hexOf } from '../json/digest.ts';
import { type Git, type GitCall, GitError, createGit } from './git.ts';
import { statPath } from './paths.ts';

export interface FolderOptions {
  /** The folder in which gates work, absolute. */
  readonly root: string;
  /** `.state`, absolute. It may be on another file system. */
  readonly state: string;
  /** The caller's environment. */
  readonly env: Environment;
  /** For `plan`, `status` and `diff`, which may run beside an engine: works on a copy of the index, writes no refs. */
  readonly beside?: boolean;
  /** The folder whose repository shares its objects with ours. Default: `root`. */
  readonly lender?: string;
}

/** The user's repository around a folder. Paths are absolute but for `prefix`. */
interface UserRepository {
  /** The top of the work tree, and the folder below it: '' or ending in `/`. */
  readonly top: string;
  readonly prefix: string;
  /** `sha1` or `sha256`. */
  readonly format: string;
  readonly objects: string;
  readonly index: string;
  readonly excludes: string;
}

/** Runs git in a certain folder, with a certain index and certain objects. */
type GitIn = (args: readonly string[], call?: Partial<GitCall>) => Promise<Buffer>;

/**
 * A folder, our own index, objects and refs in `.state/git`, and the user's repository around the folder, whose objects
 * ours shares. Nothing is ever written to the user's: no index, ref, object or setting. If there is none, ours is a
 * private repository.
 */
export interface Repository {
  readonly root: string;
  /** `.state/git`. */
  readonly store: string;
  readonly index: string;
  readonly isBeside: boolean;
  readonly user: UserRepository | undefined;
  readonly prefix: string;
  readonly format: string;
  /** In the folder, with our index and objects, and the user's settings and attributes. */
  readonly inFolder: GitIn;
  /** The same from the top of the work tree, for commands that take paths only from there. */
  readonly atTop: GitIn;
  /** In the user's repository, or in another one in the folder. */
  readonly asUser: GitIn;
  /** In our store, where paths in trees are relative to the folder. */
  readonly inStore: GitIn;
  /** The same without the objects of the user's repository. */
  readonly inStoreAlone: GitIn;
  /** A path for a temporary file or folder of ours. */
  readonly temporaryPath: () => string;
}

/**
 * @param indexKey decides, besides the folder, which files are in the index: each value has its own index
 * @throws GatelineError `platform`: no git, or a repository that it cannot read or refuses because of its owner
 */
export async function openRepository(options: FolderOptions, indexKey: string): Promise<Repository> {
  const { state, env, beside: isBeside = false, lender } = options;
  const git = createGit(env);
  const root = await realpath(options.root);
  const user = await findRepository(git, root);
  const { prefix = '', format = 'sha1', top = root } = user ?? {};
  const store = join(state, 'git');
  await createStore(git, store, format);
  const name = `index-${hexOf(digestOfJson([root, prefix, indexKey])).slice(0, 16)}`;
  const folder = isBeside ? await mkdtemp(join(tmpdir(), 'gateline-')) : store;
  const index = join(folder, name);
  if (isBeside) await copyIndex(join(store, name), index);
  else {
    // A clone shares the store with calls that may be at work in it.
    await removeLeftovers(store, `${name}.lock`, lender !== undefined);
    // A snapshot ends by setting the time of the index to a whole second. Before that, entries can hide later changes.
    if ((statPath(index)?.mtimeNs ?? 0n) % 1_000_000_000n !== 0n) await rm(index, { force: true });
  }
  const shared = (lender === undefined ? user : await findRepository(git, await realpath(lender)))?.objects;
  const objectEnv = {
    GIT_INDEX_FILE: index,
    GIT_OBJECT_DIRECTORY: join(store, 'objects'),
    // A list separated by colons: quoted, since a path may contain one.
    GIT_ALTERNATE_OBJECT_DIRECTORIES: shared === undefined ? '' : `"${shared.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  };
  const storeEnv = { ...objectEnv, GIT_DIR: store };
  const folderEnv = user === undefined ? { ...storeEnv, GIT_WORK_TREE: root } : objectEnv;
  const runIn =
    (cwd: string, env: Readonly<Record<string, string>>): GitIn =>
    (args, call) =>
      git(args, { cwd, ...call, env: { ...env, ...call?.env } });
  return {
    root,
    store,
    index,
    isBeside,
    user,
    prefix,
    format,
    inFolder: runIn(root, folderEnv),
    atTop: runIn(top, folderEnv),
    asUser: runIn(root, {}),
    inStore: runIn(store, storeEnv),
    inStoreAlone: runIn(store, { ...storeEnv, GIT_ALTERNATE_OBJECT_DIRECTORIES: '' }),
    temporaryPath: () => join(folder, `temporary-${process.pid}-${randomBytes(8).toString('hex')}`),
  };
}

/**
 * The repository whose work tree holds the folder. Undefined: there is none, or it ignores the folder and tracks no file
 * in it.
 */
async function findRepository(git: Git, root: string): Promise<UserRepository | undefined> {
  const paths = ['objects', 'index', 'info/exclude'].flatMap((path) => ['--git-path', path]);
  const questions = ['--is-inside-work-tree', '--show-object-format', ...paths, '--show-cdup', '--show-prefix'];
  const answer = await git(['rev-parse', ...questions], { cwd: root }).catch(async (error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    if (/^fatal: this operation must be run in a work tree/m.test(error.stderr)) return undefined;
    if (!/^fatal: not a git repository \(or any /m.test(error.stderr)) throw error;
    await assertNoRepository(root);
    return undefined;
  });
  const [inside, format = '', objects = '', index = '', excludes = '', up = '', prefix = ''] =
    String(answer).split('\n');
  if (inside !== 'true') return undefined;
  const top = resolve(root, up);
  if (prefix !== '') {
    const question = ['check-ignore', '--no-index', '--', `./${prefix.slice(0, -1)}`];
    const isIgnored = (await git(question, { cwd: top, codes: [0, 1] })).length > 0;
    if (isIgnored && (await git(['ls-files', '-z'], { cwd: root })).length === 0) return undefined;
  }
  const at = (path: string): string => resolve(root, path);
  return { top, prefix, format, objects: at(objects), index: at(index), excludes: at(excludes) };
}

/** git also says "not a git repository" if there is a damaged one. @throws GatelineError `platform` in that case */
async function assertNoRepository(root: string): Promise<void> {
  for (let folder = root; ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    if (statPath(path)?.isDirectory() === false || (await readdir(path).catch(() => [])).length > 0) {
      throw new GatelineError('platform', `${path} is there, but git cannot read it as a repository.`, {
        hint: 'Repair it (is its HEAD damaged?), or move it away: without a repository Gateline keeps its own.',
      });
    }
    if (dirname(folder) === folder) return;
  }
}

async function createStore(git: Git, store: string, format: string): Promise<void> {
  await mkdir(store, { recursive: true, mode: 0o700 });
  await chmod(store, 0o700);
  // `git init` makes this folder last.
  if (await stat(join(store, 'objects', 'info')).catch(() => undefined)) return;
  const options = ['--bare', '--template=', '--shared=false', `--object-format=${format}`];
  await git(['init', '-q', ...options, store], { cwd: store });
}

/** Removes what killed calls and their git commands left. The caller holds the lock of the engine. */
async function removeLeftovers(store: string, indexLock: string, isClone: boolean): Promise<void> {
  if (isClone) return rm(join(store, indexLock), { force: true });
  const refs = await readdir(join(store, 'refs/gateline')).catch(() => []);
  const locks = new Set([indexLock, 'packed-refs.lock', ...refs.map((name) => `refs/gateline/${name}`)]);
  for (const name of [...(await readdir(store)), ...locks]) {
    const isTemporary = name.startsWith('temporary-') && !name.startsWith(`temporary-${process.pid}-`);
    const isLock = locks.has(name) && name.endsWith('.lock');
    if (isTemporary || isLock) await rm(join(store, name), { recursive: true, force: true });
  }
}

/** Copies an index and its time, rounded down: git compares files that are not older than the index by content. */
export async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const seconds = Math.floor((await stat(from)).mtimeMs / 1_000);
    await copyFile(from, to);
    await utimes(to, seconds, seconds);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}
