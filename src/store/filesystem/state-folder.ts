import { lstat, readdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { readFailure, unlessAbsent, writeFailure } from '../../errors/store-errors.ts';
import { atomicWrite, type OnDurable } from './atomic-write.ts';
import { makeFolder, type Claiming } from './durable.ts';
import { blocked, obstacleTo, type Obstacle } from './in-the-way.ts';

/** Options of {@link StateFolder.open}. */
export interface StateFolderOptions {
  /** Absolute path of the folder: `<workspace>/.state`, or `<workspace>/.state/<pipeline>`. */
  readonly root: string;
  /** Absolute path of the workspace, which must contain the folder. */
  readonly workspace: string;
  /** For readers that don't hold the engine lock: nothing is created, moved or written. Default false. */
  readonly readOnly?: boolean;
  /**
   * Before a claim is written, make sure that the disk has room for the record of its end; see {@link Reserve}. Default
   * false.
   */
  readonly reserve?: boolean;
  /**
   * Read each record of a subject once, however often it is listed: for callers that never change what they are given.
   * What others damage later is not noticed. Default false.
   */
  readonly readsOnce?: boolean;
  readonly onDurable?: OnDurable;
  /** `reserve` for file systems with unreliable hard links. Default `link`, which falls back automatically. */
  readonly claiming?: Claiming;
}

/** Folders with fixed names that others than the store write to. */
const FIXED_FOLDERS = ['tmp', 'applied', 'attempts', 'git', 'history', 'locks', 'quarantine', 'snapshots'];

/** Our folders that may exist before the first store is opened. */
const MADE_BY_OTHERS = new Set(['tmp', 'attempts', 'git', 'locks']);

/** The folder that contains a store's files: inside the workspace, never committed by accident. */
export class StateFolder {
  readonly root: string;
  readonly workspace: string;
  readonly readOnly: boolean;
  readonly reserve: boolean;
  readonly readsOnce: boolean;
  readonly claiming: Claiming;
  readonly onDurable: OnDurable;
  readonly #realWorkspace: string;
  readonly #made = new Set<string>();

  private constructor(options: StateFolderOptions, realWorkspace: string) {
    this.root = options.root;
    this.workspace = options.workspace;
    this.readOnly = options.readOnly ?? false;
    this.reserve = options.reserve ?? false;
    this.readsOnce = options.readsOnce ?? false;
    this.claiming = options.claiming ?? 'link';
    this.onDurable = options.onDurable ?? (() => undefined);
    this.#realWorkspace = realWorkspace;
  }

  /**
   * Open the folder; create it if missing, unless `readOnly`.
   * @throws GatelineError `STATE_ESCAPES` (fault `user`) when it, or a link in its path, leaves the workspace
   * @throws GatelineError `STORE_WRITE_FAILED`, `STORE_READ_FAILED` (fault `platform`)
   */
  static async open(options: StateFolderOptions): Promise<StateFolder> {
    const { root, workspace } = options;
    const real = await realpath(workspace).catch((error: unknown) => {
      throw readFailure(workspace, error);
    });
    await refuseEscape(root, workspace, real);
    await Promise.all(FIXED_FOLDERS.map((name) => isInPlace(join(root, name), real)));
    const state = new StateFolder(options, real);
    if (!state.readOnly) await initialiseRoot(root, options.onDurable);
    return state;
  }

  get temporaryFolder(): string {
    return join(this.root, 'tmp');
  }

  /** Create a folder below the root, durably, and check that no link takes it out of the workspace. */
  async folder(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    // From the root down, so that nothing is created behind a link before the link is checked.
    if (path !== this.root) await this.folder(dirname(path));
    await makeFolder(path);
    const real = await realpath(path);
    if (!isInside(this.#realWorkspace, real)) throw escapes(path, real);
    this.#made.add(path);
  }

  /** Forget which folders exist: one was removed from outside. */
  forgetFolders(): void {
    this.#made.clear();
  }

  /** A path for messages: relative to the workspace, `/`-separated. */
  show(path: string): string {
    return relative(this.workspace, path).split(sep).join('/');
  }

  /**
   * Writes one of our files, and converts a refusal by the system into an error that says what to do.
   * @throws GatelineError `STORE_WRITE_FAILED` (fault `platform`)
   */
  async writing<T>(path: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      throw await this.refused(path, error);
    }
  }

  /** Converts an error from writing one of our files into the error to throw. */
  async refused(path: string, error: unknown): Promise<unknown> {
    const others = [join(this.temporaryFolder, '*.tmp')];
    const obstacle = await blocked(error, dirname(this.root), [path, ...others], (place) => this.show(place));
    return obstacle ?? writeFailure(this.show(path), error);
  }

  /** The obstacle in the place of one of our files or of a folder above it. */
  obstacleTo(path: string): Promise<Obstacle | undefined> {
    return obstacleTo(dirname(this.root), path, (place) => this.show(place));
  }

  /** @throws GatelineError `STORE_READ_ONLY` (our own bug) when this was opened for reading. */
  assertWritable(): void {
    if (!this.readOnly) return;
    throw new GatelineError('STORE_READ_ONLY', `${this.show(this.root)} was opened for reading only`);
  }
}

/** Create the root if missing, with a `.gitignore` that keeps it out of every commit. Safe to call at any time. */
export async function initialiseRoot(root: string, onDurable?: OnDurable): Promise<void> {
  const temporaryFolder = join(root, 'tmp');
  try {
    await makeFolder(root);
    const entries = await readdir(root);
    await makeFolder(temporaryFolder);
    // A folder with other content existed before us: whether git ignores it is the user's choice.
    if (!entries.every((entry) => MADE_BY_OTHERS.has(entry))) return;
    await atomicWrite(join(root, '.gitignore'), '*\n', { onDurable, temporaryFolder });
  } catch (error) {
    const place = join(temporaryFolder, '*.tmp');
    throw (await blocked(error, dirname(root), [place], (path) => path)) ?? writeFailure(root, error);
  }
}

/** The path from the workspace to the root must not leave it, not even through a link. */
async function refuseEscape(root: string, workspace: string, realWorkspace: string): Promise<void> {
  const inside = relative(workspace, root);
  if (inside === '' || isAbsolute(inside) || inside.split(sep)[0] === '..') throw escapes(root, root);
  let path = workspace;
  for (const part of inside.split(sep)) {
    path = join(path, part);
    if (!(await isInPlace(path, realWorkspace))) return;
  }
}

/** Whether there is anything at a path. @throws GatelineError `STATE_ESCAPES` if it is a link out of the workspace */
async function isInPlace(path: string, realWorkspace: string): Promise<boolean> {
  try {
    const status = await unlessAbsent(lstat(path));
    if (status?.isSymbolicLink() !== true) return status !== undefined;
    const target = await unlessAbsent(realpath(path));
    if (target === undefined || !isInside(realWorkspace, target)) throw escapes(path, target ?? 'nowhere');
    return true;
  } catch (error) {
    throw readFailure(path, error);
  }
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '' && !isAbsolute(inside) && inside.split(sep)[0] !== '..';
}

function escapes(path: string, target: string): GatelineError {
  const where =
    target === path ? 'is not inside the workspace' : `is a link that leads out of the workspace, to ${target}`;
  return new GatelineError('STATE_ESCAPES', `${path} ${where}`, {
    place: { file: path },
  });
}
