import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { splitNames } from './git.ts';
import { IgnoredNames } from './globs.ts';
import { comparePaths, statPath } from './paths.ts';
import type { Repository } from './repository.ts';

/** Paths in the arguments of one command; with more, the command looks everywhere. */
const MAX_ARGUMENTS = 500;

/** Paths as arguments of a command with `--literal-pathspecs`. */
export function pathArguments(paths: readonly string[]): readonly string[] {
  return paths.length > MAX_ARGUMENTS ? ['--', '.'] : ['--', ...paths];
}

/** The topmost files and folders that git ignores at or below these paths, without a trailing `/`. */
export async function listTopmostIgnored(repository: Repository, roots: readonly string[]): Promise<string[]> {
  const options = ['-z', '-o', '-i', '--directory', '--exclude-standard'];
  const args = ['--literal-pathspecs', 'ls-files', ...options, ...pathArguments(roots)];
  // With an empty index git lists an ignored folder as one entry, even if files in it are tracked.
  const env = { GIT_INDEX_FILE: join(repository.store, 'no-index') };
  const entries = splitNames(await repository.inFolder(args, { env }));
  // A folder that is not ignored itself, but has only ignored files, is listed just before them: it is left out.
  const ignored = entries.filter((entry, index) => !entry.endsWith('/') || !entries[index + 1]?.startsWith(entry));
  return ignored.map((entry) => entry.replace(/\/$/, ''));
}

/** Finds the ignored files that belong to a snapshot: those that globs name, and those that the user tracks. */
export class IgnoredFiles {
  readonly #repository: Repository;
  readonly stored: IgnoredNames;
  readonly hashed: IgnoredNames;
  /** Where named files are, in the order in which git lists them. */
  readonly #roots: readonly string[];
  /** Sizes and times of the files that decide what is tracked or ignored; undefined: list strays again. */
  #state: string | undefined;

  constructor(repository: Repository, stored: readonly string[], hashed: readonly string[]) {
    this.#repository = repository;
    this.stored = new IgnoredNames(stored);
    this.hashed = new IgnoredNames(hashed);
    this.#roots = [...new Set([...this.stored.roots, ...this.hashed.roots])].sort(comparePaths);
  }

  /**
   * Ignored files that globs name and that are not in our index: those to store, and those to hash only.
   *
   * @param findListed finds, among sorted paths, those that are in our index, changed or untracked
   */
  async listNamed(
    findListed: (paths: readonly string[]) => Promise<readonly string[]>,
  ): Promise<{ readonly stored: string[]; readonly hashed: string[] }> {
    const { root } = this.#repository;
    const stats = new Map(this.#roots.map((path) => [path, statPath(join(root, path))]));
    const present = this.#roots.filter((path) => stats.get(path) !== undefined);
    // If all are files that git lists anyway, no further command is needed: most globs without a wildcard name a file.
    const areFiles = present.every((path) => stats.get(path)!.isFile());
    const listed = areFiles && present.length > 0 ? await findListed(present) : [];
    const areListed = listed.length === present.length;
    const topmost = areListed ? listed : await listTopmostIgnored(this.#repository, present);
    const named = [...new Set([...this.stored.select(topmost), ...this.hashed.select(topmost)])];
    const args = ['--literal-pathspecs', 'ls-files', '-z', '-o', '-i', '--exclude-standard', ...pathArguments(named)];
    const files = areListed || named.length === 0 ? [] : splitNames(await this.#repository.inFolder(args));
    const stored = files.filter((path) => this.stored.has(path));
    return { stored, hashed: files.filter((path) => !this.stored.has(path) && this.hashed.has(path)) };
  }

  /**
   * Files that git lists neither as changed nor as untracked: ignored files that the user tracks, and ignored files in our
   * index. Both are empty if nothing can have changed since the last call.
   *
   * @param listing paths that have changed; not waited for in the first call
   */
  async listStrays(listing: Promise<readonly string[]>): Promise<{ tracked: string[]; ignored: string[] }> {
    const { user, index, inFolder, asUser } = this.#repository;
    const state = this.#readState();
    if (state === this.#state && !(await listing).some((path) => path.endsWith('.gitignore')))
      return { tracked: [], ignored: [] };
    this.#state = state;
    const args = ['ls-files', '-z', '-c', '-i', '--exclude-standard'];
    const [indexed, tracked] = await Promise.all([
      existsSync(index) ? inFolder(args).then(splitNames) : [],
      user !== undefined && existsSync(user.index) ? asUser(args).then(splitNames) : [],
    ]);
    const [isIndexed, isTracked] = [new Set(indexed), new Set(tracked)];
    return {
      tracked: tracked.filter((path) => !isIndexed.has(path)),
      ignored: indexed.filter((path) => !isTracked.has(path)),
    };
  }

  /** Records that our index is a copy of the user's: there are no strays until one of the two changes. */
  recordCopy(): void {
    this.#state = this.#readState();
  }

  #readState(): string {
    const { user } = this.#repository;
    const stats = [user?.index, user?.excludes].map((path) => path && statPath(path));
    return stats.map((stat) => stat && [stat.mtimeNs, stat.size, stat.ino].join(' ')).join();
  }

  /** Lets the next {@link listStrays} list again. */
  forget(): void {
    this.#state = undefined;
  }
}
