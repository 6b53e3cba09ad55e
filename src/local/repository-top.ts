import type { Environment } from '../environment.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { findRepository } from '../workspace/git/repository.ts';

/** The top of the repository around a folder, absolute; the folder itself where there is no repository, or no git. */
export async function repositoryTop(folder: string, environment: Environment): Promise<string> {
  try {
    return (await findRepository(folder, { binary: 'git', environment }))?.top ?? folder;
  } catch (error) {
    if (error instanceof GatelineError && error.code === 'GIT_NOT_FOUND') return folder;
    throw error;
  }
}
