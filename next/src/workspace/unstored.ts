import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, readlink, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { isSystemError } from '../errors.ts';
import type { FileVersion } from '../run/files.ts';
import { statPath } from './paths.ts';
import type { Repository } from './repository.ts';

/** How versions of files begin that are readable, but not stored. */
export const UNSTORED = 'unstored ';
/** Path → size, times and inode of the file, and its version then. */
const cacheSchema = z.record(z.string(), z.tuple([z.string(), z.string()]));
/** A file that changed less than this before it was read could change again without a new time. Milliseconds. */
const UNSETTLED_MS = 2_000;

/** Versions of files that git does not store. A file is read again only if its size, times or inode have changed. */
export class UnstoredFiles {
  readonly #repository: Repository;
  readonly #cachePath: string;
  #saved: ReadonlyMap<string, readonly [string, string]> | undefined;
  #current = new Map<string, [string, string]>();

  constructor(repository: Repository) {
    this.#repository = repository;
    this.#cachePath = join(repository.store, `${basename(repository.index)}.unstored.json`);
  }

  /** The version of a file by its content; undefined: there is none. */
  async hash(path: string): Promise<FileVersion | undefined> {
    const place = join(this.#repository.root, path);
    const stat = statPath(place);
    if (stat === undefined) return undefined;
    const stamp = [stat.size, stat.mtimeNs, stat.ctimeNs, stat.ino, stat.mode].join(' ');
    this.#saved ??= await readCache(this.#cachePath);
    const known = this.#current.get(path) ?? this.#saved.get(path);
    if (known?.[0] === stamp) {
      this.#current.set(path, [...known]);
      return known[1];
    }
    const hash = createHash('sha256');
    try {
      if (stat.isSymbolicLink()) hash.update(await readlink(place));
      else if (!stat.isFile()) return undefined;
      else for await (const chunk of createReadStream(place)) hash.update(chunk as Buffer);
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return undefined;
      return describeUnreadable(place);
    }
    const mode = stat.isSymbolicLink() ? '120000' : (stat.mode & 0o100n) === 0n ? '100644' : '100755';
    const version = `${UNSTORED}${mode} ${hash.digest('hex')}`;
    const settled = Date.now() - Number(stat.mtimeMs > stat.ctimeMs ? stat.mtimeMs : stat.ctimeMs) > UNSETTLED_MS;
    if (settled) this.#current.set(path, [stamp, version]);
    return version;
  }

  /** Remembers the versions for later processes. */
  async save(): Promise<void> {
    const saved = this.#saved;
    if (saved === undefined || this.#repository.isBeside) return;
    const isSame =
      saved.size === this.#current.size &&
      [...this.#current].every(([path, [stamp]]) => saved.get(path)?.[0] === stamp);
    if (isSame) return;
    const temporary = this.#repository.temporaryPath();
    await writeFile(temporary, JSON.stringify(Object.fromEntries(this.#current)));
    await rename(temporary, this.#cachePath);
    this.#saved = new Map(this.#current);
  }
}

/** The version of a file that cannot be read, or whose name cannot be stored: by size and time. */
export function describeUnreadable(place: string | Buffer): FileVersion {
  const stat = statPath(place);
  return stat === undefined ? 'unreadable' : `unreadable ${stat.mode.toString(8)} ${stat.size} ${stat.mtimeNs}`;
}

async function readCache(path: string): Promise<Map<string, [string, string]>> {
  try {
    const cache = cacheSchema.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return new Map(Object.entries(cache.data ?? {}));
  } catch (error) {
    if (error instanceof SyntaxError || isSystemError(error, 'ENOENT')) return new Map();
    throw error;
  }
}
