import { randomBytes } from 'node:crypto';
import { closeSync, fsync, linkSync, lstatSync, openSync, rmSync, statSync, unlinkSync, writevSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isSystemError } from '../../errors/gateline-error.ts';
import { writeAll, type TryWrite } from '../new-file.ts';
import { isFromSystem, unlessAbsent, writing } from '../../errors/store-errors.ts';

/** Error codes of file systems without hard links (FAT, some network mounts, Android). */
const NO_HARD_LINKS = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EXDEV',
  'EINVAL',
  'EACCES',
  'UNKNOWN',
]);

/** Error codes of file systems that cannot flush a folder. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Temporary files not written to for this long were left by killed processes. */
const OLD_TEMPORARY_MS = 60 * 60 * 1_000;

/** Everything else that a small file needs takes less time than one step through the thread pool. */
const flush = promisify(fsync);

/**
 * Flush a folder, so that names created, changed or removed in it survive a power cut. Windows does this automatically.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    await flush(folder);
  } catch (error) {
    if (!isFromSystem(error) || !NO_FOLDER_SYNC.has(error.code)) throw error;
  } finally {
    closeSync(folder);
  }
}

/**
 * Creates a folder and its parents durably, accessible only to the owner. Without `recursive`: Node's never ends where
 * a parent exists and the system says of a folder in it that it cannot exist, as in `/proc`.
 * @returns true if it did not exist
 */
export async function makeFolder(path: string): Promise<boolean> {
  try {
    return await makeOne(path);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    return makeOne(path);
  }
}

/** In a folder that exists. @returns true if it did not exist */
async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Some systems name another reason first, such as a file system that is read-only.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return false;
    // It was there, and another process has removed it since.
    const isGone = lstatSync(path, { throwIfNoEntry: false }) === undefined;
    if (isGone && isSystemError(error, 'EEXIST')) return makeOne(path);
    throw error;
  }
  await syncFolder(dirname(path));
  return true;
}

/** The name of what an interrupted write leaves, which is never an input of a gate: see `neverCounts`. */
function temporaryName(): string {
  return `.gateline-${randomBytes(8).toString('hex')}.tmp`;
}

/** A file that was written and flushed under a temporary name. */
export interface TemporaryFile {
  readonly path: string;
  readonly bytes: number;
  /** Remove it, if it is still there. */
  discard(): Promise<void>;
}

/**
 * Write chunks to a new file with a unique name in `folder`, and flush it. On any failure, including an error thrown by
 * the chunks, the file is removed.
 *
 * @param options.flush false: the caller flushes, or throws the file away
 * @param options.attempt runs each step that the system may refuse; see {@link writeAll}
 */
export async function writeTemporary(
  folder: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { flush = true, attempt = (write) => write() }: { readonly flush?: boolean; readonly attempt?: TryWrite } = {},
): Promise<TemporaryFile> {
  const path = join(folder, temporaryName());
  const handle = await attempt(() => open(path, 'wx'));
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      await writeAll(handle, chunk, attempt);
      bytes += chunk.length;
    }
    if (flush) await attempt(() => handle.sync());
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
  await handle.close();
  return { path, bytes, discard: () => rm(path, { force: true }) };
}

/** As {@link writeTemporary}, for bytes in memory. */
export async function writeTemporaryBytes(folder: string, chunks: readonly Uint8Array[]): Promise<TemporaryFile> {
  const path = join(folder, temporaryName());
  const file = openSync(path, 'wx');
  try {
    let left = [...chunks];
    while (left.length > 0) left = withoutFirst(left, writevSync(file, left));
    await flush(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { path, bytes, discard: () => rm(path, { force: true }) };
}

/** Chunks without their first bytes. A single write may write fewer bytes than requested. */
function withoutFirst(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let skipped = count;
  return chunks.flatMap((chunk) => {
    const own = Math.min(skipped, chunk.length);
    skipped -= own;
    return own < chunk.length ? [chunk.subarray(own)] : [];
  });
}

/**
 * Removes temporary files that killed processes left an hour ago or earlier.
 * @param isOurs whether a name is one of ours; default: any, as in a folder for temporary files
 * @throws GatelineError `STORE_WRITE_FAILED`
 */
export async function sweepTemporary(folder: string, isOurs: (name: string) => boolean = () => true): Promise<void> {
  await writing(folder, async () => {
    for (const name of (await unlessAbsent(readdir(folder))) ?? []) {
      if (!name.endsWith('.tmp') || !isOurs(name)) continue;
      const path = join(folder, name);
      const status = await unlessAbsent(stat(path));
      if (status !== undefined && Date.now() - status.mtimeMs > OLD_TEMPORARY_MS) await rm(path, { force: true });
    }
  });
}

/** Flush a file that has already been written. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** How to take a name at most once; see {@link claimName}. */
export type Claiming = 'link' | 'reserve';

/**
 * Give a flushed temporary file a name that must not exist yet; durable when this settles. The temporary name is always
 * removed.
 *
 * - `link`: a hard link, which fails if the name exists. Readers see nothing or all of it. If the file system has no
 *   hard links, `reserve` is used instead.
 * - `reserve`: an empty file made with `O_EXCL`, then the whole file moved over it. Readers may see the empty file for
 *   a moment, and forever if the process dies just then: the name is then taken.
 *
 * @returns false when the name is taken
 */
export async function claimName(temporary: string, path: string, claiming: Claiming): Promise<boolean> {
  const linked = claiming === 'link' ? await tryLink(temporary, path) : 'unsupported';
  if (linked === 'unsupported') {
    if (!(await reserve(path))) {
      await rm(temporary, { force: true });
      return false;
    }
    await rename(temporary, path);
  } else {
    unlinkSync(temporary);
    if (linked === 'taken') return false;
  }
  await syncFolder(dirname(path));
  return true;
}

async function tryLink(temporary: string, path: string): Promise<'linked' | 'taken' | 'unsupported'> {
  try {
    linkSync(temporary, path);
    return 'linked';
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) {
      // NFS may report EEXIST for a link that it made, if the response to the first try was lost. Two names prove that
      // the link exists.
      return (await stat(temporary)).nlink > 1 ? 'linked' : 'taken';
    }
    if (isFromSystem(error) && NO_HARD_LINKS.has(error.code)) return 'unsupported';
    throw error;
  }
}

async function reserve(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
}
