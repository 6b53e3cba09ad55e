import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { code } from '../../report/markdown/markdown.ts';
import { restOfStep } from '../event/rest-client.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { JobContext } from '../job/job.ts';
import { headOfBranch } from '../report/next-run.ts';
import { planCommit, type CommitPlan } from './commit-files.ts';
import { commitMessage, pullRequestBody, type DeliveryText } from './delivery-text.ts';
import { createBranch, createCommit, moveBranch, readCommit } from './git-data.ts';
import { branchPrefix, pullRequestOf, pullRequestWith } from './pull-request.ts';
import type { DeliveryTarget } from './target.ts';

/** The files to commit, and the branch. */
interface CommitOrder {
  readonly target: DeliveryTarget;
  readonly what: DeliveryText;
  readonly as: 'commit' | 'pull-request';
}

/**
 * Commits files to the branch of the run, or to a branch of their own with a pull request. Returns a sentence about it.
 * @throws GatelineError `DELIVERY_REFUSED`, `DELIVERY_MOVED`, `DELIVERY_BRANCH_TAKEN`, and those of {@link planCommit}
 */
export async function asCommit(
  invocation: ActionInvocation,
  { store }: JobContext,
  order: CommitOrder,
): Promise<string> {
  const { world, event } = invocation;
  const { target, what, as } = order;
  const rest = restOfStep(invocation);
  if (rest === undefined) throw new GatelineError('DELIVERY_REFUSED', 'nothing is delivered: `github-token` is empty');
  const plan = await planCommit(rest, store.records, target, what);
  if (plan.tree === plan.parentTree) return 'The branch has these files already.';
  if (as === 'commit') return commitTo(invocation, rest, plan, order);
  const known = await pullRequestWith(rest, target.branch, what);
  if (known !== undefined) {
    world.runner.setOutput('commit', known.commit);
    world.runner.setOutput('pull-request', String(known.number));
    return `They are in pull request #${known.number} already.`;
  }
  const branch = `${branchPrefix(what)}${event.runId}`;
  const commit = await branchWith(invocation, rest, plan, branch, what);
  const pull = await pullRequestOf(rest, {
    title: `${what.pipeline}: files of run ${event.runNumber}`,
    head: branch,
    base: target.branch,
    body: pullRequestBody(event, what),
  });
  world.runner.setOutput('commit', commit);
  world.runner.setOutput('pull-request', String(pull));
  return `They are pull request #${pull}.`;
}

/** A step that is repeated after a lost answer finds its own commit. */
async function commitTo(
  { world, event }: ActionInvocation,
  rest: RestClient,
  plan: CommitPlan,
  { target, what }: CommitOrder,
): Promise<string> {
  const head = await headOfBranch(rest, target.branch);
  if (head !== plan.parent) {
    const { tree, parents } = await readCommit(rest, head);
    const isOurs = tree.sha === plan.tree && parents[0]?.sha === plan.parent;
    if (!isOurs) {
      const message = `${target.branch} is at ${head.slice(0, 7)} now, and the run is of ${plan.parent.slice(0, 7)}`;
      throw new GatelineError('DELIVERY_MOVED', message);
    }
    world.runner.setOutput('commit', head);
    return `They are commit ${head.slice(0, 7)} of ${code(target.branch)}.`;
  }
  const commit = await committed(event, rest, plan, what);
  await moveBranch(rest, target.branch, commit);
  world.runner.setOutput('commit', commit);
  return `They are commit ${commit.slice(0, 7)} of ${code(target.branch)}.`;
}

function committed(
  event: ActionInvocation['event'],
  rest: RestClient,
  plan: CommitPlan,
  what: DeliveryText,
): Promise<string> {
  return createCommit(rest, { message: commitMessage(event, what), tree: plan.tree, parents: [plan.parent] });
}

/** The commit of a branch of our own, which an earlier attempt may have made. */
export async function branchWith(
  { event }: ActionInvocation,
  rest: RestClient,
  plan: CommitPlan,
  branch: string,
  what: DeliveryText,
): Promise<string> {
  const known = await headOfBranch(rest, branch).catch((error: unknown) => {
    if (error instanceof GatelineError && error.code === 'REST_NOT_FOUND') return undefined;
    throw error;
  });
  if (known === undefined) {
    const commit = await committed(event, rest, plan, what);
    await createBranch(rest, branch, commit);
    return commit;
  }
  if ((await readCommit(rest, known)).tree.sha === plan.tree) return known;
  throw new GatelineError('DELIVERY_BRANCH_TAKEN', `the branch ${branch} exists, and has other files`);
}
