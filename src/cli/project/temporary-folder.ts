import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { isFromSystem } from '../../errors/store-errors.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { stateRoot } from '../../local/local-ports.ts';
import type { AtomicWriteOptions } from '../../store/filesystem/atomic-write.ts';

/**
 * Where a file for the user is written before it gets its name. Not next to it, if there is a state folder that can be
 * written: what a killed process leaves there is removed later.
 */
export async function besideState(loaded: LoadedPipeline): Promise<Pick<AtomicWriteOptions, 'temporaryFolder'>> {
  const temporaryFolder = join(stateRoot(loaded), 'tmp');
  try {
    await access(temporaryFolder, constants.W_OK);
    return { temporaryFolder };
  } catch (error) {
    if (isFromSystem(error)) return {};
    throw error;
  }
}
