import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { code, said } from '../../report/markdown/markdown.ts';
import { answer, react } from '../comments/answers.ts';
import { carryOut, type CommandAnswer } from '../comments/carry-out-command.ts';
import { commentOnFork } from '../comments/fork-comment.ts';
import { readPull, runsOfPull } from '../comments/pull-runs.ts';
import { namedPipeline } from '../job/named-pipeline.ts';
import { COMMENT_USAGE } from '../decisions/comment-command.ts';
import { readCommand, type ProvenCommand } from '../decisions/comment-proof.ts';
import { restOfStep } from '../event/rest-client.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';

/**
 * `command: comment`: after the end of a run for a fork, comments on its pull request. Otherwise carries out the
 * command in a new comment on a pull request, reacts to it, and answers in the thread. For a job without an agent:
 * its token may write check runs and start runs again. Only the id of the comment comes from the event. A comment of
 * somebody who may not write to the repository changes nothing.
 */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { event, world } = invocation;
  const rest = restOfStep(invocation);
  if (rest === undefined) throw new GatelineError('COMMENT_WITHOUT_TOKEN', 'command comment: `github-token` is empty');
  if (event.name === 'workflow_run') return commentOnFork(invocation, rest);
  const [comment, pull] = [event.newComment, event.pullRequest?.number];
  if (comment === undefined || pull === undefined)
    throw new GatelineError('COMMENT_EVENT', `command comment: ${event.name} is not a new comment on a pull request`);
  const read = await readCommand(rest, comment, pull);
  if ('command' in read) return obey(invocation, rest, { comment, pull }, read);
  const message = `Nothing was done: ${read.why}.`;
  if (read.kind === 'not-allowed') await react(invocation, rest, comment, '-1');
  if (read.kind === 'problem') {
    await react(invocation, rest, comment, 'confused');
    await answer(invocation, rest, pull, `Nothing was done: ${said(read.why)}. Commands: ${code(COMMENT_USAGE)}`);
  }
  if (read.kind !== 'none') world.runner.annotate('notice', message);
  return { ok: true, title: 'No command', message };
}

/** What the author of a comment did wrong: the answer says it, and nobody else must do anything. */
const OF_THE_AUTHOR: ReadonlySet<string> = new Set(['GATE_UNKNOWN', 'DECISION_UNHEARD', 'DECISION_WITHOUT_ATTEMPT']);

interface CommentPlace {
  readonly comment: number;
  readonly pull: number;
}

async function obey(
  invocation: ActionInvocation,
  rest: RestClient,
  { comment, pull: number }: CommentPlace,
  proven: ProvenCommand,
): Promise<StepResult> {
  let given: CommandAnswer;
  try {
    const pull = await readPull(rest, number);
    const runs = await runsOfPull(rest, invocation.inputs.workflow!, pull);
    const pipeline = await namedPipeline(invocation, invocation.inputs.workflow!);
    given = await carryOut({ invocation, rest, pipeline, pull, runs, comment }, proven);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    await react(invocation, rest, comment, 'confused');
    const why = `${error.message.replace(/\.$/, '')}. ${error.hint}`;
    const isToldWhy = await answer(invocation, rest, number, `Nothing was done: ${said(why)}`);
    if (!isToldWhy || !OF_THE_AUTHOR.has(error.code)) throw error;
    return { ok: true, title: 'Answered', message: `${proven.command.do} for ${proven.author}: ${error.message}` };
  }
  await react(invocation, rest, comment, given.isDone ? '+1' : 'confused');
  const isAnswered = await answer(invocation, rest, number, given.text);
  const message = `${proven.command.do} for ${proven.author}: ${given.isDone ? 'done' : 'not done'}`;
  if (!isAnswered) return { ok: false, title: 'No answer', message: `${message}, without an answer in the thread` };
  return { ok: true, title: 'Answered', message };
}
