import type { Assignment } from '../../engine/call/call.ts';
import type { Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { openCommit } from '../../workspace/folder/commit-files.ts';
import type { WorkflowEvent } from './event.ts';
import { isSameRepository } from './trust.ts';

/**
 * The workflow file that defines this job: around another action the prompt stands there, so its content counts. One of
 * another repository counts by the commit that it is called at.
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

/** `undefined` where it cannot be known: then every commit counts as another workflow, which runs a gate too often but never too seldom. */
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
