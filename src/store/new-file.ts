import { constants } from 'node:fs';
import { open, rm, unlink } from 'node:fs/promises';
import { isSystemError } from '../errors/gateline-error.ts';
import { writing } from '../errors/store-errors.ts';

/** Runs a step that the system may refuse, and may repeat it. */
export type TryWrite = <T>(write: () => Promise<T>) => Promise<T>;

/** Windows has no such flag; there `O_EXCL` alone refuses an existing file. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;

/**
 * Write chunks to a file that does not exist yet, with exactly this mode (the umask is ignored). A symbolic link in its
 * place is not followed. On any error, the file is removed.
 *
 * @param judge called when everything is written; `false` removes the file
 * @returns the result of `judge`
 * @throws GatelineError `STORE_WRITE_FAILED`, also if the file already exists (it is not changed then)
 */
export async function writeNewFile(
  path: string,
  mode: number,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  judge: () => boolean = () => true,
): Promise<boolean> {
  const handle = await writing(path, () => open(path, NEW_FILE, mode));
  let good = false;
  try {
    for await (const chunk of chunks) await writing(path, () => writeAll(handle, chunk));
    await writing(path, () => handle.chmod(mode));
    good = judge();
  } finally {
    await handle.close();
    if (!good) await rm(path, { force: true });
  }
  return good;
}

/**
 * A single write may write fewer bytes than requested.
 * @param attempt runs each write, and may repeat it: bytes that were not accepted were not written
 */
export async function writeAll(
  handle: Awaited<ReturnType<typeof open>>,
  bytes: Uint8Array,
  attempt: TryWrite = (write) => write(),
): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await attempt(() => handle.write(bytes, done, bytes.length - done, null));
    done += bytesWritten;
  }
}

/** Removes a file. @returns false if there is none */
export async function removeIfThere(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
