import { GatelineError } from '../../errors.ts';
import { explainRequestError } from '../../github/octokit.ts';
import { quote } from '../../report/markdown.ts';
import { explainRefusal, parseCommentCommand, parseComments } from '../comment-decisions.ts';
import type { Inputs } from '../inputs.ts';
import type { Job } from '../job.ts';
import type { Services } from '../services.ts';

/**
 * The action `comment`, in a job without an agent: carries out a command in a new comment, or reports a run of a pull
 * request, which jobs of forks may not do themselves. Most comments are no commands, so the rest is loaded when it is
 * needed.
 * @throws GatelineError `usage` for other events
 */
export async function handleComment(job: Job, inputs: Inputs<'comment'>, services: Services): Promise<boolean> {
  if (!['issue_comment', 'workflow_run'].includes(job.eventName))
    throw new GatelineError('usage', `\`comment\` works on issue_comment and workflow_run, not on ${job.eventName}`);
  const { workflow_run: run, comment, issue } = job.event;
  if (run) {
    const { showRun } = await import('../report/show-run.ts');
    return showRun(job, inputs, services, run);
  }
  if (comment && issue?.pull_request && parseCommentCommand(comment.body ?? '') !== undefined)
    return answerComment(job, services, issue.number, comment.id);
  services.runner.info(`Nothing to do for ${job.eventName}: this is no command on a pull request, and no run of one.`);
  return true;
}

/** Carries out the command in the current text of a comment, and replies. */
async function answerComment(job: Job, services: Services, pullRequest: number, id: number): Promise<boolean> {
  const { github, runner } = services;
  const response: unknown = await github.read(
    'The request for the comment',
    'pull-requests: write',
    ({ rest }, place) => rest.issues.getComment({ ...place, comment_id: id }),
  );
  const [comment] = parseComments([response]);
  const command = parseCommentCommand(comment!.body ?? '');
  if (command === undefined) return true;
  const client = await github.octokit();
  const reply = async (body: string): Promise<void> => {
    await client.rest.issues
      .createComment({ ...github.place, issue_number: pullRequest, body })
      .catch((error: unknown) => {
        throw explainRequestError('The reply to the comment', 'pull-requests: write', error);
      });
  };
  const name = 'problem' in command ? undefined : command.command;
  const refusal = await explainRefusal(client, { ...github.place, pullRequest }, comment!, name);
  if (refusal !== undefined) {
    // No reply to people without write access: they could cause comments without end.
    runner.annotate('notice', `Nothing was done: ${refusal}.`);
    return true;
  }
  if ('problem' in command) await reply(`Nothing was done: ${quote(command.problem)}.`);
  else {
    const { rerunFor } = await import('./rerun.ts');
    await reply(await rerunFor(job, services, { pullRequest, comment: comment! }, command));
  }
  return true;
}
