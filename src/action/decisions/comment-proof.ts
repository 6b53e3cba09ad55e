import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { parseComment, type CommentCommand } from './comment-command.ts';
import { isPersonWhoMayWrite } from './person.ts';

const commentSchema = z.object({
  id: z.int(),
  body: z.string().nullish(),
  issue_url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  // `null` if the account was deleted.
  user: z.object({ login: z.string(), type: z.string() }).nullish(),
  // The GitHub App that wrote it in the name of its author.
  performed_via_github_app: z.looseObject({}).nullish(),
});

/** A command that a person with write access gave. */
export interface ProvenCommand {
  readonly command: CommentCommand;
  readonly author: string;
  /** ISO 8601, in whole seconds. */
  readonly at: string;
}

/** A comment that gives none. */
export interface NoCommand {
  readonly why: string;
  /** `problem`: a person who may give commands wrote something else, and gets an answer. */
  readonly kind: 'none' | 'not-allowed' | 'problem';
}

/**
 * Reads a comment as GitHub has it now. It is a command only if it belongs to this pull request, was never edited, and
 * its author is a person who may write to the repository now, and wrote it without a GitHub App.
 * @throws GatelineError as {@link RestClient}
 */
export async function readCommand(rest: RestClient, id: number, pull: number): Promise<ProvenCommand | NoCommand> {
  const comment = await readComment(rest, id);
  if (comment === undefined) return { kind: 'none', why: `there is no comment ${id}` };
  const parsed = parseComment(comment.body ?? '');
  if (parsed === undefined) return { kind: 'none', why: `comment ${id} does not begin with a command` };
  if (!comment.issue_url.endsWith(`/issues/${pull}`))
    return { kind: 'none', why: `comment ${id} is not one of pull request ${pull}` };
  const { user } = comment;
  if (!user || user.type !== 'User' || !(await isPersonWhoMayWrite(rest, user.login)))
    return {
      kind: 'not-allowed',
      why: `${user?.login ?? 'a deleted account'} is not a person who may write to the repository`,
    };
  // An agent that works in the name of a person is no person.
  if (comment.performed_via_github_app)
    return { kind: 'not-allowed', why: `an app wrote the comment in the name of ${user.login}` };
  if (comment.updated_at !== comment.created_at) return { kind: 'problem', why: 'the comment was edited' };
  if ('problem' in parsed) return { kind: 'problem', why: parsed.problem };
  return { command: parsed.command, author: user.login, at: comment.created_at };
}

async function readComment(rest: RestClient, id: number): Promise<z.infer<typeof commentSchema> | undefined> {
  try {
    const path = `/repos/${rest.repository}/issues/comments/${id}`;
    return await rest.call({ method: 'GET', path }, commentSchema);
  } catch (error) {
    if (error instanceof GatelineError && error.code === 'REST_NOT_FOUND') return undefined;
    throw error;
  }
}
