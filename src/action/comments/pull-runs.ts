import { z } from 'zod';
import type { RestClient } from '../../github/rest/rest.ts';
import { runsOfWorkflow } from '../decisions/carry-out.ts';
import { isSameRepository } from '../event/trust.ts';
import type { ApiRun } from '../records/earlier-runs.ts';

const side = z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() });

// The author is `null` if the account was deleted.
const author = z.object({ login: z.string() }).nullish();

export const pullSchema = z.object({ number: z.int(), state: z.string(), head: side, user: author });

/** A pull request, as far as it is used. */
export type ApiPull = z.infer<typeof pullSchema>;

export function readPull(rest: RestClient, number: number): Promise<ApiPull> {
  return rest.call({ method: 'GET', path: `/repos/${rest.repository}/pulls/${number}` }, pullSchema);
}

/** The runs of a workflow for a pull request, newest first. GitHub names no pull request in runs for forks. */
export async function runsOfPull(rest: RestClient, workflow: string, pull: ApiPull): Promise<readonly ApiRun[]> {
  const runs = await runsOfWorkflow(rest, workflow, { event: 'pull_request', branch: pull.head.ref }, 3);
  return runs
    .filter(
      (run) =>
        run.workflowPath === `.github/workflows/${workflow}` &&
        run.headBranch === pull.head.ref &&
        isSameRepository(run.headRepository, pull.head.repo?.full_name ?? '') &&
        (run.pullRequests.length === 0 || run.pullRequests.includes(pull.number)),
    )
    .toSorted((a, b) => b.runNumber - a.runNumber);
}

/** The run that a command acts on, or why it acts on none, in safe words. */
export type ChosenRun = { readonly run: ApiRun } | { readonly why: string };

/**
 * The run that a person decided about: the newest one that had ended when they wrote the comment. They cannot have seen
 * what came later: then nothing is done, unless the command names the commit.
 * @param runs newest first
 * @param at time of the comment
 */
export function runDecidedAbout(
  runs: readonly ApiRun[],
  { at, head, commit }: { readonly at: string; readonly head: string; readonly commit?: string | undefined },
): ChosenRun {
  const hadEnded = ({ status, updatedAt }: ApiRun): boolean =>
    status === 'completed' && Date.parse(updatedAt) <= Date.parse(at);
  const run = runs.find((one) => hadEnded(one) && (commit === undefined || one.headSha.startsWith(commit)));
  if (run === undefined)
    return { why: `no run${commit === undefined ? '' : ` of commit ${commit}`} had ended before the comment` };
  if (commit !== undefined) return { run };
  const newer = runs.find(({ runNumber }) => runNumber > run.runNumber);
  if (newer !== undefined)
    return { why: `run ${newer.runNumber} ${newer.status === 'completed' ? 'has ended since' : 'has begun since'}` };
  return ofHead(run, head);
}

/** The newest run of the head commit, if it has ended. */
export function runToStartAgain(runs: readonly ApiRun[], head: string): ChosenRun {
  const [run] = runs;
  if (run === undefined) return { why: 'the workflow has no run for this pull request' };
  if (run.status !== 'completed') return { why: `run ${run.runNumber} has not ended` };
  return ofHead(run, head);
}

/** A run of the head commit; of another one, why it is not chosen. */
function ofHead(run: ApiRun, head: string): ChosenRun {
  if (run.headSha === head) return { run };
  return {
    why: `the head of the pull request is ${short(head)} now, and run ${run.runNumber} is of ${short(run.headSha)}`,
  };
}

function short(sha: string): string {
  return sha.slice(0, 7);
}
