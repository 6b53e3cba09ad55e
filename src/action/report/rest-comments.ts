import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { CommentService, OwnComment } from './comment-service.ts';
import { identify } from './comment-author.ts';

const commentSchema = z.object({
  id: z.int().positive(),
  // `null` if the account was deleted.
  user: z.object({ login: z.string() }).nullish(),
  body: z.string().nullish(),
});
type Comment = z.infer<typeof commentSchema>;

const nothingSchema = z.unknown();

/** Maximum number of pages read for one pull request: 20 pages of 100 comments. */
const PAGES = 20;

/** The pull request and the author of the comments. */
export interface RestCommentsOptions {
  /** Number of the pull request. */
  readonly pull: number;
  /** The current account; requested once, before the first listing. Default: {@link identify}. */
  readonly author?: (rest: RestClient) => Promise<string>;
}

/**
 * Comments of a pull request over REST. The first listing takes 1 request per 100 comments and 1 to identify the
 * account; later ones only the former. `create`, `update` and `remove`: 1 request each.
 * https://docs.github.com/rest/issues/comments
 */
export function createRestComments(
  rest: RestClient,
  { pull, author: ask = identify }: RestCommentsOptions,
): CommentService {
  return commentsOf(rest, pull, { ask, login: undefined });
}

/** Shared by a service and those that {@link CommentService.within} creates from it. */
interface Author {
  readonly ask: (rest: RestClient) => Promise<string>;
  login: string | undefined;
}

function commentsOf(rest: RestClient, pull: number, author: Author): CommentService {
  const root = `/repos/${rest.repository}/issues`;
  const pathOf = (id: number) => `${root}/comments/${id}`;
  return {
    list: async () => {
      author.login ??= await author.ask(rest);
      const request = { method: 'GET', path: `${root}/${pull}/comments` } as const;
      const { items, complete } = await rest.list(request, z.array(commentSchema), { pages: PAGES });
      const own = items.filter(({ user }) => user?.login === author.login).map(ownComment);
      return { comments: own.toSorted((a, b) => a.id - b.id), complete };
    },
    create: async (body) => {
      const request = { method: 'POST', path: `${root}/${pull}/comments`, body: { body } } as const;
      const made = await rest.call(request, commentSchema);
      // The author of the new comment is our account, whatever was assumed before.
      author.login = made.user?.login ?? author.login;
      return ownComment(made);
    },
    update: async (id, body) =>
      ownComment(await rest.call({ method: 'PATCH', path: pathOf(id), body: { body } }, commentSchema)),
    remove: async (id) => {
      try {
        await rest.call({ method: 'DELETE', path: pathOf(id) }, nothingSchema);
      } catch (error) {
        if (!(error instanceof GatelineError && error.code === 'REST_NOT_FOUND')) throw error;
      }
    },
    within: (milliseconds) => commentsOf(rest.within(milliseconds), pull, author),
  };
}

function ownComment({ id, body }: Comment): OwnComment {
  return { id, body: body ?? '' };
}
