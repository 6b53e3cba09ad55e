import { relative } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { WorkflowEvent } from '../event/event.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { JobContext } from '../job/job.ts';
import { isSameRepository } from '../event/trust.ts';

/** The branch that a run is about. */
export interface DeliveryTarget {
  readonly branch: string;
  /** The commit that the branch must be at. */
  readonly commit: string;
  /** The run checked out another commit: the merge of its pull request. */
  readonly isMerge: boolean;
}

/**
 * Where the files of a run belong: on the head branch of its pull request, else on its own branch.
 * @throws GatelineError `DELIVERY_REFUSED`
 */
export function targetOf(event: WorkflowEvent): DeliveryTarget {
  const { name, ref, sha, pullRequest, trust, repository } = event;
  if (trust.isFork) throw refused('the pull request comes from another repository');
  const isPull = name === 'pull_request' && isSameRepository(pullRequest?.headRepository, repository);
  if (isPull && pullRequest?.headBranch !== undefined && pullRequest.headSha !== undefined)
    return { branch: pullRequest.headBranch, commit: pullRequest.headSha, isMerge: true };
  if (trust.row !== 'branch' || !ref.startsWith('refs/heads/') || name === 'merge_group')
    throw refused(`a run of ${ref} for the event ${name} is not one of a branch`);
  return { branch: ref.slice('refs/heads/'.length), commit: sha, isMerge: false };
}

/** Path of the workspace in its repository: '' or ending in `/`. */
export function prefixOf({ event }: Pick<ActionInvocation, 'event'>, { definition }: JobContext): string {
  const folder = relative(event.workspace, definition.root).replaceAll('\\', '/');
  return folder === '' ? '' : `${folder}/`;
}

function refused(why: string): GatelineError {
  return new GatelineError('DELIVERY_REFUSED', `nothing is delivered: ${why}`);
}
