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

/** Untracked files above this many bytes are not copied: storing takes 3 s per 100 MB. */
const LARGEST = 100 * 1_024 ** 2;
/** How much the clock that sets times of files can be behind, in milliseconds. */
const CLOCK_LAG = 20;

export interface SnapshotOptions {
  /** Globs of `files`: ignored files that they name are part of snapshots. */
  readonly stored: readonly string[];
  /** Globs of `inputs`: ignored files that only they name get an id, never a copy. */
  readonly hashed: readonly string[];
  /** Globs of scratch that is nobody's, and of state of other systems: never part of a snapshot. */
  readonly ignore: readonly string[];
  /** Starts from a copy of the user's index if it is a plain one: for a job's checkout. */
  readonly seedIndex?: boolean;
}

/** Paths that the index takes, that leave it (if they are in it), and that are not stored. */
type Sorted = { readonly taken: string[]; readonly gone: string[]; readonly unstored: Map<string, FileVersion> };

/** Takes snapshots of a folder with our own index: `git ls-files`, `update-index`, `write-tree`. */
export class Snapshots {
  readonly #repository: Repository;
  readonly #isScratch: PathMatcher;
  readonly #ignored: IgnoredFiles;
  readonly #unstoredFiles: UnstoredFiles;
  readonly #isSeeded: boolean;
  #last: Snapshot | undefined;
  /** The files of our index, and their tree if it is known. */
  #list: { readonly tree?: string; readonly text: string } | undefined;
  /** Paths that the next snapshot takes again. */
  #unsettled: readonly string[] = [];

  constructor(repository: Repository, { stored, hashed, ignore, seedIndex = false }: SnapshotOptions) {
    this.#repository = repository;
    this.#isScratch = createMatcher(ignore);
    this.#ignored = new IgnoredFiles(repository, stored, hashed);
    this.#unstoredFiles = new UnstoredFiles(repository);
    this.#isSeeded = seedIndex;
  }

  /**
   * Our index is a cache. The user's `git gc` may have removed blobs that it names, and files may change while they are
   * read: a snapshot that fails is taken again without the index.
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
    const [changed, named, { tracked, ignored: strays }] = await Promise.all([
      listing,
      this.#ignored.listNamed(async (paths) => {
        const others = new Set(await listing);
        return paths.filter((path) => others.has(path) || findLine(this.#list!.text, path).length > 0);
      }),
      this.#ignored.listStrays(listing),
    ]);
    const ignored = strays.filter((path) => !this.#ignored.stored.has(path));
    if (!this.#repository.isBeside) await this.#removeTemporary([...changed, ...named.stored]);
    const listed = [...changed, ...tracked, ...named.stored, ...this.#unsettled];
    const { taken, gone, unstored } = await this.#sort(listed, ignored);
    const hashed = [...named.hashed, ...ignored.filter((path) => this.#ignored.hashed.has(path))];
    for (const path of hashed.filter((path) => this.#isPart(path))) {
      const version = await this.#unstoredFiles.hash(path);
      if (version !== undefined) unstored.set(path, version);
    }
    if (gone.length > 0) {
      await inFolder(['update-index', '-z', '--force-remove', '--stdin'], { input: joinLines(gone, '\0') });
    }
    if (taken.length > 0) {
      const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
      await inFolder(args, { input: joinLines(taken, '\0') });
    }
    const isUnchanged = taken.length === 0 && gone.length === 0;
    const tree = (isUnchanged ? this.#last?.tree : undefined) ?? (await this.#readIndex(isUnchanged));
    await this.#unsettle(taken, begin);
    // Each entry was compared with the disk after `begin`: by this time git knows that only what changed in that second
    // or later can differ from it unseen, and compares that by content.
    if (existsSync(index)) await utimes(index, begin, begin);
    await this.#unstoredFiles.save();
    this.#last = { tree, unstored: Object.fromEntries([...unstored].sort(([a], [b]) => comparePaths(a, b))) };
    return this.#last;
  }

  /** Paths that are changed or untracked. The first time the same command lists our index, too. */
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
   * git compares by content what has a time after that of our index. A file that got an older time (`cp -p`, `mv`) could
   * change again within the second of its change without a sign: its entry gets no sign at all, so its content counts.
   */
  async #unsettle(taken: readonly string[], begin: number): Promise<void> {
    const { root, index, prefix } = this.#repository;
    this.#unsettled = taken.filter((path) => {
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

  /** What a put that was killed left. Nothing is put beside a snapshot. */
  async #removeTemporary(paths: readonly string[]): Promise<void> {
    for (const path of paths) if (TEMPORARY.test(path)) await rm(join(this.#repository.root, path), { force: true });
  }

  async #sort(paths: readonly string[], ignored: readonly string[]): Promise<Sorted> {
    const { root } = this.#repository;
    const sorted: Sorted = { taken: [], gone: [...ignored], unstored: new Map() };
    const skipped = new Set(ignored);
    const large: string[] = [];
    const folders = new Map<string, boolean>();
    const queue = [...new Set(paths)];
    // The queue grows by the files of other repositories in the folder.
    for (const name of queue) {
      const path = name.replace(/\/$/, '');
      if (skipped.has(path) || !this.#isPart(path)) continue;
      const place = join(root, path);
      const stat = statBelow(root, path, folders);
      const isFile = stat?.isFile() === true;
      if (findPathProblem(path) !== undefined || (isFile && !isReadable(place))) {
        sorted.unstored.set(path, describeUnreadable(path, this.#repository));
      } else if (stat === undefined) {
        sorted.gone.push(path);
        // git does not list a tracked file that is ignored when it comes back.
        this.#ignored.forget();
      } else if (!isFile && !stat.isSymbolicLink()) {
        if (path === name) sorted.gone.push(path);
        const isRepository = stat.isDirectory() && existsSync(join(place, '.git'));
        if (isRepository) queue.push(...(await this.#listRepository(path, sorted)));
      } else if (isFile && stat.size > LARGEST) large.push(path);
      else sorted.taken.push(path);
    }
    await this.#sortLarge(large, sorted);
    const earlier = new Set(Object.keys(this.#last?.unstored ?? {}));
    sorted.gone.push(...[...sorted.unstored.keys()].filter((path) => !earlier.has(path)));
    return sorted;
  }

  #isPart(path: string): boolean {
    return path !== '.state' && !path.startsWith('.state/') && !TEMPORARY.test(path) && !this.#isScratch(path);
  }

  /** A repository in the folder is a folder like any other. Once its files are in our index, git itself looks there. */
  async #listRepository(path: string, { unstored }: Sorted): Promise<string[]> {
    const args = ['ls-files', '-z', '-c', '-o', '--exclude-standard'];
    const { root, asUser } = this.#repository;
    const names = await asUser(args, { cwd: join(root, path) }).then(splitNames, () => undefined);
    if (names === undefined) unstored.set(path, 'unreadable repository');
    return (names ?? []).map((name) => `${path}/${name}`);
  }

  /** Large files get an id only, unless the user tracks them. */
  async #sortLarge(large: readonly string[], { taken, unstored }: Sorted): Promise<void> {
    if (large.length === 0) return;
    const args = ['--literal-pathspecs', 'ls-files', '-z', ...pathArguments(large)];
    const tracked = this.#repository.user === undefined ? [] : splitNames(await this.#repository.asUser(args));
    for (const path of large) {
      const version = tracked.includes(path) ? undefined : await this.#unstoredFiles.hash(path);
      if (version === undefined) taken.push(path);
      else unstored.set(path, version);
    }
  }

  /** The tree of our index. It is listed at the same time: next somebody compares its files. */
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

  /** Flags, conflicts and submodules of the user's index would come along: then ours starts empty. */
  async #seedIndex(): Promise<void> {
    const { user, index } = this.#repository;
    if (user === undefined || user.prefix !== '') return;
    this.#ignored.noteCopy();
    await copyIndex(user.index, index);
    const entries = splitNames(await this.#repository.inFolder(['ls-files', '-z', '-v', '-s']));
    const isPlain = (entry: string): boolean =>
      /^H 1[02]0\d{3} [0-9a-f]+ 0\t/.test(entry) && this.#isPart(entry.slice(entry.indexOf('\t') + 1));
    if (entries.every(isPlain)) return;
    await rm(index, { force: true });
    this.#ignored.forget();
  }
}
