import type { Assignment } from '../../engine/call/call.ts';
import type { Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { openCommit } from '../../workspace/folder/commit-files.ts';
import type { WorkflowEvent } from './event.ts';
import { isSameRepository } from './trust.ts';

/**
 * The workflow file that defines this job: it contains the prompt for another action, so its content is part of the
 * fingerprint. A file of another repository is identified by the commit that is called.
 */
export async function workflowBlob(
  event: WorkflowEvent,
  environment: Environment,
): Promise<NonNullable<Assignment['workflow']>> {
  const { path, repository, commit } = event.workflowFile;
  if (!isSameRepository(repository, event.repository))
    return { path: `${repository}/${path}`, blob: commit ?? 'unknown' };
  const revision = commit ?? event.sha;
  return { path, blob: (await blobAt(event.workspace, revision, path, environment)) ?? revision };
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
