import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { splitNames } from './git.ts';
import { IgnoredNames } from './globs.ts';
import { statPath } from './paths.ts';
import type { Repository } from './repository.ts';

/** Most paths in the arguments of one command; with more it looks everywhere. */
const MOST_ARGUMENTS = 500;

/** Paths as arguments of a command with `--literal-pathspecs`. */
export function pathArguments(paths: readonly string[]): readonly string[] {
  return paths.length > MOST_ARGUMENTS ? ['--', '.'] : ['--', ...paths];
}

/** The files and folders that git ignores, without what is below such a folder, at or below these places. */
export async function listTopmostIgnored(repository: Repository, places: readonly string[]): Promise<string[]> {
  const options = ['-z', '-o', '-i', '--directory', '--exclude-standard'];
  const args = ['--literal-pathspecs', 'ls-files', ...options, ...pathArguments(places)];
  // With an index without entries the folders are named as a whole, whatever is tracked in them.
  const env = { GIT_INDEX_FILE: join(repository.store, 'no-index') };
  const entries = splitNames(await repository.inFolder(args, { env }));
  // A folder that is not ignored, but holds nothing else, is listed just before what it holds.
  const ignored = entries.filter((entry, index) => !entry.endsWith('/') || !entries[index + 1]?.startsWith(entry));
  return ignored.map((entry) => entry.replace(/\/$/, ''));
}

/** Knows which ignored files belong to a snapshot: those that globs name, and those that the user tracks. */
export class IgnoredFiles {
  readonly #repository: Repository;
  readonly stored: IgnoredNames;
  readonly hashed: IgnoredNames;
  /** Times of the files that decide what is tracked or ignored; undefined: look again. */
  #state: string | undefined;

  constructor(repository: Repository, stored: readonly string[], hashed: readonly string[]) {
    this.#repository = repository;
    this.stored = new IgnoredNames(stored);
    this.hashed = new IgnoredNames(hashed);
  }

  /**
   * Ignored files that are not in our index and that globs name: those to store, and those to hash only.
   *
   * @param findListed which of these paths are in our index, or are changed or untracked
   */
  async listNamed(
    findListed: (paths: readonly string[]) => Promise<readonly string[]>,
  ): Promise<{ readonly stored: string[]; readonly hashed: string[] }> {
    const { root } = this.#repository;
    const places = [...new Set([...this.stored.places, ...this.hashed.places])];
    const present = places.filter((place) => statPath(join(root, place)) !== undefined);
    // Git need not look again if all are files that it lists: most globs without a wildcard name one.
    const areFiles = present.every((place) => statPath(join(root, place))?.isFile());
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
   * What git lists neither as changed nor as untracked: files that the user tracks although they are ignored, and files
   * of our index that are ignored, also those that globs name. Empty if nothing can have changed since the last time.
   *
   * @param listing paths that have changed; the first time they are not waited for
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

  /** Our index is now a copy of the user's: there are no strays until one of the two changes. */
  noteCopy(): void {
    this.#state = this.#readState();
  }

  #readState(): string {
    const { user } = this.#repository;
    const stats = [user?.index, user?.excludes].map((path) => path && statPath(path));
    return stats.map((stat) => stat && [stat.mtimeNs, stat.size, stat.ino].join(' ')).join();
  }

  /** The next {@link listStrays} looks again. */
  forget(): void {
    this.#state = undefined;
  }
}
