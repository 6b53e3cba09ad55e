import type { FileChange, FileVersion } from '../run/files.ts';

/** The folder's files at one moment: a git tree, and the versions of files that git does not store. */
export interface Snapshot {
  readonly tree: string;
  /** By path, versions of files that are too large, ignored but named by `inputs`, or unreadable. */
  readonly unstored: Readonly<Record<string, FileVersion>>;
}

/** The commit that is checked out and the newest stash. `null`: there is none, or no repository. */
export interface Head {
  readonly head: string | null;
  readonly stash: string | null;
}

/** A folder in which gates work: the user's, a job's checkout, or the clone of one run. */
export interface Workspace {
  /** Absolute. */
  readonly root: string;
  /** A snapshot of the folder as it is now. */
  takeSnapshot(): Promise<Snapshot>;
  /** All files of a snapshot, by path in byte order. */
  listFiles(snapshot: Snapshot): Promise<ReadonlyMap<string, FileVersion>>;
  /** Digest of paths and versions of the files that the globs select (`null`: all but those in `except`). */
  digestFiles(snapshot: Snapshot, globs: readonly string[] | null, except: readonly string[]): Promise<string>;
  /** The changes that lead from one snapshot to the other, in path order. */
  diff(before: Snapshot, after: Snapshot): Promise<readonly FileChange[]>;
  /** The snapshot with these changes, as if they had been made in the folder. */
  applyTo(snapshot: Snapshot, changes: readonly FileChange[]): Promise<Snapshot>;
  /** Keeps a snapshot by a ref of that name until {@link drop}. */
  keep(name: string, snapshot: Snapshot): Promise<void>;
  drop(names: readonly string[]): Promise<void>;
  /** Copies the bytes of `before` and `after` into our own store, safe from the user's `git gc`. */
  storeVersions(changes: readonly FileChange[]): Promise<void>;
  /** The first of these changes whose `after` is not stored, or no longer: {@link put} cannot write it. */
  findLost(changes: readonly FileChange[]): Promise<FileChange | undefined>;
  /**
   * Writes `after` over `before`. If the disk has another version than `before`, it stays.
   * @returns the paths that were left as they are
   */
  put(changes: readonly FileChange[]): Promise<readonly string[]>;
  /** If it differs after an attempt, somebody committed, switched or stashed. */
  readHead(): Promise<Head>;
  /** The bytes of one version; undefined: not stored. */
  readVersion(version: FileVersion): Promise<Uint8Array | undefined>;
  /** The file or link that is where a path needs a folder, or the path if a folder is there; undefined: neither. */
  findBlocker(path: string): string | undefined;
}

/** A snapshot as one string, for the log. */
export function snapshotId({ tree, unstored }: Snapshot): string {
  return Object.keys(unstored).length === 0 ? tree : `${tree}+${JSON.stringify(unstored)}`;
}

/** The snapshot of a {@link snapshotId}. */
export function snapshotFrom(id: string): Snapshot {
  const at = id.indexOf('+');
  if (at < 0) return { tree: id, unstored: {} };
  return { tree: id.slice(0, at), unstored: JSON.parse(id.slice(at + 1)) as Record<string, FileVersion> };
}
