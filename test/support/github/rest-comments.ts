import { z } from 'zod';
import type { RestToken, StoredComment, World } from './model.ts';
import { Refusal, empty, json, parseBody, type Reply, type ServiceRequest } from './protocol.ts';
import { authorise } from './rest-access.ts';
import { pageOf, restTime } from './rest-pages.ts';
import type { RestRoute } from './rest-route.ts';

const bodySchema = z.looseObject({ body: z.string() });

/** Characters, not bytes. */
const LONGEST = 65_536;

/** https://docs.github.com/rest/issues/comments */
export const COMMENT_ROUTES: readonly RestRoute[] = [
  { name: 'issues/list-comments', method: 'GET', path: '/issues/:id/comments', work: list },
  { name: 'issues/create-comment', method: 'POST', path: '/issues/:id/comments', work: create },
  { name: 'issues/get-comment', method: 'GET', path: '/issues/comments/:id', work: get },
  { name: 'issues/update-comment', method: 'PATCH', path: '/issues/comments/:id', work: update },
  {
    name: 'reactions/create-for-issue-comment',
    method: 'POST',
    path: '/issues/comments/:id/reactions',
    work: reactTo,
  },
  { name: 'issues/delete-comment', method: 'DELETE', path: '/issues/comments/:id', work: remove },
];

function allow(world: World, request: ServiceRequest, repository: string, level: 'read' | 'write'): RestToken {
  return authorise(world, request, repository, ['issues', 'pull-requests'], level);
}

/** Oldest first. */
function list(world: World, request: ServiceRequest, repository: string, issue: number): Reply {
  allow(world, request, repository, 'read');
  const since = request.url.searchParams.get('since');
  const found = world.comments
    .filter((comment) => comment.repository === repository && comment.issue === issue)
    .filter(({ updatedAt }) => since === null || updatedAt >= new Date(since));
  const { items, headers } = pageOf(request, found);
  return json(
    200,
    items.map((comment) => document(world, comment)),
    headers,
  );
}

function create(world: World, request: ServiceRequest, repository: string, issue: number): Reply {
  const { identity: author } = allow(world, request, repository, 'write');
  const now = world.now();
  const id = 2_000_000_000 + world.nextNumber();
  const comment = {
    id,
    repository,
    issue,
    author,
    body: bodyOf(request),
    createdAt: now,
    updatedAt: now,
    reactions: [],
  };
  world.comments.push(comment);
  return json(201, document(world, comment));
}

function get(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  allow(world, request, repository, 'read');
  return json(200, document(world, commentOf(world, repository, id)));
}

/** Whoever may write may change anybody's comment: sparing others' is the writer's own business. */
function update(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  allow(world, request, repository, 'write');
  const comment = commentOf(world, repository, id);
  Object.assign(comment, { body: bodyOf(request), updatedAt: world.now() });
  return json(200, document(world, comment));
}

function remove(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  allow(world, request, repository, 'write');
  world.comments.splice(world.comments.indexOf(commentOf(world, repository, id)), 1);
  return empty(204);
}

const reactionSchema = z.object({
  content: z.enum(['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes']),
});

/** https://docs.github.com/rest/reactions/reactions#create-reaction-for-an-issue-comment */
function reactTo(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  const { identity: user } = allow(world, request, repository, 'write');
  const { content } = parseBody(reactionSchema, request);
  commentOf(world, repository, id).reactions.push(content);
  return json(201, { id: world.nextNumber(), user, content });
}

function bodyOf(request: ServiceRequest): string {
  const { body } = parseBody(bodySchema, request);
  if (body.trim() === '') throw new Refusal(422, 'Validation Failed: body cannot be blank');
  if (body.length > LONGEST)
    throw new Refusal(422, `Validation Failed: body is too long (maximum is ${LONGEST} characters)`);
  return body;
}

function commentOf(world: World, repository: string, id: number): StoredComment {
  const comment = world.comments.find((one) => one.id === id && one.repository === repository);
  if (comment === undefined) throw new Refusal(404, 'Not Found');
  return comment;
}

function document(world: World, comment: StoredComment): object {
  const { id, repository, issue, author, body, createdAt, updatedAt } = comment;
  const isBot = author.type === 'Bot';
  const app = isBot ? author.login.replace(/\[bot\]$/, '') : comment.viaApp;
  return {
    id,
    node_id: `IC_${id}`,
    url: `${world.origin}/repos/${repository}/issues/comments/${id}`,
    html_url: `https://github.com/${repository}/pull/${issue}#issuecomment-${id}`,
    issue_url: `${world.origin}/repos/${repository}/issues/${issue}`,
    user: author,
    author_association: isBot ? 'NONE' : 'MEMBER',
    performed_via_github_app: app === undefined ? null : { id: 15_368, slug: app },
    body,
    created_at: restTime(createdAt),
    updated_at: restTime(updatedAt),
  };
}
