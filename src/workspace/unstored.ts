import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, readlink, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { isSystemError } from '../errors.ts';
import type { FileVersion } from '../run/files.ts';
import { statPath } from './paths.ts';
import type { Repository } from './repository.ts';

/** Prefix of the versions of files that are readable, but not stored. */
export const UNSTORED = 'unstored ';
/** By path: size, times and inode of a file, and its version then. */
const cacheSchema = z.record(z.string(), z.tuple([z.string(), z.string()]));
/** A file that changed more recently before it was read could change again without a new time. Milliseconds. */
const UNSETTLED_MS = 2_000n;

/** Versions of files that git does not store. A file is read again only if its size, times or inode have changed. */
export class UnstoredFiles {
  readonly #repository: Repository;
  readonly #cachePath: string;
  #saved: Readonly<z.infer<typeof cacheSchema>> | undefined;
  #current: z.infer<typeof cacheSchema> = {};

  constructor(repository: Repository) {
    this.#repository = repository;
    this.#cachePath = join(repository.store, `${basename(repository.index)}.unstored.json`);
  }

  /** The version of a file by its content; undefined: there is none. */
  async hash(path: string): Promise<FileVersion | undefined> {
    const absolutePath = join(this.#repository.root, path);
    const stat = statPath(absolutePath);
    if (stat === undefined || !(stat.isFile() || stat.isSymbolicLink())) return undefined;
    const { mode, size, ino, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = stat;
    const stamp = [mode, size, ino, mtimeNs, ctimeNs].join(' ');
    this.#saved ??= await readCache(this.#cachePath);
    const entry = this.#current[path] ?? this.#saved[path];
    if (entry?.[0] === stamp) return (this.#current[path] = entry)[1];
    const hash = createHash('sha256');
    try {
      if (stat.isSymbolicLink()) hash.update(await readlink(absolutePath));
      else for await (const chunk of createReadStream(absolutePath)) hash.update(chunk as Buffer);
    } catch (error) {
      return isSystemError(error, 'ENOENT') ? undefined : describeUnreadable(path, this.#repository);
    }
    const version = `${UNSTORED}${mode.toString(8)} ${hash.digest('hex')}`;
    const changedAt = mtimeMs > ctimeMs ? mtimeMs : ctimeMs;
    if (BigInt(Date.now()) - changedAt > UNSETTLED_MS) this.#current[path] = [stamp, version];
    return version;
  }

  /** Keeps the versions for later processes. */
  async save(): Promise<void> {
    const text = JSON.stringify(this.#current);
    if (this.#saved === undefined || this.#repository.isBeside || text === JSON.stringify(this.#saved)) return;
    const temporary = this.#repository.temporaryPath();
    await writeFile(temporary, text);
    await rename(temporary, this.#cachePath);
    this.#saved = { ...this.#current };
  }
}

/** The version of a file that cannot be read, or whose name git cannot store. */
export function describeUnreadable(path: string, { root }: Repository): FileVersion {
  const stat = statPath(join(root, path));
  return stat === undefined ? 'unreadable' : `unreadable ${stat.mode.toString(8)} ${stat.size} ${stat.mtimeNs}`;
}

/** Empty if it cannot be read. */
async function readCache(path: string): Promise<z.infer<typeof cacheSchema>> {
  try {
    return cacheSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return {};
  }
}
