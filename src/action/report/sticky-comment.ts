import { GatelineError } from '../../errors.ts';
import { explainRequestError, type Github, type Octokit } from '../../github/octokit.ts';
import { isNewerThan, parseMarker } from '../../report/github/comment.ts';

/** A comment that was written; `kept`: it shows a newer run already. */
export interface StickyComment {
  readonly choice: 'created' | 'updated' | 'kept';
  readonly url: string;
}

/**
 * Creates the comment on a pull request, or updates the one with the marker of `body` unless that shows a newer run. The
 * request is not repeated, because a second try could make a second comment.
 * @param body of `renderComment` or `renderRunningComment`
 * @throws GatelineError `platform`
 */
export async function writeStickyComment(github: Github, pullRequest: number, body: string): Promise<StickyComment> {
  const issue = { ...github.place, issue_number: pullRequest };
  const marker = parseMarker(body);
  if (marker === undefined) throw new TypeError('the comment has no marker');
  try {
    const octokit = await github.octokit();
    const author = await readLogin(octokit);
    const comments = await github.read('The list of comments', PERMISSION, async ({ paginate, rest }) => ({
      data: await paginate(rest.issues.listComments, { ...issue, per_page: 100 }),
    }));
    const markers = comments
      .filter(({ user }) => user?.login === author)
      .map(({ body: text, ...comment }) => ({ ...comment, marker: parseMarker(text ?? '') }));
    const existing = markers.find((comment) => comment.marker?.topic === marker.topic);
    if (existing === undefined) {
      const { data } = await octokit.rest.issues.createComment({ ...issue, body });
      return { choice: 'created', url: data.html_url };
    }
    if (isNewerThan(existing.marker!, marker)) return { choice: 'kept', url: existing.html_url };
    const { data } = await octokit.rest.issues.updateComment({ ...github.place, comment_id: existing.id, body });
    return { choice: 'updated', url: data.html_url };
  } catch (error) {
    if (error instanceof GatelineError) throw error;
    throw explainRequestError('The comment on the pull request', PERMISSION, error);
  }
}

const PERMISSION = 'pull-requests: write';

/** The login of the token, which REST does not tell an app. Default: that of a job's own token. */
async function readLogin(octokit: Octokit): Promise<string> {
  try {
    const { viewer } = await octokit.graphql<{ viewer: { login: string } }>('{ viewer { login } }');
    return viewer.login;
  } catch {
    return 'github-actions[bot]';
  }
}
