import type { Github } from './github.ts';
import { secondsOf } from './http.ts';
import { ACTIONS_BOT, type Comment, type PullRequest, type Repository, type User } from './model.ts';

// As REST answers and as events of webhooks carry them.

export function userJson({ login, id, type }: User): object {
  return { login, id, type };
}

export function repositoryJson({ id, name, defaultBranch }: Repository): object {
  const [owner, short] = name.split('/');
  const names = { full_name: name, name: short, owner: { login: owner }, html_url: `https://github.com/${name}` };
  return { id, ...names, default_branch: defaultBranch, private: false, fork: false };
}

export function pullJson(repository: Repository, pull: PullRequest): object {
  const { number, state, title, author, head, base } = pull;
  const own = repositoryJson(repository);
  const fork = { ...own, id: repository.id + 1, full_name: head.repository, fork: true };
  const repo = head.repository === undefined ? null : head.repository === repository.name ? own : fork;
  return {
    ...{ number, state, title, body: '', draft: false, user: userJson(author) },
    html_url: `https://github.com/${repository.name}/pull/${number}`,
    head: { ref: head.ref, sha: head.sha, repo },
    base: { ref: base.ref, sha: base.sha, repo: own },
  };
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
