import { GatelineError, isSystemError, messageOf } from './gateline-error.ts';
import type { ErrorCode } from './error-codes.ts';

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space, then run the same command again. Nothing that was stored is lost.',
  EDQUOT: 'Your disk quota is used up: free some space, then run the same command again.',
  EFBIG: 'The file is larger than the system allows (see `ulimit -f`).',
  EROFS: 'The file system is mounted read-only: run this where the workspace can be written.',
  EACCES:
    'Check who owns the file and its folder: an earlier run as another user (root in a container?) may have created them.',
  EPERM:
    'Check who owns the file and its folder: an earlier run as another user (root in a container?) may have created them.',
  EMFILE: 'Too many files are open: raise the limit (`ulimit -n`).',
  ENFILE: 'The system has too many files open: close some programs.',
  ENOTDIR: 'A file is in the place of a folder: move it away.',
  EEXIST: 'Something else is in its place: move it away.',
  EISDIR: 'A folder is in the place of a file: move it away.',
  ENOENT: 'A file or folder is missing: another process may have removed it. Run the same command again.',
  ENAMETOOLONG: 'The path is too long for the system: use a folder with a shorter path, or shorter names.',
  EIO: 'The disk reports errors: check it before you continue.',
};

/** What to do when the system refuses with this code; `undefined`: nothing special. */
export function hintFor(code: string): string | undefined {
  return HINTS[code];
}

/** True for an error from the operating system, whatever its code. */
export function isFromSystem(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error;
}

/** Why the system refused, short enough for a message: `EACCES: permission denied, open '…'`. */
export function reasonOf(error: unknown): string {
  return messageOf(error).slice(0, 500);
}

/**
 * Converts a write that the system refused into a platform error (`STORE_WRITE_FAILED`). Anything else is returned
 * unchanged: it is a bug, or an error from other code.
 */
export function writeFailure(path: string, error: unknown): unknown {
  return failure('STORE_WRITE_FAILED', 'Cannot write', path, error);
}

/** As {@link writeFailure}, for reads: `STORE_READ_FAILED`. */
export function readFailure(path: string, error: unknown): unknown {
  return failure('STORE_READ_FAILED', 'Cannot read', path, error);
}

/** Runs `write` and converts a refusal by the system into {@link writeFailure}. */
export async function writing<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/** Returns `undefined` if a file or folder does not exist; every other error is rethrown. */
export async function unlessAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function failure(code: ErrorCode, verb: string, path: string, error: unknown): unknown {
  if (!isFromSystem(error)) return error;
  return new GatelineError(code, `${verb} ${path}: ${reasonOf(error)}`, {
    hint: hintFor(error.code) ?? 'Check the disk and the permissions of this path, then run the same command again.',
    place: { file: path },
    cause: error,
  });
}
