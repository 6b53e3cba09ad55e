import { z } from 'zod';
import type { UnderReview } from '../../pipeline/pipeline.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { WorkflowEvent } from './event.ts';

/** The commit that a run is about: the head of its pull request, not the merge that it tests. */
export function commitOf({ pullRequest, sha }: Pick<WorkflowEvent, 'pullRequest' | 'sha'>): string {
  return pullRequest?.headSha ?? sha;
}

const commitSchema = z.object({ author: z.object({ login: z.string() }).nullish() });

/** The commit that a run is about, and its author: that of the pull request, else of the commit if GitHub knows it. */
export async function underReview(event: WorkflowEvent, rest: RestClient | undefined): Promise<UnderReview> {
  const commit = commitOf(event);
  if (event.pullRequest?.author !== undefined) return { commit, authors: [event.pullRequest.author] };
  if (rest === undefined || event.pullRequest !== undefined) return { commit, authors: [] };
  try {
    const path = `/repos/${rest.repository}/commits/${commit}`;
    const { author } = await rest.call({ method: 'GET', path }, commitSchema);
    return { commit, authors: author ? [author.login] : [] };
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    return { commit, authors: [] };
  }
}
