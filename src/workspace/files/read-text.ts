import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import { openToRead } from './blob.ts';
import { readBounded } from './read-named.ts';

const LARGEST = 16 * 1_024 ** 2;

/**
 * A file of the workspace as text; see `Workspace.readText`. A byte order mark is dropped.
 * @throws GatelineError `PATH_ESCAPES` when it is outside or a link leads outside; `FILE_UNREADABLE` when it is not a
 *   plain file or not readable; `FILE_TOO_LARGE` over 16 MiB; `FILE_NOT_UTF8`.
 */
export async function readText(root: string, path: string): Promise<string | undefined> {
  const place = await realPlace(root, path);
  if (place === undefined) return undefined;
  try {
    await using file = await openToRead(place);
    const bytes = await readBounded(file, LARGEST);
    if (bytes === 'not-plain') throw unreadable(path, 'it is not a plain file');
    if (bytes === 'too-large') throw new GatelineError('FILE_TOO_LARGE', `${path} is larger than 16 MiB.`);
    return decode(path, bytes);
  } catch (error) {
    if (error instanceof GatelineError) throw error;
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw unreadable(path, messageOf(error), error);
  }
}

async function realPlace(root: string, path: string): Promise<string | undefined> {
  if (path.includes('\0') || isAbsolute(path) || leaves(relative(root, join(root, path)))) throw escapes(path);
  try {
    const place = await realpath(join(root, path));
    if (leaves(relative(root, place))) throw escapes(path);
    return place;
  } catch (error) {
    if (error instanceof GatelineError) throw error;
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw unreadable(path, messageOf(error), error);
  }
}

function leaves(way: string): boolean {
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function escapes(path: string): GatelineError {
  return new GatelineError('PATH_ESCAPES', `${JSON.stringify(path)} is outside the workspace.`, {
    hint: 'Name a file inside it; a symbolic link must not lead out either.',
  });
}

function unreadable(path: string, why: string, cause?: unknown): GatelineError {
  return new GatelineError('FILE_UNREADABLE', `${path} cannot be read: ${why}.`, {
    hint: 'Name a plain file that you may read.',
    cause,
  });
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new GatelineError('FILE_NOT_UTF8', `${path} is not UTF-8.`, {
      cause: error,
    });
  }
}
