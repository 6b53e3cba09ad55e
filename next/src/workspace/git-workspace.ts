import type { FileChange, FileVersion } from '../run/files.ts';
import { collectGarbage, dropRefs, keepSnapshot, readVersions, storeBytes, storeVersions } from './objects.ts';
import { putChanges } from './put.ts';
import { Repository, type FolderOptions } from './repository.ts';
import { Snapshots, type SnapshotOptions } from './snapshot.ts';
import { applyChanges, diffSnapshots, digestFiles, listFiles, renderPatch } from './tree.ts';
import { snapshotId, type Snapshot, type Workspace } from './workspace.ts';

export interface WorkspaceOptions extends Omit<FolderOptions, 'indexKey'>, SnapshotOptions {}

/** Snapshots whose files, digests or differences are remembered. */
const REMEMBERED = 8;

/** Opens a folder; `.state` is there. @throws GatelineError `platform`: no git, or a repository that it refuses */
export async function openWorkspace(options: WorkspaceOptions): Promise<GitWorkspace> {
  // An index holds what was taken by these globs.
  const indexKey = JSON.stringify([options.stored, options.ignore]);
  return new GitWorkspace(await Repository.open({ ...options, indexKey }), options);
}

/** A folder whose snapshots are trees of git. See {@link Workspace}. */
export class GitWorkspace implements Workspace {
  readonly root: string;
  readonly repository: Repository;
  readonly options: WorkspaceOptions;
  readonly #snapshots: Snapshots;
  readonly #memory = new Map<string, Map<string, Promise<unknown>>>();
  #queue: Promise<unknown> = Promise.resolve();
  #reading: { readonly versions: Set<FileVersion>; readonly contents: Promise<Map<FileVersion, Buffer>> } | undefined;

  constructor(repository: Repository, options: WorkspaceOptions) {
    this.root = repository.root;
    this.repository = repository;
    this.options = options;
    this.#snapshots = new Snapshots(repository, options);
  }

  takeSnapshot(): Promise<Snapshot> {
    return this.#inTurn(() => this.#snapshots.take());
  }

  listFiles(snapshot: Snapshot): Promise<ReadonlyMap<string, FileVersion>> {
    return this.#remember(snapshot, 'files', () => listFiles(this.repository, snapshot));
  }

  digestFiles(snapshot: Snapshot, globs: readonly string[] | null, except: readonly string[]): Promise<string> {
    return this.#remember(snapshot, JSON.stringify([globs, except]), async () =>
      digestFiles(await this.listFiles(snapshot), globs, except),
    );
  }

  diff(before: Snapshot, after: Snapshot): Promise<readonly FileChange[]> {
    return diffSnapshots(this.repository, before, after);
  }

  applyTo(snapshot: Snapshot, changes: readonly FileChange[]): Promise<Snapshot> {
    const key = JSON.stringify(changes);
    return this.#remember(snapshot, key, () => applyChanges(this.repository, snapshot, changes));
  }

  keep(name: string, snapshot: Snapshot): Promise<void> {
    return keepSnapshot(this.repository, name, snapshot);
  }

  drop(names: readonly string[]): Promise<void> {
    return dropRefs(this.repository, names);
  }

  storeVersions(changes: readonly FileChange[]): Promise<void> {
    return storeVersions(this.repository, changes);
  }

  /** Stores bytes of another job: the blob of a version. */
  storeBytes(bytes: Uint8Array): Promise<string> {
    return storeBytes(this.repository, bytes);
  }

  /** One at a time with snapshots, which would see half of it. */
  put(changes: readonly FileChange[]): Promise<readonly string[]> {
    return this.#inTurn(() => putChanges(this.repository, changes));
  }

  /** Calls of the same moment share one process. */
  async readVersion(version: FileVersion): Promise<Uint8Array | undefined> {
    let reading = this.#reading;
    if (reading === undefined) {
      const versions = new Set<FileVersion>();
      const contents = Promise.resolve().then(() => {
        this.#reading = undefined;
        return readVersions(this.repository, versions);
      });
      this.#reading = reading = { versions, contents };
    }
    reading.versions.add(version);
    return (await reading.contents).get(version);
  }

  /** The differences as a unified diff, for people; with paths only of these. */
  patch(before: Snapshot, after: Snapshot, paths: readonly string[] = []): Promise<string> {
    return renderPatch(this.repository, before, after, paths);
  }

  /** The commit that is checked out and the newest stash: if they differ after an attempt, somebody moved them. */
  async watchHead(): Promise<{ readonly head: string | null; readonly stash: string | null }> {
    if (this.repository.user === undefined) return { head: null, stash: null };
    // It prints the refs up to the first that is not there.
    const out = await this.repository.asUser(['show-ref', '--verify', 'HEAD', 'refs/stash'], { codes: [0, 1, 128] });
    const find = (ref: string): string | null => new RegExp(`^(\\w+) ${ref}$`, 'm').exec(out.toString())?.[1] ?? null;
    return { head: find('HEAD'), stash: find('refs/stash') };
  }

  /** Removes from `.state/git` what no kept snapshot and none of these versions, which entries and checkpoints name, needs. */
  collectGarbage(versions: Iterable<FileVersion>): Promise<void> {
    return this.#inTurn(() => collectGarbage(this.repository, versions));
  }

  /** Ends the use of a workspace that was opened with `beside`. */
  close(): Promise<void> {
    return this.repository.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** Keeps results by snapshot; those of the snapshots that were not used for longest are forgotten. */
  #remember<T>(snapshot: Snapshot, key: string, make: () => Promise<T>): Promise<T> {
    const id = snapshotId(snapshot);
    const results = this.#memory.get(id) ?? new Map<string, Promise<unknown>>();
    this.#memory.delete(id);
    this.#memory.set(id, results);
    for (const old of this.#memory.keys()) if (this.#memory.size > REMEMBERED) this.#memory.delete(old);
    const known = results.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const result = make();
    results.set(key, result);
    result.catch(() => results.delete(key));
    return result;
  }
}
