import { createHash, randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, realpath, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../errors.ts';
import { type Environment, type Git, type GitCall, GitError, createGit } from './git.ts';

type Call = Omit<GitCall, 'cwd'>;

export interface FolderOptions {
  /** The folder in which gates work, absolute. */
  readonly root: string;
  /** `.state`, absolute. It may be on another file system. */
  readonly state: string;
  /** The caller's environment. */
  readonly env: Environment;
  /** For `plan`, `status` and `diff`, which run beside an engine: works on a copy of the index, writes no refs. */
  readonly beside?: boolean;
  /** The folder whose repository lends its objects. Default: `root`. */
  readonly lender?: string;
  /** What decides which files are in the index, besides the folder: another value starts with another index. */
  readonly indexKey: string;
}

/** The user's repository around a folder. Paths are absolute but for `prefix`. */
interface UserRepository {
  /** The top of the work tree. */
  readonly top: string;
  /** The folder below `top`: '' or ending in `/`. */
  readonly prefix: string;
  /** Its hash: `sha1` or `sha256`. */
  readonly format: string;
  readonly objects: string;
  readonly index: string;
  readonly excludes: string;
}

/**
 * A folder, our own index, objects and refs in `.state/git`, and the repository around the folder, which lends objects
 * and of which nothing is ever written: no index, ref, object or setting. Without one, ours is a private repository.
 */
export class Repository {
  readonly root: string;
  /** `.state/git`. */
  readonly store: string;
  readonly index: string;
  readonly isBeside: boolean;
  readonly user: UserRepository | undefined;
  readonly prefix: string;
  readonly format: string;
  readonly #git: Git;
  readonly #storeEnv: Readonly<Record<string, string>>;
  readonly #folderEnv: Readonly<Record<string, string>>;

  private constructor(
    git: Git,
    paths: { readonly root: string; readonly store: string; readonly index: string },
    options: FolderOptions,
    user: UserRepository | undefined,
    lent: string | undefined,
  ) {
    this.#git = git;
    this.root = paths.root;
    this.store = paths.store;
    this.index = paths.index;
    this.isBeside = options.beside === true;
    this.user = user;
    this.prefix = user?.prefix ?? '';
    this.format = user?.format ?? 'sha1';
    // A list, separated by colons, with quotes around a path that could contain one.
    const alternates = lent === undefined ? '' : `"${lent.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
    const objects = join(this.store, 'objects');
    const env = {
      GIT_INDEX_FILE: this.index,
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates,
    };
    this.#storeEnv = { ...env, GIT_DIR: this.store };
    this.#folderEnv = user === undefined ? { ...this.#storeEnv, GIT_WORK_TREE: this.root } : env;
  }

  /** @throws GatelineError `platform`: no git, a repository that it cannot read, or refuses because of its owner */
  static async open(options: FolderOptions): Promise<Repository> {
    const git = createGit(options.env);
    const root = await realpath(options.root);
    const user = await findRepository(git, root);
    const lender = options.lender === undefined ? user : await findRepository(git, await realpath(options.lender));
    const store = join(options.state, 'git');
    await createStore(git, store, user?.format ?? 'sha1');
    const key = JSON.stringify([root, user?.prefix ?? '', options.indexKey]);
    const name = `index-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
    let index = join(store, name);
    if (options.beside === true) {
      const copy = join(await mkdtemp(join(tmpdir(), 'gateline-')), name);
      await copyIndex(index, copy);
      index = copy;
    } else {
      await removeLeftovers(store, `${name}.lock`);
    }
    return new Repository(git, { root, store, index }, options, user, lender?.objects);
  }

  /** Removes the copy of the index that a caller beside an engine works on. */
  async close(): Promise<void> {
    if (this.isBeside) await rm(dirname(this.index), { recursive: true, force: true });
  }

  /** Runs git on the folder with our index and objects, and with the user's settings and attributes. */
  inFolder(args: readonly string[], call: Call = {}): Promise<Buffer> {
    return this.#git(args, { ...call, cwd: this.root, env: { ...this.#folderEnv, ...call.env } });
  }

  /** As {@link inFolder}, from the top of the work tree, for commands that take paths only from there. */
  atTop(args: readonly string[], call: Call = {}): Promise<Buffer> {
    return this.#git(args, { ...call, cwd: this.user?.top ?? this.root, env: { ...this.#folderEnv, ...call.env } });
  }

  /** Runs git on the user's repository, or on one inside the folder, as the user would. */
  asUser(args: readonly string[], call: Partial<GitCall> = {}): Promise<Buffer> {
    return this.#git(args, { cwd: this.root, ...call });
  }

  /** Runs git on our store, where paths of trees are those of the folder. */
  inStore(args: readonly string[], call: Call = {}): Promise<Buffer> {
    return this.#git(args, { ...call, cwd: this.store, env: { ...this.#storeEnv, ...call.env } });
  }

  /** As {@link inStore}, without the objects that the user's repository lends. */
  inStoreAlone(args: readonly string[], call: Call = {}): Promise<Buffer> {
    return this.inStore(args, { ...call, env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: '' } });
  }

  /** A path for a temporary file or folder of ours; {@link open} removes what killed calls left. */
  temporaryPath(): string {
    const folder = this.isBeside ? dirname(this.index) : this.store;
    return join(folder, `temporary-${process.pid}-${randomBytes(8).toString('hex')}`);
  }
}

/**
 * The repository whose work tree holds the folder. Undefined: there is none, or it ignores the folder and tracks
 * nothing in it.
 */
async function findRepository(git: Git, root: string): Promise<UserRepository | undefined> {
  const paths = ['objects', 'index', 'info/exclude'].flatMap((path) => ['--git-path', path]);
  const questions = ['--is-inside-work-tree', '--show-object-format', ...paths, '--show-cdup', '--show-prefix'];
  const answer = await git(['rev-parse', ...questions], { cwd: root }).catch(async (error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    if (/^fatal: this operation must be run in a work tree/m.test(error.stderr)) return undefined;
    if (!/^fatal: not a git repository \(or any /m.test(error.stderr)) throw error;
    await refuseBrokenRepository(root);
    return undefined;
  });
  if (answer === undefined) return undefined;
  const [inside, format = '', objects = '', index = '', excludes = '', up = '', ...rest] = answer
    .toString()
    .split('\n');
  if (inside !== 'true') return undefined;
  const prefix = rest.slice(0, -1).join('\n');
  const top = resolve(root, up);
  if (prefix !== '') {
    const question = ['check-ignore', '--no-index', '--', `./${prefix.slice(0, -1)}`];
    const isIgnored = (await git(question, { cwd: top, codes: [0, 1] })).length > 0;
    if (isIgnored && (await git(['ls-files', '-z'], { cwd: root })).length === 0) return undefined;
  }
  const [objectsPath, indexPath, excludesPath] = [
    resolve(root, objects),
    resolve(root, index),
    resolve(root, excludes),
  ];
  return { top, prefix, format, objects: objectsPath, index: indexPath, excludes: excludesPath };
}

/** git says "not a git repository" of a `.git` that it does not recognize, too: its HEAD is damaged, for example. */
async function refuseBrokenRepository(root: string): Promise<void> {
  for (let folder = root; ; folder = dirname(folder)) {
    const entries = await readdir(join(folder, '.git')).catch((error: unknown) => {
      return isSystemError(error, 'ENOENT') ? [] : [messageOf(error)];
    });
    if (entries.length > 0) {
      throw new GatelineError('platform', `${join(folder, '.git')} is there, but git cannot read it as a repository.`, {
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
  const isWhole = await stat(join(store, 'objects', 'info')).catch(() => undefined);
  if (isWhole !== undefined) return;
  const options = ['--bare', '--template=', '--shared=false', `--object-format=${format}`];
  await git(['init', '-q', ...options, store], { cwd: store });
}

/** What a call that was killed left: the caller holds the lock of the engine. */
async function removeLeftovers(store: string, lock: string): Promise<void> {
  const names = (await readdir(store)).filter(
    (name) =>
      name === lock ||
      name === 'packed-refs.lock' ||
      (name.startsWith('temporary-') && !name.startsWith(`temporary-${process.pid}-`)),
  );
  await Promise.all(names.map((name) => rm(join(store, name), { recursive: true, force: true })));
}

/** Copies an index with its time, which decides what git compares by content; an older time is always safe. */
export async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const seconds = Math.floor((await stat(from)).mtimeMs / 1_000);
    await copyFile(from, to);
    await utimes(to, seconds, seconds);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}
