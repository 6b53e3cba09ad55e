import type { getOctokit } from '@actions/github';
import { messageOf } from '../../errors.ts';
import { isNewerThan, parseMarker } from '../../report/github/comment.ts';

type Octokit = ReturnType<typeof getOctokit>;

export interface PullRequestRef {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

/** `kept`: the comment shows a newer run. `failed`: `notice` says why, and what to do. */
export type StickyComment =
  | { readonly choice: 'created' | 'updated' | 'kept'; readonly url: string }
  | { readonly choice: 'failed'; readonly notice: string };

/**
 * Writes the comment of a pull request: the one with the marker of `body` is updated, unless it shows a newer run.
 * Nothing is sent twice, and no error fails the report: what can be done about it is returned.
 * @param body as of `renderComment` or `renderRunningComment`
 */
export async function writeStickyComment(
  octokit: Octokit,
  pullRequest: PullRequestRef,
  body: string,
  signal: AbortSignal,
): Promise<StickyComment> {
  const { owner, repo, number } = pullRequest;
  const request = { signal };
  try {
    const existing = await findComment(octokit, pullRequest, body, signal);
    if (existing === undefined) {
      const created = await octokit.rest.issues.createComment({ owner, repo, issue_number: number, body, request });
      return { choice: 'created', url: created.data.html_url };
    }
    if (existing.isNewer) return { choice: 'kept', url: existing.url };
    const updated = await octokit.rest.issues.updateComment({ owner, repo, comment_id: existing.id, body, request });
    return { choice: 'updated', url: updated.data.html_url };
  } catch (error) {
    return { choice: 'failed', notice: noticeOf(error) };
  }
}

/** The comment about the same pipeline and subject by the token's own account; of several the oldest. */
async function findComment(octokit: Octokit, pullRequest: PullRequestRef, body: string, signal: AbortSignal) {
  const { owner, repo, number } = pullRequest;
  const marker = parseMarker(body);
  if (marker === undefined) throw new TypeError('the comment has no marker');
  const [author, comments] = await Promise.all([
    readLogin(octokit, signal),
    octokit.paginate(octokit.rest.issues.listComments, {
      owner,
      repo,
      issue_number: number,
      per_page: 100,
      request: { signal },
    }),
  ]);
  for (const { id, user, body: text = '', html_url: url } of comments) {
    const other = parseMarker(text);
    if (user?.login === author && other?.topic === marker.topic)
      return { id, url, isNewer: isNewerThan(other, marker) };
  }
  return undefined;
}

/** `github-actions[bot]` for a job's own token; an app's or a person's otherwise. REST does not tell an app its login. */
async function readLogin(octokit: Octokit, signal: AbortSignal): Promise<string> {
  try {
    const answer = await octokit.graphql<{ viewer: { login: string } }>('{ viewer { login } }', {
      request: { signal },
    });
    return answer.viewer.login;
  } catch {
    return 'github-actions[bot]';
  }
}

function noticeOf(error: unknown): string {
  const message = messageOf(error);
  const advice = message.includes('not accessible')
    ? ' The job that reports needs:\n\npermissions:\n  contents: read\n  actions: read\n  pull-requests: write\n\nRuns of forks never have it: a workflow with the comment action writes for them.'
    : '';
  return `The comment on the pull request could not be written: ${message}.${advice}`;
}
