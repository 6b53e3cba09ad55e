import { existsSync } from 'node:fs';
import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../errors.ts';
import type { FileVersion } from '../run/files.ts';
import { GitError, type GitName, isText, joinNames, splitNames } from './git.ts';
import { createMatcher, type PathMatcher } from './globs.ts';
import { IgnoredFiles, pathArguments } from './ignored-files.ts';
import { comparePaths, findPathProblem, isBehindFile, isReadable, isTemporary, statPath } from './paths.ts';
import { copyIndex, type Repository } from './repository.ts';
import { UnstoredFiles, describeUnreadable } from './unstored.ts';
import type { Snapshot } from './workspace.ts';

/** Untracked files above this many bytes are not copied: storing takes 3 s per 100 MB. */
const LARGEST = 100 * 1_024 ** 2;
/** Trees without entries, which git knows without storing them. */
const EMPTY_TREES: Readonly<Record<string, string>> = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

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

/** Where the paths of one look at the folder belong. */
interface Sorted {
  /** Paths that git compares with the disk: taken, or removed if nothing is there. */
  readonly taken: string[];
  /** Paths that leave the index. */
  readonly gone: string[];
  readonly unstored: Map<string, FileVersion>;
}

/** Takes snapshots of a folder with our own index: `git ls-files`, `update-index`, `write-tree`. */
export class Snapshots {
  readonly #repository: Repository;
  readonly #isScratch: PathMatcher;
  readonly #ignored: IgnoredFiles;
  readonly #unstoredFiles: UnstoredFiles;
  readonly #seeds: boolean;
  #last: Snapshot | undefined;

  constructor(repository: Repository, { stored, hashed, ignore, seedIndex = false }: SnapshotOptions) {
    this.#repository = repository;
    this.#isScratch = createMatcher(ignore);
    this.#ignored = new IgnoredFiles(repository, stored, hashed);
    this.#unstoredFiles = new UnstoredFiles(repository);
    this.#seeds = seedIndex;
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
      }
    }
  }

  async #take(): Promise<Snapshot> {
    const repository = this.#repository;
    const begin = Math.floor(Date.now() / 1_000);
    if (this.#seeds && !existsSync(repository.index)) await this.#seedIndex();
    const [changed, named] = await Promise.all([
      repository.inFolder(['ls-files', '-z', '-m', '-o', '--exclude-standard']).then(splitNames),
      this.#ignored.listNamed(),
    ]);
    const { tracked, ignored } = await this.#ignored.listStrays(changed);
    const { taken, gone, unstored } = await this.#sort([...changed, ...tracked, ...named.stored], ignored);
    for (const path of [...named.hashed, ...this.#ignored.selectHashed(ignored)].filter((path) => this.#isPart(path))) {
      const version = await this.#unstoredFiles.hash(path);
      if (version !== undefined) unstored.set(path, version);
    }
    if (gone.length > 0) {
      await repository.inFolder(['update-index', '-z', '--force-remove', '--stdin'], { input: joinNames(gone) });
    }
    if (taken.length > 0) {
      const options = ['-z', '--add', '--remove', '--replace', '--stdin'];
      await repository.inFolder(['update-index', ...options], { input: joinNames(taken) });
    }
    const isUnchanged = taken.length === 0 && gone.length === 0;
    const tree = (isUnchanged ? this.#last?.tree : undefined) ?? (await this.#writeTree());
    // Each entry was compared with the disk after `begin`: by this time git knows that only what changed in that second
    // or later can differ from it unseen, and compares that by content.
    await utimes(repository.index, begin, begin).catch((error: unknown) => {
      if (!isSystemError(error, 'ENOENT')) throw error;
    });
    await this.#unstoredFiles.save();
    const entries = [...unstored].sort(([a], [b]) => comparePaths(a, b));
    this.#last = { tree, unstored: Object.fromEntries(entries) };
    return this.#last;
  }

  async #sort(paths: readonly GitName[], ignored: readonly string[]): Promise<Sorted> {
    const { root } = this.#repository;
    const sorted: Sorted = { taken: [], gone: [...ignored], unstored: new Map() };
    const skipped = new Set(ignored);
    const large: string[] = [];
    const queue = [...new Set(paths)];
    // The queue grows by the files of other repositories in the folder.
    for (const name of queue) {
      const path = isText(name) ? name.replace(/\/$/, '') : escapeName(name);
      if (skipped.has(path) || !this.#isPart(path)) continue;
      const place = isText(name) ? join(root, path) : Buffer.concat([Buffer.from(`${root}/`), name]);
      const stat = statPath(place);
      if (stat === undefined) {
        // git does not list a tracked file that is ignored when it comes back.
        this.#ignored.forget();
        if (isText(name)) sorted.taken.push(path);
      } else if (isBehindFile(root, path) || !(stat.isFile() || stat.isSymbolicLink())) {
        if (path === name) sorted.gone.push(path);
        const isRepository = stat.isDirectory() && isText(name) && existsSync(join(root, path, '.git'));
        if (isRepository) queue.push(...(await this.#listRepository(path, sorted)));
      } else if (!isText(name) || findPathProblem(path) !== undefined || (stat.isFile() && !isReadable(place))) {
        sorted.unstored.set(path, describeUnreadable(place));
      } else if (stat.isFile() && stat.size > LARGEST) large.push(path);
      else sorted.taken.push(path);
    }
    await this.#sortLarge(large, sorted);
    sorted.gone.push(...[...sorted.unstored.keys()].filter((path) => this.#last?.unstored[path] === undefined));
    return sorted;
  }

  #isPart(path: string): boolean {
    return path !== '.state' && !path.startsWith('.state/') && !isTemporary(path) && !this.#isScratch(path);
  }

  /** A repository in the folder is a folder like any other. Once its files are in our index, git itself looks there. */
  async #listRepository(path: string, { unstored }: Sorted): Promise<GitName[]> {
    try {
      const args = ['ls-files', '-z', '-c', '-o', '--exclude-standard'];
      const names = splitNames(await this.#repository.asUser(args, { cwd: join(this.#repository.root, path) }));
      return names.map((name) => (isText(name) ? `${path}/${name}` : Buffer.concat([Buffer.from(`${path}/`), name])));
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      unstored.set(path, 'unreadable repository');
      return [];
    }
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

  async #writeTree(): Promise<string> {
    const { prefix, format } = this.#repository;
    const args = prefix === '' ? ['write-tree'] : ['write-tree', `--prefix=${prefix}`];
    try {
      return (await this.#repository.inFolder(args)).toString().trim();
    } catch (error) {
      const isEmpty = error instanceof GitError && /^fatal: git-write-tree: prefix .* not found$/m.test(error.stderr);
      if (!isEmpty) throw error;
      return EMPTY_TREES[format]!;
    }
  }

  /** Flags, conflicts and submodules of the user's index would come along: then ours starts empty. */
  async #seedIndex(): Promise<void> {
    const { user, index } = this.#repository;
    if (user === undefined || user.prefix !== '') return;
    await copyIndex(user.index, index);
    const entries = splitNames(await this.#repository.inFolder(['ls-files', '-z', '-v', '-s'])).map(String);
    const isPlain = (entry: string): boolean =>
      /^H 1[02]0\d{3} [0-9a-f]+ 0\t/.test(entry) && this.#isPart(entry.slice(entry.indexOf('\t') + 1));
    if (!entries.every(isPlain)) await rm(index, { force: true });
  }
}

/** The bytes of a name that is not UTF-8, as text: `caf\xe9`. */
function escapeName(name: Buffer): string {
  return name.toString('latin1').replaceAll(/[^ -~]/g, (byte) => String.raw`\x${byte.charCodeAt(0).toString(16)}`);
}
