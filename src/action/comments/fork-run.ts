import { z } from 'zod';
import type { RestClient } from '../../github/rest/rest.ts';
import type { WorkflowEvent } from '../event/event.ts';
import { isSameRepository } from '../event/trust.ts';
import type { ApiRun } from '../records/earlier-runs.ts';
import { pullSchema, type ApiPull } from './pull-runs.ts';

/** Why a run that has ended is not one that is commented on, in words for a notice. */
export function whyNotCommented(
  run: ApiRun,
  workflow: string,
  { repository }: Pick<WorkflowEvent, 'repository'>,
): string | undefined {
  const which = `run ${run.id}`;
  if (!isSameRepository(run.repository, repository)) return `${which} is of another repository`;
  if (run.workflowPath !== `.github/workflows/${workflow}`) return `${which} is of another workflow`;
  if (run.event !== 'pull_request') return `${which} is not of a pull request`;
  if (run.status !== 'completed') return `${which} has not ended`;
  if (run.headRepository === undefined || run.headBranch === undefined) return `the fork of ${which} is gone`;
  if (isSameRepository(run.headRepository, repository)) return `${which} is not for a fork: its report comments itself`;
  return undefined;
}

/**
 * The pull request of a run for a fork: GitHub does not name it in the run. It is the only open one from that branch,
 * and at the commit of the run.
 */
export async function pullOfRun(
  rest: RestClient,
  run: ApiRun,
): Promise<{ readonly pull: ApiPull } | { readonly why: string }> {
  const [owner] = run.headRepository!.split('/');
  const path = `/repos/${rest.repository}/pulls`;
  const query = { head: `${owner}:${run.headBranch!}`, state: 'open' };
  const { items, complete } = await rest.list({ method: 'GET', path, query }, z.array(pullSchema), { pages: 1 });
  const found = items.filter(
    ({ head }) => head.ref === run.headBranch && isSameRepository(head.repo?.full_name, run.headRepository!),
  );
  const [pull, ...others] = found;
  if (!complete || others.length > 0) return { why: 'several pull requests come from its branch' };
  if (pull === undefined) return { why: 'no open pull request comes from its branch' };
  if (pull.head.sha !== run.headSha) return { why: `pull request ${pull.number} has a newer commit` };
  return { pull };
}
