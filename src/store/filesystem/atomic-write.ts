import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { writing } from '../../errors/store-errors.ts';
import { makeFolder, syncFolder, writeTemporaryBytes } from './durable.ts';

/**
 * Called after each durable operation with what it did (`record …`, `content …`, `file …`). Tests kill the process
 * here.
 */
export type OnDurable = (what: string) => void;

/** Options of {@link atomicWrite}. */
export interface AtomicWriteOptions {
  readonly onDurable?: OnDurable | undefined;
  /**
   * Folder for the temporary file, where one of a killed process is in nobody's way. On another file system, the folder
   * of `path` is used instead, which is also the default.
   */
  readonly temporaryFolder?: string | undefined;
}

/**
 * Write a whole file so that readers see either the old or the complete new content, even after a power cut. Missing
 * folders are created. A symbolic link at `path` is replaced, not followed.
 *
 * @throws GatelineError `STORE_WRITE_FAILED` (fault `platform`); the old content is then unchanged
 */
export async function atomicWrite(
  path: string,
  content: Uint8Array | string,
  options: AtomicWriteOptions = {},
): Promise<void> {
  await writing(path, async () => {
    await makeFolder(dirname(path));
    const bytes = Buffer.from(content);
    const { temporaryFolder = dirname(path) } = options;
    await makeFolder(temporaryFolder);
    if (!(await replace(path, bytes, temporaryFolder))) await replace(path, bytes, dirname(path));
    await syncFolder(dirname(path));
  });
  options.onDurable?.(`file ${path}`);
}

/** @returns false if the folder is on another file system than the path; nothing is left there */
async function replace(path: string, bytes: Uint8Array, temporaryFolder: string): Promise<boolean> {
  const temporary = await writeTemporaryBytes(temporaryFolder, [bytes]);
  try {
    await rename(temporary.path, path);
    return true;
  } catch (error) {
    await temporary.discard();
    if (isSystemError(error, 'EXDEV') && temporaryFolder !== dirname(path)) return false;
    throw error;
  }
}
