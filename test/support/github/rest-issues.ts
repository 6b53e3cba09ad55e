import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import type { Github } from './github.ts';
import { Refusal, empty, json, pageOf, parseBody, type Reply } from './http.ts';
import type { Comment, Repository } from './model.ts';
import { commentJson, pullJson, repositoryJson, userJson } from './rest-json.ts';
import type { RestCall, RestRoute } from './rest.ts';

const [READ, WRITE] = ['issues|pull-requests: read', 'issues|pull-requests: write'];

/** https://docs.github.com/rest/issues/comments, …/pulls/pulls, …/collaborators/collaborators, …/repos/repos */
export const ISSUE_ROUTES: readonly RestRoute[] = [
  ['GET', '/issues/:number/comments', READ, listComments],
  ['POST', '/issues/:number/comments', WRITE, postComment],
  ['GET', '/issues/comments/:id', READ, (call) => commentReply(call, 200, commentOf(call))],
  ['PATCH', '/issues/comments/:id', WRITE, updateComment],
  ['DELETE', '/issues/comments/:id', WRITE, deleteComment],
  ['GET', '/pulls', 'pull-requests: read', listPulls],
  ['GET', '/pulls/:number', 'pull-requests: read', getPull],
  ['GET', '/collaborators/:login/permission', '', getPermission],
  ['GET', '/contents/:path', 'contents: read', readFile],
  ['GET', '', '', ({ repository }) => json(200, repositoryJson(repository))],
];

/** A file of a commit as it is: `application/vnd.github.raw+json`. https://docs.github.com/rest/repos/contents */
function readFile({ repository, request, params }: RestCall): Reply {
  const ref = request.url.searchParams.get('ref') ?? repository.defaultBranch;
  try {
    const args = ['cat-file', 'blob', `${ref}:${params[0]}`];
    const bytes = execFileSync('git', args, { cwd: repository.gitFolder, stdio: ['ignore', 'pipe', 'ignore'] });
    return { status: 200, headers: { 'content-type': 'application/vnd.github.raw+json' }, body: bytes };
  } catch {
    throw new Refusal(404, 'Not Found');
  }
}

const bodySchema = z.looseObject({ body: z.string().min(1).max(65_536) });

/** Oldest first; `since` is about the last change. */
function listComments({ github, repository, request, params }: RestCall): Reply {
  const since = new Date(request.url.searchParams.get('since') ?? 0);
  const ofIssue = repository.comments.filter(({ issue }) => String(issue) === params[0]);
  const comments = ofIssue.filter(({ updatedAt }) => updatedAt >= since);
  const { page, headers } = pageOf(request, comments);
  const bodies = page.map((comment) => commentJson(github, repository, comment));
  return json(200, bodies, headers);
}

/** Adds a comment, as a person or an app would. */
export function addComment(
  github: Github,
  repository: Repository,
  fields: Pick<Comment, 'issue' | 'author' | 'body'> & Partial<Comment>,
): Comment {
  const now = github.now();
  const comment: Comment = {
    ...{ id: 2_000_000_000 + github.nextNumber(), app: undefined, createdAt: now, updatedAt: now },
    ...{ lastEditedAt: undefined, createdViaEmail: false, isMinimized: false },
    ...fields,
  };
  repository.comments.push(comment);
  return comment;
}

function postComment(call: RestCall): Reply {
  const { body } = parseBody(bodySchema, call.request);
  const fields = { issue: Number(call.params[0]), author: call.token.user, body };
  return commentReply(call, 201, addComment(call.github, call.repository, fields));
}

function commentReply({ github, repository }: RestCall, status: number, comment: Comment): Reply {
  return json(status, commentJson(github, repository, comment));
}

/** Whoever may write may change the comments of others. */
function updateComment(call: RestCall): Reply {
  const comment = commentOf(call);
  const now = call.github.now();
  Object.assign(comment, { body: parseBody(bodySchema, call.request).body, updatedAt: now, lastEditedAt: now });
  return commentReply(call, 200, comment);
}

function deleteComment(call: RestCall): Reply {
  const { issue, author } = commentOf(call);
  const { comments, deletions } = call.repository;
  comments.splice(comments.indexOf(commentOf(call)), 1);
  deletions.push({ issue, author, actor: call.token.user, createdAt: call.github.now() });
  return empty(204);
}

function commentOf({ repository, params }: RestCall): Comment {
  const comment = repository.comments.find(({ id }) => String(id) === params[0]);
  if (comment === undefined) throw new Refusal(404, 'Not Found');
  return comment;
}

function getPull({ repository, params }: RestCall): Reply {
  const pull = repository.pulls.find(({ number }) => String(number) === params[0]);
  if (pull === undefined) throw new Refusal(404, 'Not Found');
  return json(200, pullJson(repository, pull));
}

/** Newest first. `head` is `<owner>:<branch>`. */
function listPulls({ repository, request }: RestCall): Reply {
  const { searchParams } = request.url;
  const [state, head, base] = ['state', 'head', 'base'].map((name) => searchParams.get(name));
  const pulls = repository.pulls
    .filter((pull) => state === 'all' || pull.state === (state ?? 'open'))
    .filter((pull) => pull.base.ref === (base ?? pull.base.ref))
    .filter((pull) => head === null || `${pull.head.repository?.split('/')[0]}:${pull.head.ref}` === head)
    .toReversed();
  const { page, headers } = pageOf(request, pulls);
  const bodies = page.map((pull) => pullJson(repository, pull));
  return json(200, bodies, headers);
}

/** `permission` knows three levels: maintain is write, triage is read. */
function getPermission({ repository, params }: RestCall): Reply {
  const user = repository.users.get(params[0] ?? '');
  if (user === undefined) throw new Refusal(404, 'Not Found');
  const permission = user.permission.replace('maintain', 'write').replace('triage', 'read');
  return json(200, { permission, role_name: user.permission, user: userJson(user) });
}
