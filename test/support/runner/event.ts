import type { JsonObject } from '../../../src/json/json.ts';
import type { Github } from '../github/github.ts';
import type { Comment, PullRequest, Repository, User, WorkflowRun } from '../github/model.ts';
import { commentJson, pullJson, repositoryJson, userJson } from '../github/rest-json.ts';
import type { RunEvent } from './environment.ts';

/** What happened: a push to `branch`, unless it is about a pull request. */
export interface Occasion {
  /** Of the event: `push`. */
  readonly name: string;
  readonly branch: string;
  readonly pull: PullRequest | undefined;
  readonly comment: Comment | undefined;
  readonly actor: User;
}

/** `GITHUB_REF`: the merge of a pull request, or a branch. */
export function refOf({ name, branch, pull }: Occasion): string {
  if (name === 'pull_request_target') return `refs/heads/${pull?.base.ref ?? branch}`;
  return pull !== undefined && name.startsWith('pull_request')
    ? `refs/pull/${pull.number}/merge`
    : `refs/heads/${branch}`;
}

/** @param before commit of the branch before a push */
export function createEvent(
  github: Github,
  repository: Repository,
  occasion: Occasion,
  {
    sha,
    before,
    inputs,
    payload,
  }: { sha: string; before: string; inputs: JsonObject; payload: JsonObject | undefined },
): RunEvent {
  const { name, pull, comment, actor } = occasion;
  const ref = refOf(occasion);
  const texts = Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, String(value)]));
  const isOnPull = repository.pulls.some(({ number }) => number === comment?.issue);
  const json = {
    ...(name === 'push' && { ref, before, after: sha }),
    ...(name === 'workflow_dispatch' && { ref, inputs: texts }),
    ...(pull && { action: 'synchronize', number: pull.number, pull_request: pullJson(repository, pull) }),
    ...(comment && {
      action: 'created',
      issue: { number: comment.issue, ...(isOnPull && { pull_request: {} }) },
      comment: commentJson(github, repository, comment),
    }),
    ...{ repository: repositoryJson(repository), sender: userJson(actor), ...payload },
  };
  const isForeign = pull?.head.repository !== repository.name || actor.login === 'dependabot[bot]';
  return {
    ...{ name, ref, sha, actor, inputs, headRef: pull?.head.ref ?? '', baseRef: pull?.base.ref ?? '' },
    payload: JSON.parse(JSON.stringify(json)) as JsonObject,
    isRestricted: ref.startsWith('refs/pull/') && isForeign,
  };
}

/** The run of an event, without attempts. @param path of the workflow file */
export function createRun(
  github: Github,
  repository: Repository,
  { name: event, branch, pull, actor }: Occasion,
  { path, name, sha }: { readonly path: string; readonly name: string; readonly sha: string },
): WorkflowRun {
  const number = 1 + repository.runs.filter((run) => run.path === path).length;
  const head = pull?.head ?? { ref: branch, sha, repository: repository.name };
  const run: WorkflowRun = {
    ...{ id: 30_000_000_000 + github.nextNumber(), number, path, name, event, actor, attempts: [] },
    ...{ createdAt: github.now(), displayTitle: pull?.title ?? name },
    ...{ headBranch: head.ref, headSha: head.sha, headRepository: head.repository },
    pullRequests: pull !== undefined && head.repository === repository.name ? [pull.number] : [],
  };
  repository.runs.push(run);
  return run;
}
