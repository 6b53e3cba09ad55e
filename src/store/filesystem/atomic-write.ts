import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
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
  /** Folder for the temporary file, on the same file system. Default: the folder of `path`. */
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
    const temporaryFolder = options.temporaryFolder ?? dirname(path);
    await makeFolder(temporaryFolder);
    const temporary = await writeTemporaryBytes(temporaryFolder, [Buffer.from(content)]);
    try {
      await rename(temporary.path, path);
    } catch (error) {
      await temporary.discard();
      throw error;
    }
    await syncFolder(dirname(path));
  });
  options.onDurable?.(`file ${path}`);
}
