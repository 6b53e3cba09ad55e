import type { Assignment } from '../../engine/call/call.ts';
import type { Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { openCommit, type CommitFiles } from '../../workspace/folder/commit-files.ts';
import type { WorkflowEvent } from './event.ts';
import { isSameRepository } from './trust.ts';

/**
 * The workflow file that defines this job: it contains the prompt for another action, so its content is part of the
 * fingerprint. A file of another repository is identified by the commit that is called.
 * @param read a commit that was read before
 */
export async function workflowBlob(
  event: WorkflowEvent,
  environment: Environment,
  read?: { readonly id: string; readonly files: CommitFiles },
): Promise<NonNullable<Assignment['workflow']>> {
  const { path, repository, commit } = event.workflowFile;
  if (!isSameRepository(repository, event.repository))
    return { path: `${repository}/${path}`, blob: commit ?? 'unknown' };
  const revision = commit ?? event.sha;
  const blobOf = async (): Promise<string | undefined> =>
    read?.id === revision ? read.files.blobOf(path) : blobAt(event.workspace, revision, path, environment);
  return { path, blob: (await blobOf()) ?? revision };
}

/**
 * `undefined` if it cannot be determined: then every commit is treated as a different workflow. A gate may run too
 * often, but never too seldom.
 */
async function blobAt(
  workspace: string,
  revision: string,
  path: string,
  environment: Environment,
): Promise<string | undefined> {
  try {
    return await (await openCommit(workspace, revision, { environment })).blobOf(path);
  } catch (error) {
    if (error instanceof GatelineError && UNKNOWABLE.has(error.code)) return undefined;
    throw error;
  }
}

const UNKNOWABLE: ReadonlySet<string> = new Set(['REPOSITORY_MISSING', 'COMMIT_UNREADABLE']);
