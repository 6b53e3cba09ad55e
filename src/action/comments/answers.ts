import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { ActionInvocation } from '../invocation.ts';
import { createRestComments } from '../report/rest-comments.ts';

/** A reaction that GitHub shows under a comment. */
export type Reaction = '+1' | '-1' | 'confused';

/** Reacts to a comment. If that is not possible, the step does not fail. */
export async function react(
  { world }: Pick<ActionInvocation, 'world'>,
  rest: RestClient,
  comment: number,
  content: Reaction,
): Promise<void> {
  const path = `/repos/${rest.repository}/issues/comments/${comment}/reactions`;
  try {
    await rest.call({ method: 'POST', path, body: { content }, repeatable: true }, z.unknown());
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    world.runner.annotate('notice', `There is no reaction to the comment: ${error.message}`);
  }
}

/**
 * Replies in the thread. If that is not possible, a warning names the missing permission: the command itself has been
 * carried out, or its own error shows why not.
 * @param body safe Markdown
 * @returns whether it was written
 */
export async function answer(
  { world }: Pick<ActionInvocation, 'world'>,
  rest: RestClient,
  pull: number,
  body: string,
): Promise<boolean> {
  try {
    await createRestComments(rest, { pull }).create(body);
    return true;
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    world.runner.annotate('warning', `There is no answer in the thread: ${error.message} ${error.hint}`);
    return false;
  }
}
