import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileChange, FileVersion } from '../run/files.ts';
import { collectGarbage, deleteRefs, findLost, readVersions, refOf, storeVersions } from './objects.ts';
import { findBlocker, statBelow } from './paths.ts';
import { putChanges } from './put.ts';
import { type FolderOptions, openRepository, type Repository } from './repository.ts';
import { Snapshots, type SnapshotOptions } from './snapshot.ts';
import { SnapshotReader } from './tree.ts';
import type { Head, Snapshot, Workspace } from './workspace.ts';

export interface WorkspaceOptions extends FolderOptions, SnapshotOptions {}

/** Opens a folder whose `.state` exists. @throws GatelineError `platform`: no git, or a repository that git refuses */
export async function openWorkspace(options: WorkspaceOptions): Promise<GitWorkspace> {
  // These globs decide which files are in an index.
  const indexKey = JSON.stringify([options.stored, options.ignore]);
  return new GitWorkspace(await openRepository(options, indexKey), options);
}

/** A folder whose snapshots are trees of git. */
export class GitWorkspace extends SnapshotReader implements Workspace {
  readonly root: string;
  readonly options: WorkspaceOptions;
  readonly #snapshots: Snapshots;
  #turn: Promise<unknown> = Promise.resolve();
  #reading: { readonly versions: Set<FileVersion>; readonly contents: Promise<Map<FileVersion, Buffer>> } | undefined;

  constructor(repository: Repository, options: WorkspaceOptions) {
    super(repository);
    this.root = repository.root;
    this.options = options;
    this.#snapshots = new Snapshots(repository, options);
  }

  takeSnapshot(): Promise<Snapshot> {
    return this.#inTurn(() => this.#snapshots.take());
  }

  protected override listOf(tree: string): string | undefined {
    return this.#snapshots.listOf(tree);
  }

  /** Never at the same time as a snapshot, which would see half of the changes. */
  put(changes: readonly FileChange[]): Promise<readonly string[]> {
    return this.#inTurn(() => putChanges(this.repository, changes));
  }

  findBlocker(path: string): string | undefined {
    const isFolder = statBelow(this.root, path)?.isDirectory() === true;
    return findBlocker(this.root, path) ?? (isFolder ? path : undefined);
  }

  async keep(name: string, { tree }: Snapshot): Promise<void> {
    await this.repository.inStore(['update-ref', refOf(name), tree]);
  }

  /** Names without a ref are no error. */
  drop(names: readonly string[]): Promise<void> {
    return deleteRefs(this.repository, names.map(refOf));
  }

  storeVersions(changes: readonly FileChange[]): Promise<void> {
    return storeVersions(this.repository, changes);
  }

  findLost(changes: readonly FileChange[]): Promise<FileChange | undefined> {
    return findLost(this.repository, changes);
  }

  /** Stores bytes from another job. @returns their blob id */
  async storeBytes(bytes: Uint8Array): Promise<string> {
    return String(await this.repository.inStore(['hash-object', '-w', '--stdin'], { input: bytes })).trim();
  }

  /** Calls of the same tick share one git process. */
  async readVersion(version: FileVersion): Promise<Uint8Array | undefined> {
    if (this.#reading === undefined) {
      const versions = new Set<FileVersion>();
      const contents = Promise.resolve().then(() => {
        this.#reading = undefined;
        return readVersions(this.repository, versions);
      });
      this.#reading = { versions, contents };
    }
    this.#reading.versions.add(version);
    return (await this.#reading.contents).get(version);
  }

  async readHead(): Promise<Head> {
    const { user, asUser } = this.repository;
    // `show-ref` prints the refs up to the first that does not exist.
    const args = ['show-ref', '--verify', 'HEAD', 'refs/stash'];
    const lines = user === undefined ? '' : String(await asUser(args, { codes: [0, 1, 128] }));
    const find = (ref: string): string | null => new RegExp(`^(\\w+) ${ref}$`, 'm').exec(lines)?.[1] ?? null;
    return { head: find('HEAD'), stash: find('refs/stash') };
  }

  /** Removes from `.state/git` what neither a kept snapshot nor one of these versions needs. */
  collectGarbage(versions: Iterable<FileVersion>): Promise<void> {
    return this.#inTurn(() => collectGarbage(this.repository, versions));
  }

  /** Removes the copy of the index if the workspace was opened with `beside`. */
  async close(): Promise<void> {
    if (this.repository.isBeside) await rm(dirname(this.repository.index), { recursive: true, force: true });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}
