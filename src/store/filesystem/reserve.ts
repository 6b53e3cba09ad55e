import { randomBytes } from 'node:crypto';
import { lstat, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '../../errors/gateline-error.ts';
import { removeIfThere } from '../new-file.ts';
import { unlessAbsent } from '../../errors/store-errors.ts';
import { writeTemporary } from './durable.ts';
import type { StateFolder } from './state-folder.ts';

/** Enough for the record of an attempt with a usual output and its logs. */
export const RESERVE_BYTES = 256 * 1_024;

/**
 * Disk space reserved for the end of attempts: a file of random bytes (some file systems use no space for zeros),
 * created before an attempt is claimed and released when the disk is full. An agent that fills the disk thus cannot
 * prevent its own record from being written.
 */
export class Reserve {
  readonly #state: StateFolder;
  readonly #path: string;

  constructor(state: StateFolder) {
    this.#state = state;
    this.#path = join(state.root, 'reserve');
  }

  /** Makes sure that the space is available. @throws the system's error if it is not */
  async hold(): Promise<void> {
    const status = await unlessAbsent(lstat(this.#path));
    if (status?.isFile() === true && status.size >= RESERVE_BYTES) return;
    await this.#state.folder(this.#state.temporaryFolder);
    const temporary = await writeTemporary(this.#state.temporaryFolder, [randomBytes(RESERVE_BYTES)]);
    try {
      await rename(temporary.path, this.#path);
    } catch (error) {
      await temporary.discard();
      throw error;
    }
  }

  /** Writes; if the disk is full, releases the space and writes again. `write` may be called twice. */
  async using<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!isDiskFull(error) || !(await removeIfThere(this.#path))) throw error;
      return write();
    }
  }
}
