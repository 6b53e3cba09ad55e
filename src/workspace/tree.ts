import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { digestOf } from '../json/digest.ts';
import type { FileChange, FileVersion } from '../run/files.ts';
import { splitNames } from './git.ts';
import { createMatcher } from './globs.ts';
import { assertPath, comparePaths, statBelow } from './paths.ts';
import type { Repository } from './repository.ts';
import { type Snapshot, snapshotId } from './workspace.ts';

const STORED = /^(100644|100755|120000) ([0-9a-f]{40}(?:[0-9a-f]{24})?)$/;
/** Prefix of the versions of symbolic links. */
export const LINK = '120000 ';
/** Snapshots whose results are cached. */
const MAX_CACHED = 8;

/** Mode and blob; undefined for `null`, and for a version that git does not store. */
export function parseVersion(version: FileVersion | null): { mode: string; blob: string } | undefined {
  const [, mode, blob] = STORED.exec(version ?? '') ?? [];
  return mode === undefined || blob === undefined ? undefined : { mode, blob };
}

export function versionOfLink(target: Uint8Array, format: string): FileVersion {
  return LINK + createHash(format).update(`blob ${target.length}\0`).update(target).digest('hex');
}

/** The part of {@link Workspace} that reads, compares and changes snapshots. */
export class SnapshotReader {
  readonly repository: Repository;
  /** Cached results by snapshot, the least recently used first. */
  readonly #results = new Map<string, Map<string, Promise<unknown>>>();

  constructor(repository: Repository) {
    this.repository = repository;
  }

  listFiles(snapshot: Snapshot): Promise<ReadonlyMap<string, FileVersion>> {
    return this.#cached(snapshot, 'files', async () => {
      const text = await this.#listTree(snapshot);
      const files = new Map<string, FileVersion>();
      for (let at = 0, end = 0; at < text.length; at = end + 1) {
        const tab = text.indexOf('\t', at);
        end = text.indexOf('\0', tab);
        files.set(text.slice(tab + 1, end), text.slice(at, tab - 2));
      }
      const others = Object.entries(snapshot.unstored);
      return others.length === 0 ? files : new Map([...files, ...others].sort(([a], [b]) => comparePaths(a, b)));
    });
  }

  digestFiles(snapshot: Snapshot, globs: readonly string[] | null, except: readonly string[]): Promise<string> {
    return this.#cached(snapshot, JSON.stringify([globs, except]), async () => {
      if (globs === null) return digestTree(await this.#listTree(snapshot), snapshot.unstored, new Set(except));
      const isSelected = createMatcher(globs);
      let text = '';
      // Neither paths nor versions contain NUL.
      (await this.listFiles(snapshot)).forEach((version, path) => {
        if (isSelected(path)) text += `${path}\0${version}\0`;
      });
      return digestOf(text);
    });
  }

  /** For each file `<mode> SP <object> SP 0 TAB <path> NUL`. */
  #listTree(snapshot: Snapshot): Promise<string> {
    return this.#cached(snapshot, 'tree', async () => {
      const list = this.listOf(snapshot.tree);
      if (list !== undefined) return list;
      const text = String(await this.repository.inStore(['ls-tree', '-r', '-z', snapshot.tree]));
      // <mode> SP <type> SP <object> TAB <path> NUL
      return text.replaceAll(/(^|\0)(\d+) \w+ (\w+)\t/g, '$1$2 $3 0\t');
    });
  }

  /** The list of a tree as {@link #listTree} returns it, if it is known without git. */
  protected listOf(_tree: string): string | undefined {
    return undefined;
  }

  async diff(before: Snapshot, after: Snapshot): Promise<readonly FileChange[]> {
    const changes = new Map<string, Pick<FileChange, 'before' | 'after'>>();
    const args = ['diff-tree', '-r', '-z', '--no-renames', before.tree, after.tree];
    const fields = before.tree === after.tree ? [] : splitNames(await this.repository.inStore(args));
    for (let at = 0; at + 1 < fields.length; at += 2) {
      // :<mode> SP <mode> SP <object> SP <object> SP <status>; zeros for no file
      const [oldMode, mode, oldBlob = '', blob = ''] = fields[at]!.slice(1).split(' ');
      const version = (mode: string | undefined, blob: string) => (/^0+$/.test(blob) ? null : `${mode} ${blob}`);
      changes.set(fields[at + 1]!, { before: version(oldMode, oldBlob), after: version(mode, blob) });
    }
    const [old, current] = [new Map(Object.entries(before.unstored)), new Map(Object.entries(after.unstored))];
    for (const path of new Set([...old.keys(), ...current.keys()])) {
      if (old.get(path) === current.get(path)) continue;
      const stored = changes.get(path) ?? { before: null, after: null };
      changes.set(path, { before: old.get(path) ?? stored.before, after: current.get(path) ?? stored.after });
    }
    const sorted = [...changes].sort(([a], [b]) => comparePaths(a, b));
    return sorted.map(([path, { before, after }]) => {
      const stat = after === null ? statBelow(this.repository.root, path) : undefined;
      const isThere = stat !== undefined && (stat.isFile() || stat.isSymbolicLink());
      return { path, before, after, ...(isThere && { ignored: true as const }) };
    });
  }

  applyTo(snapshot: Snapshot, changes: readonly FileChange[]): Promise<Snapshot> {
    return this.#cached(snapshot, JSON.stringify(changes), async () => {
      const { inStore, temporaryPath } = this.repository;
      const unstored = { ...snapshot.unstored };
      for (const { path, after } of changes) {
        delete unstored[path];
        if (after !== null && parseVersion(after) === undefined) unstored[path] = after;
      }
      const env = { GIT_INDEX_FILE: temporaryPath() };
      try {
        await inStore(['read-tree', snapshot.tree], { env });
        await fillIndex(this.repository, changes, env);
        // `--missing-ok`: the user's `git gc` may have removed a blob.
        return { tree: String(await inStore(['write-tree', '--missing-ok'], { env })).trim(), unstored };
      } finally {
        await rm(env.GIT_INDEX_FILE, { force: true });
      }
    });
  }

  /** The differences as a unified diff, for people. @param paths files or folders, not globs; empty: all */
  async patch(before: Snapshot, after: Snapshot, paths: readonly string[] = []): Promise<string> {
    const options = ['-r', '-p', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
    const args = ['--literal-pathspecs', 'diff-tree', ...options, before.tree, after.tree, '--', ...paths];
    const patch = String(await this.repository.inStore(args));
    const isSelected = (path: string) => paths.some((other) => path === other || path.startsWith(`${other}/`));
    const changes = (await this.diff(before, after)).filter(({ path }) => paths.length === 0 || isSelected(path));
    const unstored = changes.filter(
      ({ path }) => Object.hasOwn(before.unstored, path) || Object.hasOwn(after.unstored, path),
    );
    return patch + unstored.map(({ path }) => `File ${path}, which is not stored, differs\n`).join('');
  }

  #cached<T>(snapshot: Snapshot, key: string, make: () => Promise<T>): Promise<T> {
    const id = snapshotId(snapshot);
    const results = this.#results.get(id) ?? new Map<string, Promise<unknown>>();
    this.#results.delete(id);
    this.#results.set(id, results);
    for (const old of this.#results.keys()) if (this.#results.size > MAX_CACHED) this.#results.delete(old);
    const known = results.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const result = make();
    results.set(key, result);
    result.catch(() => results.delete(key));
    return result;
  }
}

/** Digest of a whole folder. The list is hashed unparsed: parsing would take most of the time for a large folder. */
function digestTree(list: string, unstored: Snapshot['unstored'], except: ReadonlySet<string>): string {
  const hash = createHash('sha256');
  let at = 0;
  for (const start of [...except].flatMap((path) => findLine(list, path)).sort((a, b) => a - b)) {
    hash.update(list.slice(at, start));
    at = list.indexOf('\0', start) + 1;
  }
  const others = Object.entries(unstored).filter(([path]) => !except.has(path));
  others.sort(([a], [b]) => comparePaths(a, b));
  hash.update(list.slice(at)).update(JSON.stringify(others));
  return `sha256:${hash.digest('hex')}`;
}

/** The offset of the line of a path in the list of a tree; empty: it has none. @param from offset of a line before it */
export function findLine(list: string, path: string, from = 0): [number] | [] {
  for (let tab = from - 1; (tab = list.indexOf(`\t${path}\0`, tab + 1)) >= 0;) {
    const start = list.lastIndexOf('\0', tab) + 1;
    // Otherwise it is the end of another path, which has a tab in it.
    if (list.indexOf('\t', start) === tab) return [start];
  }
  return [];
}

/**
 * Sets the entries of an index to the versions `after` of changes.
 *
 * @param env names the index
 * @param prefix goes before the paths: '' (default) or ending in `/`
 * @throws GatelineError `platform`: a path that Gateline never records
 */
export async function fillIndex(
  { format, inStore }: Repository,
  changes: readonly FileChange[],
  env: { readonly GIT_INDEX_FILE: string },
  prefix = '',
): Promise<void> {
  for (const { path } of changes) assertPath(path);
  const none = '0'.repeat(format === 'sha256' ? 64 : 40);
  const removed = changes.map(({ path }) => `0 ${none}\t${prefix}${path}\0`);
  const added = changes.map(({ path, after }) => {
    const stored = parseVersion(after);
    return stored === undefined ? '' : `${stored.mode} ${stored.blob}\t${prefix}${path}\0`;
  });
  await inStore(['update-index', '-z', '--replace', '--index-info'], { env, input: [...removed, ...added].join('') });
}
