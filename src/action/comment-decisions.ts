import { z } from 'zod';
import type { Github, Octokit, RepositoryParameters } from '../github/octokit.ts';
import type { OutputDecision } from '../store/github/document.ts';

/** A command in the first line of a comment on a pull request. */
export type CommentCommand =
  | { readonly command: 'approve' | 'reject'; readonly unit: string; readonly digest: string; readonly reason: string }
  | { readonly command: 'retry' | 'status' };

const OUTPUT_COMMAND =
  /^\/gateline (approve|reject) ([a-z_][\w-]{0,39}(?:\/[\w-]{1,80})?) ([0-9a-f]{32})(?: (\P{Cc}{1,1000}))?$/u;
/** Longer comments may be quotations or lists of commands: a reason is shorter. */
const MAX_LINES = 20;

/**
 * Parses a comment, whose whole first line is the command.
 * @returns undefined: no command; `problem`: a command that is not valid
 */
export function parseCommentCommand(body: string): CommentCommand | { readonly problem: string } | undefined {
  const lines = body.split(/\r\n|\n/);
  const line = lines[0]!.trimEnd();
  if (!/^\/gateline(?: |$)/.test(line)) return undefined;
  if (lines.length > MAX_LINES) return { problem: `a command has at most ${MAX_LINES} lines` };
  if (line === '/gateline retry' || line === '/gateline status')
    return { command: line.slice('/gateline '.length) as 'retry' | 'status' };
  const [, command, unit, digest, reason] = OUTPUT_COMMAND.exec(line) ?? [];
  if (command === 'approve' || command === 'reject')
    return { command, unit: unit!, digest: digest!, reason: reason ?? lines.slice(1).join(' ').trim().slice(0, 1_000) };
  return {
    problem: 'write `/gateline approve GATE DIGEST [reason]` as the report prints it, `reject`, `retry` or `status`',
  };
}

const commentSchema = z.object({
  id: z.int(),
  node_id: z.string(),
  issue_url: z.string(),
  body: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  user: z.object({ login: z.string(), id: z.int(), type: z.string() }).nullish(),
  performed_via_github_app: z.unknown(),
});
export type Comment = z.infer<typeof commentSchema>;

export function parseComments(data: unknown): Comment[] {
  return z.array(commentSchema).parse(data);
}

/** At most this many pages of comments are read. With more, decisions are unknown, and the gate waits. */
const MAX_PAGES = 10;

/**
 * Reads the newest decision about each output of a unit from the comments on a pull request. A comment counts only if
 * its author is a person who may write to the repository now, and no app wrote it. An approval counts only if it was not
 * sent by e-mail, nobody has edited or hidden it, and only persons have deleted comments since: a deleted comment may
 * have been the rejection.
 * @throws the error of any request: then nothing is decided
 */
export async function readCommentDecisions(
  github: Github,
  pullRequest: number,
  unit: string,
): Promise<readonly OutputDecision[]> {
  const octokit = await github.octokit();
  const place = { ...github.place, pullRequest };
  const comments: Comment[] = [];
  for (let page = 1; ; page += 1) {
    const request = { ...github.place, issue_number: pullRequest, per_page: 100, page };
    const { data } = await octokit.rest.issues.listComments(request);
    comments.push(...parseComments(data));
    if (data.length < 100) break;
    if (page === MAX_PAGES) throw new Error(`the pull request has more than ${MAX_PAGES * 100} comments`);
  }
  const decisions = new Map<string, OutputDecision & { readonly at: string }>();
  for (const comment of comments.toReversed()) {
    const command = parseCommentCommand(comment.body ?? '');
    if (!command || 'problem' in command || !('unit' in command) || command.unit !== unit) continue;
    const { command: decision, digest, reason } = command;
    // Checks cost requests, so an older comment about the same output is skipped.
    if (decisions.has(digest) || (await explainRefusal(octokit, place, comment, decision)) !== undefined) continue;
    const { user, created_at: at } = comment;
    decisions.set(digest, { decision, digest, actor: user!.login, reason, at });
  }
  const list = [...decisions.values()];
  if (!list.some(({ decision }) => decision === 'approve')) return list;
  const deletion = await findLastDeletion(octokit, place);
  return list.filter(({ decision, at }) => decision === 'reject' || deletion === undefined || at > deletion);
}

interface PullRequestPlace extends RepositoryParameters {
  readonly pullRequest: number;
}

/** Why a comment does not count; undefined: it does. Checks without a request come first. */
export async function explainRefusal(
  octokit: Octokit,
  place: PullRequestPlace,
  comment: Comment,
  command: CommentCommand['command'] | undefined,
): Promise<string | undefined> {
  const { owner, repo, pullRequest } = place;
  const { user } = comment;
  if (!comment.issue_url.endsWith(`/issues/${pullRequest}`)) return 'it belongs to another pull request';
  if (user?.type !== 'User') return 'its author is no person';
  if (comment.performed_via_github_app) return `an app wrote it in the name of ${user.login}`;
  // A rejection counts even if it was edited or hidden.
  const change = command === 'reject' ? undefined : await explainChange(octokit, comment);
  if (change !== undefined) return change;
  const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ owner, repo, username: user.login });
  const permission = permissionSchema.parse(data);
  if (permission.user?.id !== user.id) return `the account ${user.login} is another one by now`;
  if (!['admin', 'write'].includes(permission.permission)) return `${user.login} may not write to the repository`;
  return undefined;
}

/** Why the text of a comment may not be what its author wrote. */
async function explainChange(octokit: Octokit, comment: Comment): Promise<string | undefined> {
  if (comment.updated_at !== comment.created_at) return 'it was edited';
  const facts = await readFacts(octokit, comment.node_id);
  if (facts.lastEditedAt !== null || facts.includesCreatedEdit) return 'it was edited';
  if (facts.createdViaEmail) return 'it was sent by e-mail';
  return facts.isMinimized ? 'it is hidden' : undefined;
}

const permissionSchema = z.object({ permission: z.string(), user: z.object({ id: z.int() }).nullish() });

const factsSchema = z.object({
  node: z.object({
    lastEditedAt: z.string().nullable(),
    includesCreatedEdit: z.boolean(),
    createdViaEmail: z.boolean(),
    isMinimized: z.boolean(),
  }),
});

async function readFacts(octokit: Octokit, node: string) {
  const query = `query($node: ID!) { node(id: $node) { ... on IssueComment {
    lastEditedAt includesCreatedEdit createdViaEmail isMinimized } } }`;
  return factsSchema.parse(await octokit.graphql(query, { node })).node;
}

const deletionsSchema = z.object({
  repository: z.object({
    pullRequest: z.object({
      timelineItems: z.object({
        nodes: z.array(z.object({ createdAt: z.string(), actor: z.object({ __typename: z.string() }).nullable() })),
      }),
    }),
  }),
});

/** When an app or a bot last deleted a comment, in ISO 8601. */
async function findLastDeletion(
  octokit: Octokit,
  { owner, repo, pullRequest }: PullRequestPlace,
): Promise<string | undefined> {
  const query = `query($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) { timelineItems(last: 100, itemTypes: [COMMENT_DELETED_EVENT]) {
      nodes { ... on CommentDeletedEvent { createdAt actor { __typename } } } } } } }`;
  const response: unknown = await octokit.graphql(query, { owner, repo, number: pullRequest });
  const { nodes } = deletionsSchema.parse(response).repository.pullRequest.timelineItems;
  return nodes.findLast(({ actor }) => actor?.__typename !== 'User')?.createdAt;
}
