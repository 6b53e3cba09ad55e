import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { isSystemError } from '../../errors/gateline-error.ts';
import { bytesOfName } from '../files/path-bytes.ts';

/** A folder that stays the same one while it is used, even if its name later leads elsewhere. */
export interface HeldFolder extends AsyncDisposable {
  /** A name in it, as passed to the file system. */
  at(name: string): string | Buffer;
}

/**
 * Node has no `openat`; on Linux this path leads to an open handle.
 * https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html
 */
const HANDLES = '/proc/self/fd';

/**
 * Opens a folder below a root, one name after the other, without following links; missing folders are created. Except
 * on Linux, the folder is not pinned: a link put into its path at this very moment is followed.
 * @throws the system's errors: `ENOTDIR` or `ELOOP` for a link or file in the path
 */
export async function holdFolder(root: string, names: readonly string[]): Promise<HeldFolder> {
  if (process.platform !== 'linux') return plainFolder(root, names);
  let held = await openFolder(root);
  for (const name of names) {
    await using above = held;
    held = await openBelow(above, name);
  }
  return {
    at: (name) => below(`${HANDLES}/${held.fd}`, name),
    [Symbol.asyncDispose]: () => held.close(),
  };
}

async function openBelow(above: FileHandle, name: string): Promise<FileHandle> {
  const path = below(`${HANDLES}/${above.fd}`, name);
  try {
    return await openFolder(path);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
  await mkdir(path).catch((error: unknown) => {
    if (!isSystemError(error, 'EEXIST')) throw error;
  });
  return openFolder(path);
}

function openFolder(path: string | Buffer): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

async function plainFolder(root: string, names: readonly string[]): Promise<HeldFolder> {
  const path = names.reduce<string | Buffer>(below, root);
  await mkdir(path, { recursive: true });
  return { at: (name) => below(path, name), [Symbol.asyncDispose]: () => Promise.resolve() };
}

function below(folder: string | Buffer, name: string): Buffer {
  return Buffer.concat([Buffer.from(folder), Buffer.from('/'), bytesOfName(name)]);
}
