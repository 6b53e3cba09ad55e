import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { WorkflowEvent } from './event.ts';
import { isSameRepository } from './trust.ts';

const side = z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() });
const pullSchema = z.object({ number: z.int(), head: side, base: side });

/**
 * The event of a run that was started for a pull request: `workflow_dispatch` takes a branch only, so its input
 * `subject` names the pull request. The run belongs to it if it is of the head branch and of the head commit, as GitHub
 * says.
 * @param rest `undefined`: the step has no token
 * @throws GatelineError `DISPATCH_SUBJECT`, and the errors of the REST API
 */
export async function ofItsPullRequest(event: WorkflowEvent, rest: RestClient | undefined): Promise<WorkflowEvent> {
  const number = /^pr-([1-9][0-9]{0,8})$/.exec(event.dispatch?.subject ?? '')?.[1];
  if (number === undefined || event.pullRequest !== undefined) return event;
  if (rest === undefined) throw refusal(number, 'a token is needed to ask GitHub for it');
  const path = `/repos/${rest.repository}/pulls/${number}`;
  const { head, base } = await rest.call({ method: 'GET', path }, pullSchema);
  if (!isSameRepository(head.repo?.full_name, event.repository))
    throw refusal(number, 'it comes from another repository');
  if (event.ref !== `refs/heads/${head.ref}`)
    throw refusal(number, `its branch is ${head.ref}, and the run is of ${event.ref}`);
  if (event.sha !== head.sha)
    throw refusal(number, `its head is ${head.sha.slice(0, 7)}, and the run is of ${event.sha.slice(0, 7)}`);
  const pullRequest = {
    number: Number(number),
    headRepository: head.repo?.full_name,
    headSha: head.sha,
    headBranch: head.ref,
    baseBranch: base.ref,
    baseSha: base.sha,
  };
  return { ...event, subject: `pr-${number}`, pullRequest };
}

function refusal(number: string, why: string): GatelineError {
  return new GatelineError('DISPATCH_SUBJECT', `this run does not belong to pull request ${number}: ${why}`);
}
