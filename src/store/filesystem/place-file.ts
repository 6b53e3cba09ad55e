import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { claimName, syncFolder, writeTemporaryBytes, type TemporaryFile } from './durable.ts';
import type { StateFolder } from './state-folder.ts';

/** Called when the bytes are written and before they get their name. What it throws stops that. */
type Check = () => void;

/**
 * Write a whole file under a name that must not exist yet; durable when this settles. Readers see all of it or nothing.
 *
 * @returns false when the name is taken
 * @throws the system's error; see `StateFolder.writing`
 */
export function claimFile(
  state: StateFolder,
  path: string,
  chunks: readonly Uint8Array[],
  check: Check = () => {},
): Promise<boolean> {
  return placed(state, path, chunks, async (temporary) => {
    check();
    return claimName(temporary.path, path, state.claiming);
  });
}

/** As {@link claimFile}; a file of that name is replaced. */
export function replaceFile(
  state: StateFolder,
  path: string,
  chunks: readonly Uint8Array[],
  check: Check,
): Promise<void> {
  return placed(state, path, chunks, async (temporary) => {
    check();
    renameSync(temporary.path, path);
    await syncFolder(dirname(path));
  });
}

type PlaceFile<T> = (temporary: TemporaryFile) => Promise<T>;

async function placed<T>(
  state: StateFolder,
  path: string,
  chunks: readonly Uint8Array[],
  place: PlaceFile<T>,
): Promise<T> {
  try {
    return await placeOnce(state, path, chunks, place);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
    // An existing folder was removed by another process: create it again, once.
    state.forgetFolders();
    return placeOnce(state, path, chunks, place);
  }
}

async function placeOnce<T>(
  state: StateFolder,
  path: string,
  chunks: readonly Uint8Array[],
  place: PlaceFile<T>,
): Promise<T> {
  await state.folder(state.temporaryFolder);
  await state.folder(dirname(path));
  const temporary = await writeTemporaryBytes(state.temporaryFolder, chunks);
  try {
    return await place(temporary);
  } catch (error) {
    await temporary.discard();
    throw error;
  }
}
