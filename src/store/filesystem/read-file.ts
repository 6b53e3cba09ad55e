import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isSystemError } from '../../errors/gateline-error.ts';
import { isFromSystem, reasonOf, unlessAbsent } from '../../errors/store-errors.ts';

/** Never follows a link in the file's place, and never waits for a pipe without a writer. */
const SAFE_READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The result of opening a file: open, absent, or refused by the system. */
export type OpenedFile =
  | { readonly state: 'open'; readonly handle: FileHandle; readonly status: BigIntStats }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly message: string };

/**
 * Open a plain file for reading. Only `ENOENT` is `absent`; folders, links, pipes and anything the system refuses are
 * `unreadable`.
 */
export async function openForReading(path: string): Promise<OpenedFile> {
  let handle: FileHandle | undefined;
  try {
    handle = await unlessAbsent(open(path, SAFE_READ));
    if (handle === undefined) return { state: 'absent' };
    const status = await handle.stat({ bigint: true });
    if (status.isFile()) return { state: 'open', handle, status };
    await handle.close();
    return { state: 'unreadable', message: notPlain(status) };
  } catch (error) {
    await handle?.close();
    if (isFromSystem(error)) return { state: 'unreadable', message: unreadableReason(error) };
    throw error;
  }
}

/** A whole file in memory. */
export type WholeFile =
  | { readonly state: 'read'; readonly bytes: Buffer; readonly status: BigIntStats }
  | Exclude<OpenedFile, { readonly state: 'open' }>;

/** Read a plain file of at most `limit` bytes; a larger one is `unreadable`. */
export async function readWhole(path: string, limit: number): Promise<WholeFile> {
  const file = await openForReading(path);
  if (file.state !== 'open') return file;
  const { handle, status } = file;
  try {
    if (status.size > BigInt(limit)) return { state: 'unreadable', message: `larger than ${limit} bytes` };
    return { state: 'read', bytes: await handle.readFile(), status };
  } catch (error) {
    if (isFromSystem(error)) return { state: 'unreadable', message: unreadableReason(error) };
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * As {@link readWhole}, without leaving the thread: for many small files, where each step through the thread pool takes
 * longer than reading.
 */
export function readWholeNow(path: string, limit: number): WholeFile {
  let file: number | undefined;
  try {
    file = openSync(path, SAFE_READ);
    const status = fstatSync(file, { bigint: true });
    if (!status.isFile()) return { state: 'unreadable', message: notPlain(status) };
    if (status.size > BigInt(limit)) return { state: 'unreadable', message: `larger than ${limit} bytes` };
    return { state: 'read', bytes: readUpTo(file, Number(status.size)), status };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return { state: 'absent' };
    if (isFromSystem(error)) return { state: 'unreadable', message: unreadableReason(error) };
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** True when both describe the same file with the same bytes (as far as the system shows). */
export function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** The first bytes of a file; fewer, if it was cut off in the meantime. */
function readUpTo(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  let done = 0;
  for (let read = -1; read !== 0 && done < size; done += read) read = readSync(file, bytes, done, size - done, null);
  return bytes.subarray(0, done);
}

function notPlain(status: BigIntStats): string {
  return status.isDirectory() ? 'a folder is in its place' : 'not a plain file';
}

function unreadableReason(error: NodeJS.ErrnoException): string {
  return error.code === 'ELOOP' ? 'a symbolic link is in its place' : reasonOf(error);
}
