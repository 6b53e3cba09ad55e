import { GatelineError } from '../errors.ts';
import { isSameRepository } from '../github/octokit.ts';

/** The facts of an event that decide how far a run is trusted. */
export interface EventFacts {
  readonly name: string;
  /** `owner/name` of the run. */
  readonly repository: string;
  readonly sha: string;
  readonly ref: string;
  readonly defaultBranch: string | undefined;
  readonly pullRequest: PullRequest | undefined;
}

export interface PullRequest {
  readonly number: number;
  /** `owner/name`; undefined: deleted. */
  readonly headRepository: string | undefined;
  readonly headSha: string;
  readonly headBranch: string;
  readonly baseSha: string;
  readonly baseBranch: string;
}

/** How far a run is trusted, by its event: a row of the table in the security page. */
export interface Trust {
  /** The commit, or the ref of the default branch, whose definition and contracts count. */
  readonly definitionFrom: string;
  /** Branches whose runs' outputs may be used, beside those of the same pull request. */
  readonly usesFrom: readonly string[];
  readonly savesPointers: boolean;
  /** Whether people without write access may have caused the run: from a fork, or by an unknown event. */
  readonly isOutside: boolean;
}

/** Events that only people with write access can cause, each on a commit of their choice. */
const WRITER_EVENTS = new Set(['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'release', 'create']);
/** Events that run on the merge commit of a pull request, with the rights of its author. */
const PULL_REQUEST_EVENTS = new Set(['pull_request', 'pull_request_review', 'pull_request_review_comment']);
/** Events that anybody can cause, which run with the rights of the repository on its default branch. */
const PUBLIC_EVENTS = new Set(['issue_comment', 'pull_request_target', 'workflow_run']);

/**
 * How far a run is trusted. An unknown event gets the least trust.
 * https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
 * @throws GatelineError `platform` if the payload names neither a base nor a default branch
 */
export function trustOf(facts: EventFacts): Trust {
  const { name, sha, ref, repository, pullRequest } = facts;
  const trunk = facts.defaultBranch;
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  const branches = (...names: readonly (string | undefined)[]) => names.filter((other) => other !== undefined);
  const isOutside = pullRequest !== undefined && !isSameRepository(pullRequest.headRepository, repository);
  const trust = { definitionFrom: sha, usesFrom: branches(trunk), savesPointers: false, isOutside: false };
  if (WRITER_EVENTS.has(name))
    return { ...trust, usesFrom: branches(branch, trunk), savesPointers: branch !== undefined };
  if (name === 'merge_group') return trust;
  if (PUBLIC_EVENTS.has(name)) return { ...trust, isOutside };
  if (!pullRequest && trunk === undefined)
    throw new GatelineError('platform', `the payload of the event ${name} names neither a pull request nor a branch`);
  const usesFrom = branches(pullRequest?.baseBranch, trunk);
  if (PULL_REQUEST_EVENTS.has(name) && pullRequest && !isOutside) return { ...trust, usesFrom, savesPointers: true };
  const definitionFrom = pullRequest?.baseSha ?? `refs/heads/${trunk}`;
  return { definitionFrom, usesFrom, savesPointers: false, isOutside: true };
}
