import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, type Digest } from '../json/digest.ts';
import type { FileChange, FileVersion } from '../run/files.ts';
import { splitNames } from './git.ts';
import { createMatcher } from './globs.ts';
import { assertPath, comparePaths, statPath } from './paths.ts';
import type { Repository } from './repository.ts';
import type { Snapshot } from './workspace.ts';

const STORED = /^(100644|100755|120000) ([0-9a-f]{40}(?:[0-9a-f]{24})?)$/;
const SYMBOLIC_LINK = '120000';

/** A version that git stores. */
export interface StoredVersion {
  readonly mode: string;
  readonly blob: string;
  readonly isLink: boolean;
}

/** Undefined for `null`, and for a version that git does not store. */
export function parseVersion(version: FileVersion | null): StoredVersion | undefined {
  const [, mode, blob] = STORED.exec(version ?? '') ?? [];
  return mode === undefined || blob === undefined ? undefined : { mode, blob, isLink: mode === SYMBOLIC_LINK };
}

/** The version of a symbolic link. */
export function versionOfLink(target: Uint8Array, format: string): FileVersion {
  return `${SYMBOLIC_LINK} ${createHash(format).update(`blob ${target.length}\0`).update(target).digest('hex')}`;
}

/** All files of a snapshot, in path order. */
export async function listFiles(
  repository: Repository,
  { tree, unstored }: Snapshot,
): Promise<ReadonlyMap<string, FileVersion>> {
  const lines = splitNames(await repository.inStore(['ls-tree', '-r', '-z', tree])).map(String);
  const files = lines.map((line): [string, FileVersion] => {
    // <mode> SP <type> SP <object> TAB <path>
    const tab = line.indexOf('\t');
    return [line.slice(tab + 1), `${line.slice(0, 6)} ${line.slice(line.lastIndexOf(' ', tab) + 1, tab)}`];
  });
  const others = Object.entries(unstored);
  return new Map(others.length === 0 ? files : [...files, ...others].sort(([a], [b]) => comparePaths(a, b)));
}

/** Digest of paths and versions of the files that the globs select; `null`: of all but those in `except`. */
export function digestFiles(
  files: ReadonlyMap<string, FileVersion>,
  globs: readonly string[] | null,
  except: readonly string[],
): Digest {
  const excluded = new Set(except);
  const isSelected = globs === null ? (path: string) => !excluded.has(path) : createMatcher(globs);
  // Neither paths nor versions contain NUL.
  return digestOf([...files].map(([path, version]) => (isSelected(path) ? `${path}\0${version}\0` : '')).join(''));
}

/** What differs between two snapshots, in path order. */
export async function diffSnapshots(
  repository: Repository,
  before: Snapshot,
  after: Snapshot,
): Promise<readonly FileChange[]> {
  const changes = new Map<string, FileChange>();
  if (before.tree !== after.tree) {
    const args = ['diff-tree', '-r', '-z', '--no-renames', before.tree, after.tree];
    const fields = splitNames(await repository.inStore(args)).map(String);
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const path = fields[at + 1]!;
      // :<mode> SP <mode> SP <object> SP <object> SP <status>
      const [oldMode, mode, oldBlob = '', blob = ''] = fields[at]!.slice(1).split(' ');
      const [isAdded, isDeleted] = [/^0+$/.test(oldBlob), /^0+$/.test(blob)];
      changes.set(path, {
        path,
        before: isAdded ? null : `${oldMode} ${oldBlob}`,
        after: isDeleted ? null : `${mode} ${blob}`,
      });
    }
  }
  for (const path of new Set([...Object.keys(before.unstored), ...Object.keys(after.unstored)])) {
    const [old, current] = [before.unstored[path], after.unstored[path]];
    const stored = changes.get(path);
    if (old !== current) {
      changes.set(path, { path, before: old ?? stored?.before ?? null, after: current ?? stored?.after ?? null });
    }
  }
  const isThere = (path: string): boolean => {
    const stat = statPath(join(repository.root, path));
    return stat !== undefined && (stat.isFile() || stat.isSymbolicLink());
  };
  return [...changes.values()]
    .map((change) => (change.after === null && isThere(change.path) ? { ...change, ignored: true as const } : change))
    .sort((a, b) => comparePaths(a.path, b.path));
}

/** The snapshot with these changes, as if they had been made in the folder. */
export async function applyChanges(
  repository: Repository,
  snapshot: Snapshot,
  changes: readonly FileChange[],
): Promise<Snapshot> {
  const unstored = { ...snapshot.unstored };
  for (const { path, after } of changes) {
    delete unstored[path];
    if (after !== null && parseVersion(after) === undefined) unstored[path] = after;
  }
  const env = { GIT_INDEX_FILE: repository.temporaryPath() };
  try {
    await repository.inStore(['read-tree', snapshot.tree], { env });
    await fillIndex(repository, changes, { env });
    // A blob that the user's `git gc` removed has the same version as before.
    const tree = (await repository.inStore(['write-tree', '--missing-ok'], { env })).toString().trim();
    return { tree, unstored };
  } finally {
    await rm(env.GIT_INDEX_FILE, { force: true });
  }
}

/**
 * Makes entries of another index of what `after` says.
 *
 * @throws GatelineError `platform`: a path that Gateline never records
 */
export async function fillIndex(
  repository: Repository,
  changes: readonly FileChange[],
  { env, prefix = '' }: { readonly env: Readonly<Record<string, string>>; readonly prefix?: string },
): Promise<void> {
  for (const { path } of changes) assertPath(path);
  const none = '0'.repeat(repository.format === 'sha256' ? 64 : 40);
  const removed = changes.map(({ path }) => `0 ${none}\t${prefix}${path}\0`);
  const added = changes.map(({ path, after }) => {
    const stored = parseVersion(after);
    return stored === undefined ? '' : `${stored.mode} ${stored.blob}\t${prefix}${path}\0`;
  });
  const input = [...removed, ...added].join('');
  await repository.inStore(['update-index', '-z', '--replace', '--index-info'], { env, input });
}

/** The differences as a unified diff, for people. With paths only of these. */
export async function renderPatch(
  repository: Repository,
  before: Snapshot,
  after: Snapshot,
  paths: readonly string[],
): Promise<string> {
  const options = ['-r', '-p', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
  const args = ['--literal-pathspecs', 'diff-tree', ...options, before.tree, after.tree, '--', ...paths];
  const patch = (await repository.inStore(args)).toString();
  const names = [...new Set([...Object.keys(before.unstored), ...Object.keys(after.unstored)])].sort(comparePaths);
  const isSelected = (name: string): boolean =>
    paths.length === 0 || paths.some((path) => name === path || name.startsWith(`${path.replace(/\/$/, '')}/`));
  const differing = names.filter((name) => before.unstored[name] !== after.unstored[name] && isSelected(name));
  return patch + differing.map((name) => `File ${name}, which is not stored, differs\n`).join('');
}
