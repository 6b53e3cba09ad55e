import { existsSync } from 'node:fs';
import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileVersion } from '../run/files.ts';
import { GitError, joinLines, splitNames } from './git.ts';
import { createMatcher, type PathMatcher } from './globs.ts';
import { IgnoredFiles, pathArguments } from './ignored-files.ts';
import { comparePaths, findPathProblem, isReadable, statBelow, statPath, TEMPORARY } from './paths.ts';
import { copyIndex, type Repository } from './repository.ts';
import { fillIndex, findLine } from './tree.ts';
import { UnstoredFiles, describeUnreadable } from './unstored.ts';
import type { Snapshot } from './workspace.ts';

/** Larger untracked files are not stored, which would take 3 s per 100 MB. Bytes. */
const MAX_STORED_SIZE = 100 * 1_024 ** 2;
/** How far the clock that sets times of files can lag behind ours, in milliseconds. */
const CLOCK_LAG = 20;

export interface SnapshotOptions {
  /** Globs of `files`: ignored files that they name are stored. */
  readonly stored: readonly string[];
  /** Globs of `inputs`: ignored files that only they name are hashed, not stored. */
  readonly hashed: readonly string[];
  /** Globs of `ignore`, and of state files of other systems: never part of a snapshot. */
  readonly ignore: readonly string[];
  /** In a job's checkout: starts from a copy of the user's index, if that is a plain one. Default: false. */
  readonly seedIndex?: boolean;
}

/** Paths to update in the index, to remove from it (if they are there), and versions that are not stored. */
type Sorted = { readonly updated: string[]; readonly removed: string[]; readonly unstored: Map<string, FileVersion> };

/** Takes snapshots of a folder with our own index: `git ls-files`, `update-index`, `write-tree`. */
export class Snapshots {
  readonly #repository: Repository;
  readonly #isScratch: PathMatcher;
  readonly #ignored: IgnoredFiles;
  readonly #unstoredFiles: UnstoredFiles;
  readonly #isSeeded: boolean;
  #last: Snapshot | undefined;
  /** The list of the files in our index, and its tree if that is known. */
  #list: { readonly tree?: string; readonly text: string } | undefined;
  /** Paths that the next snapshot updates again. */
  #unsettled: readonly string[] = [];

  constructor(repository: Repository, { stored, hashed, ignore, seedIndex = false }: SnapshotOptions) {
    this.#repository = repository;
    this.#isScratch = createMatcher(ignore);
    this.#ignored = new IgnoredFiles(repository, stored, hashed);
    this.#unstoredFiles = new UnstoredFiles(repository);
    this.#isSeeded = seedIndex;
  }

  /**
   * Our index is a cache: if git fails, the snapshot is taken again without it. The user's `git gc` may have removed blobs
   * that the index names, and files may change while they are read.
   */
  async take(): Promise<Snapshot> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#take();
      } catch (error) {
        if (attempt === 3 || !(error instanceof GitError)) throw error;
        await rm(this.#repository.index, { force: true });
        this.#ignored.forget();
        this.#last = undefined;
        this.#list = undefined;
      }
    }
  }

  async #take(): Promise<Snapshot> {
    const { index, inFolder } = this.#repository;
    const begin = Math.floor((Date.now() - CLOCK_LAG) / 1_000);
    if (this.#isSeeded && !existsSync(index)) await this.#seedIndex();
    const listing = this.#listChanges();
    const findListed = async (sortedPaths: readonly string[]): Promise<string[]> => {
      const others = new Set(await listing);
      let at = 0;
      return sortedPaths.filter((path) => {
        if (others.has(path)) return true;
        const [line] = findLine(this.#list!.text, path, at);
        at = line ?? at;
        return line !== undefined;
      });
    };
    const [changed, named, { tracked, ignored: strays }] = await Promise.all([
      listing,
      this.#ignored.listNamed(findListed),
      this.#ignored.listStrays(listing),
    ]);
    const ignored = strays.filter((path) => !this.#ignored.stored.has(path));
    if (!this.#repository.isBeside) await this.#removeTemporary([...changed, ...named.stored]);
    const listed = [...changed, ...tracked, ...named.stored, ...this.#unsettled];
    const { updated, removed, unstored } = await this.#sort(listed, ignored);
    const hashed = [...named.hashed, ...ignored.filter((path) => this.#ignored.hashed.has(path))];
    for (const path of hashed.filter((path) => this.#isPart(path))) {
      const version = await this.#unstoredFiles.hash(path);
      if (version !== undefined) unstored.set(path, version);
    }
    if (removed.length > 0) {
      await inFolder(['update-index', '-z', '--force-remove', '--stdin'], { input: joinLines(removed, '\0') });
    }
    if (updated.length > 0) {
      const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
      await inFolder(args, { input: joinLines(updated, '\0') });
    }
    const isUnchanged = updated.length === 0 && removed.length === 0;
    const tree = (isUnchanged ? this.#last?.tree : undefined) ?? (await this.#readIndex(isUnchanged));
    await this.#unsettle(updated, begin);
    // Each entry was compared with the disk after `begin`. Only a file that changed in that second or later can differ
    // from its entry unseen, and git compares files with such times by content.
    if (existsSync(index)) await utimes(index, begin, begin);
    await this.#unstoredFiles.save();
    this.#last = { tree, unstored: Object.fromEntries([...unstored].sort(([a], [b]) => comparePaths(a, b))) };
    return this.#last;
  }

  /** Paths that are changed or untracked. In the first call the same command also lists our index. */
  async #listChanges(): Promise<string[]> {
    const { inFolder } = this.#repository;
    const args = ['ls-files', '-z', '-m', '-o', '--exclude-standard'];
    if (this.#list !== undefined) return splitNames(await inFolder(args));
    // <tag> SP <entry>; tags: H in our index, C changed, ? untracked, which has a path only
    const lines = splitNames(await inFolder([...args, '-s', '-t']));
    const text = lines.map((line) => (line.startsWith('H ') ? `${line.slice(2)}\0` : '')).join('');
    this.#list = { text };
    const others = lines.filter((line) => !line.startsWith('H '));
    return others.map((line) => line.slice(line.startsWith('? ') ? 2 : line.indexOf('\t') + 1));
  }

  /**
   * git compares files by content that have a later time than our index. A file that got an older time (`cp -p`, `mv`)
   * could change again in the same second without a trace: its entry loses size and time, so that git compares it, too.
   */
  async #unsettle(updated: readonly string[], begin: number): Promise<void> {
    const { root, index, prefix } = this.#repository;
    this.#unsettled = updated.filter((path) => {
      const { ctimeMs = 0n, mtimeMs = 0n } = statPath(join(root, path)) ?? {};
      return ctimeMs / 1_000n >= begin && ctimeMs / 1_000n > mtimeMs / 1_000n;
    });
    if (this.#unsettled.length === 0) return;
    const paths = new Set(this.#unsettled);
    const changes = (this.#list?.text ?? '').split('\0').flatMap((line) => {
      const tab = line.indexOf('\t');
      const path = line.slice(tab + 1);
      return paths.has(path) ? [{ path, before: null, after: line.slice(0, tab - 2) }] : [];
    });
    await fillIndex(this.#repository, changes, { GIT_INDEX_FILE: index }, prefix);
  }

  /** Removes what a killed put left. No put runs at the same time as a snapshot. */
  async #removeTemporary(paths: readonly string[]): Promise<void> {
    for (const path of paths) if (TEMPORARY.test(path)) await rm(join(this.#repository.root, path), { force: true });
  }

  async #sort(paths: readonly string[], ignored: readonly string[]): Promise<Sorted> {
    const { root } = this.#repository;
    const sorted: Sorted = { updated: [], removed: [...ignored], unstored: new Map() };
    const skipped = new Set(ignored);
    const large: string[] = [];
    const folders = new Map<string, boolean>();
    const queue = [...new Set(paths)];
    // Files of other repositories in the folder are added while it is read.
    for (const name of queue) {
      const path = name.replace(/\/$/, '');
      if (skipped.has(path) || !this.#isPart(path)) continue;
      const absolutePath = join(root, path);
      const stat = statBelow(root, path, folders);
      const isFile = stat?.isFile() === true;
      if (findPathProblem(path) !== undefined || (isFile && !isReadable(absolutePath))) {
        sorted.unstored.set(path, describeUnreadable(path, this.#repository));
      } else if (stat === undefined) {
        sorted.removed.push(path);
        // If the file comes back and is ignored, git does not list it as changed: strays must be listed again.
        this.#ignored.forget();
      } else if (!isFile && !stat.isSymbolicLink()) {
        if (path === name) sorted.removed.push(path);
        const isRepository = stat.isDirectory() && existsSync(join(absolutePath, '.git'));
        if (isRepository) queue.push(...(await this.#listRepository(path, sorted)));
      } else if (isFile && stat.size > MAX_STORED_SIZE) large.push(path);
      else sorted.updated.push(path);
    }
    await this.#sortLarge(large, sorted);
    const earlier = new Set(Object.keys(this.#last?.unstored ?? {}));
    sorted.removed.push(...[...sorted.unstored.keys()].filter((path) => !earlier.has(path)));
    return sorted;
  }

  #isPart(path: string): boolean {
    return path !== '.state' && !path.startsWith('.state/') && !TEMPORARY.test(path) && !this.#isScratch(path);
  }

  /**
   * The files of another repository in the folder: they belong to the snapshot like those of any folder. Once some are in
   * our index, git lists its changes by itself.
   */
  async #listRepository(path: string, { unstored }: Sorted): Promise<string[]> {
    const args = ['ls-files', '-z', '-c', '-o', '--exclude-standard'];
    const { root, asUser } = this.#repository;
    const names = await asUser(args, { cwd: join(root, path) }).then(splitNames, () => undefined);
    if (names === undefined) unstored.set(path, 'unreadable repository');
    return (names ?? []).map((name) => `${path}/${name}`);
  }

  /** Large files are hashed, and stored only if the user tracks them. */
  async #sortLarge(large: readonly string[], { updated, unstored }: Sorted): Promise<void> {
    if (large.length === 0) return;
    const args = ['--literal-pathspecs', 'ls-files', '-z', ...pathArguments(large)];
    const tracked = this.#repository.user === undefined ? [] : splitNames(await this.#repository.asUser(args));
    for (const path of large) {
      const version = tracked.includes(path) ? undefined : await this.#unstoredFiles.hash(path);
      if (version === undefined) updated.push(path);
      else unstored.set(path, version);
    }
  }

  /** The tree of our index. Lists the index at the same time, since its files are compared next. */
  async #readIndex(isUnchanged: boolean): Promise<string> {
    const known = isUnchanged ? this.#list?.text : undefined;
    const list = known ?? this.#repository.inFolder(['ls-files', '-z', '-s']);
    const [tree, text] = await Promise.all([this.#writeTree(), list]);
    this.#list = { tree, text: String(text) };
    return tree;
  }

  /** For each file of a tree `<mode> SP <object> SP 0 TAB <path> NUL`; undefined: it is not that of our index. */
  listOf(tree: string): string | undefined {
    return this.#list?.tree === tree ? this.#list.text : undefined;
  }

  async #writeTree(): Promise<string> {
    const { prefix, inFolder } = this.#repository;
    try {
      return String(await inFolder(prefix === '' ? ['write-tree'] : ['write-tree', `--prefix=${prefix}`])).trim();
    } catch (error) {
      const isEmpty = error instanceof GitError && /^fatal: git-write-tree: prefix .* not found$/m.test(error.stderr);
      if (!isEmpty) throw error;
      return String(await inFolder(['hash-object', '-t', 'tree', '--stdin'], { input: '' })).trim();
    }
  }

  /** Copies the user's index, unless it has flags, conflicts or submodules: then ours starts empty. */
  async #seedIndex(): Promise<void> {
    const { user, index } = this.#repository;
    if (user === undefined || user.prefix !== '') return;
    this.#ignored.recordCopy();
    await copyIndex(user.index, index);
    const entries = splitNames(await this.#repository.inFolder(['ls-files', '-z', '-v', '-s']));
    const isPlain = (entry: string): boolean =>
      /^H 1[02]0\d{3} [0-9a-f]+ 0\t/.test(entry) && this.#isPart(entry.slice(entry.indexOf('\t') + 1));
    if (entries.every(isPlain)) return;
    await rm(index, { force: true });
    this.#ignored.forget();
  }
}
