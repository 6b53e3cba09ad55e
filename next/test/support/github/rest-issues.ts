import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import type { Github } from './github.ts';
import { Refusal, empty, json, pageOf, parseBody, secondsOf, type Reply } from './http.ts';
import { ACTIONS_BOT, type Comment, type PullRequest, type Repository } from './model.ts';
import { userJson } from './rest-actions.ts';
import type { RestCall, RestRoute } from './rest.ts';

const [READ, WRITE] = ['issues|pull-requests: read', 'issues|pull-requests: write'];

/** https://docs.github.com/rest/issues/comments, …/pulls/pulls, …/collaborators/collaborators, …/repos/repos */
export const ISSUE_ROUTES: readonly RestRoute[] = [
  ['GET', '/issues/:number/comments', READ, listComments],
  ['POST', '/issues/:number/comments', WRITE, postComment],
  [
    'GET',
    '/issues/comments/:id',
    READ,
    (call) => json(200, commentJson(call.github, call.repository, commentOf(call))),
  ],
  ['PATCH', '/issues/comments/:id', WRITE, updateComment],
  ['DELETE', '/issues/comments/:id', WRITE, deleteComment],
  ['POST', '/issues/comments/:id/reactions', WRITE, react],
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
const reactionSchema = z.object({
  content: z.enum(['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes']),
});

/** Oldest first; `since` is about the last change. */
function listComments({ github, repository, request, params }: RestCall): Reply {
  const since = new Date(request.url.searchParams.get('since') ?? 0);
  const comments = repository.comments.filter(
    ({ issue, updatedAt }) => String(issue) === params[0] && updatedAt >= since,
  );
  const { page, headers } = pageOf(request, comments);
  return json(
    200,
    page.map((comment) => commentJson(github, repository, comment)),
    headers,
  );
}

/** Adds a comment, as a person or an app would. */
export function addComment(
  github: Github,
  repository: Repository,
  fields: Pick<Comment, 'issue' | 'author' | 'body'> & Partial<Comment>,
): Comment {
  const now = github.now();
  const comment: Comment = {
    id: 2_000_000_000 + github.nextNumber(),
    app: undefined,
    createdAt: now,
    updatedAt: now,
    lastEditedAt: undefined,
    createdViaEmail: false,
    isMinimized: false,
    reactions: [],
    ...fields,
  };
  repository.comments.push(comment);
  return comment;
}

function postComment({ github, repository, token, request, params }: RestCall): Reply {
  const { body } = parseBody(bodySchema, request);
  const comment = addComment(github, repository, { issue: Number(params[0]), author: token.user, body });
  return json(201, commentJson(github, repository, comment));
}

/** Whoever may write may change the comments of others. */
function updateComment(call: RestCall): Reply {
  const comment = commentOf(call);
  const now = call.github.now();
  Object.assign(comment, { body: parseBody(bodySchema, call.request).body, updatedAt: now, lastEditedAt: now });
  return json(200, commentJson(call.github, call.repository, comment));
}

function deleteComment(call: RestCall): Reply {
  const { issue, author } = commentOf(call);
  const { comments, deletions } = call.repository;
  comments.splice(comments.indexOf(commentOf(call)), 1);
  deletions.push({ issue, author, actor: call.token.user, createdAt: call.github.now() });
  return empty(204);
}

function react(call: RestCall): Reply {
  const { content } = parseBody(reactionSchema, call.request);
  commentOf(call).reactions.push(content);
  return json(201, { id: call.github.nextNumber(), user: userJson(call.token.user), content });
}

function commentOf({ repository, params }: RestCall): Comment {
  const comment = repository.comments.find(({ id }) => String(id) === params[0]);
  if (comment === undefined) throw new Refusal(404, 'Not Found');
  return comment;
}

export function commentJson({ origin }: Github, { name }: Repository, comment: Comment): object {
  const { id, issue, author, body, createdAt, updatedAt } = comment;
  const app = author.id === ACTIONS_BOT.id ? 'github-actions' : comment.app;
  return {
    id,
    node_id: `IC_${id}`,
    url: `${origin}/repos/${name}/issues/comments/${id}`,
    html_url: `https://github.com/${name}/pull/${issue}#issuecomment-${id}`,
    issue_url: `${origin}/repos/${name}/issues/${issue}`,
    user: userJson(author),
    author_association: author.type === 'Bot' ? 'NONE' : 'MEMBER',
    performed_via_github_app: app === undefined ? null : { id: 15_368, slug: app },
    body,
    created_at: secondsOf(createdAt),
    updated_at: secondsOf(updatedAt),
  };
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
  return json(
    200,
    page.map((pull) => pullJson(repository, pull)),
    headers,
  );
}

export function pullJson(repository: Repository, pull: PullRequest): object {
  const repo = (name: string | undefined): object | null => {
    if (name === undefined) return null;
    return name === repository.name
      ? repositoryJson(repository)
      : { id: repository.id + 1, full_name: name, fork: true, default_branch: repository.defaultBranch };
  };
  return {
    number: pull.number,
    state: pull.state,
    title: pull.title,
    body: '',
    draft: false,
    html_url: `https://github.com/${repository.name}/pull/${pull.number}`,
    user: userJson(pull.author),
    head: { ref: pull.head.ref, sha: pull.head.sha, repo: repo(pull.head.repository) },
    base: { ref: pull.base.ref, sha: pull.base.sha, repo: repo(repository.name) },
  };
}

/** `permission` knows three levels: maintain is write, triage is read. */
function getPermission({ repository, params }: RestCall): Reply {
  const user = repository.users.get(params[0] ?? '');
  if (user === undefined) throw new Refusal(404, 'Not Found');
  const levels = { maintain: 'write', triage: 'read' } as const;
  const permission =
    user.permission === 'maintain' || user.permission === 'triage' ? levels[user.permission] : user.permission;
  return json(200, { permission, role_name: user.permission, user: userJson(user) });
}

export function repositoryJson({ id, name, defaultBranch }: Repository): object {
  const [owner, short] = name.split('/');
  const html_url = `https://github.com/${name}`;
  return {
    id,
    full_name: name,
    name: short,
    owner: { login: owner },
    default_branch: defaultBranch,
    private: false,
    fork: false,
    html_url,
  };
}
