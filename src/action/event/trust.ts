import { GatelineError } from '../../errors/gateline-error.ts';

/** What the event of a run says, as far as it decides whom to trust. */
export interface EventFacts {
  /** `GITHUB_EVENT_NAME`. */
  readonly name: string;
  readonly repository: string;
  /** `GITHUB_SHA`. For pull requests the merge of both sides, for events that outsiders cause a commit of the default branch. */
  readonly sha: string;
  /** `GITHUB_REF`. */
  readonly ref: string;
  /** Name of the default branch, where it is known. */
  readonly defaultBranch: string | undefined;
  readonly pullRequest: PullRequest | undefined;
  /** Repository that the waited-for run of `workflow_run` took its commit from. */
  readonly headRepository: string | undefined;
}

/** The pull request that a run is about. What the payload does not say is `undefined`. */
export interface PullRequest {
  readonly number: number;
  /** `owner/name`; `undefined`: not told, or gone. */
  readonly headRepository: string | undefined;
  readonly headSha: string | undefined;
  /** Name of the branch. */
  readonly headBranch: string | undefined;
  /** The commit of the base repository that the pull request goes into. */
  readonly baseSha: string | undefined;
}

/** The rows of the table of events: docs/security.md. */
export type TrustRow = 'branch' | 'pull-request' | 'fork' | 'base';

/** Whom a run may trust, by its event. */
export interface Trust {
  readonly row: TrustRow;
  /**
   * Where contracts are read from: id of a commit; for an unknown event the full ref of the default branch may stand in
   * its place. It may have to be fetched: a shallow checkout does not have a base.
   */
  readonly contractFrom: { readonly commit: string; readonly why: string };
  /**
   * Whether this run may save cache entries. GitHub decides in whose scope that is, and whose entries are read: those of its
   * ref, its base and the default branch. False where that scope is the default branch's, and outsiders cause the event.
   */
  readonly writesCache: boolean;
  /** The changes come from another repository, or nobody tells that they do not. */
  readonly isFork: boolean;
  /** For people: what was assumed, one sentence. */
  readonly notice: string | undefined;
}

/** Events that only people and programs with write access to the repository cause, each on a commit of its own choice. */
const OF_THE_REPOSITORY: ReadonlySet<string> = new Set([
  'create',
  'merge_group',
  'push',
  'release',
  'repository_dispatch',
  'schedule',
  'workflow_dispatch',
]);

/** Events that run on the merge of a pull request, with the rights of whoever opened it. */
const OF_A_PULL_REQUEST: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
]);

/** Events that anybody can cause, and that run with the rights of the repository on a commit of the default branch. */
const WITH_RIGHTS_OF_THE_BASE: ReadonlySet<string> = new Set(['issue_comment', 'pull_request_target', 'workflow_run']);

/**
 * Whom a run may trust. An event that is not known gets the row that fits and allows least, and a notice; a pull request
 * whose repository is not known counts as one from a fork.
 * https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
 * @throws GatelineError `EVENT_INVALID` when nothing that can be trusted is known: neither base nor default branch
 */
export function trustOf(facts: EventFacts): Trust {
  const { name, ref } = facts;
  if (OF_THE_REPOSITORY.has(name)) return ofBranch(facts);
  if (WITH_RIGHTS_OF_THE_BASE.has(name)) return ofBase(facts, facts.sha, undefined);
  if (OF_A_PULL_REQUEST.has(name)) return ofPullRequest(facts, undefined);
  const notice = `Gateline does not support the event ${name}`;
  if (ref.startsWith('refs/pull/'))
    return ofPullRequest(facts, `${notice}: it is treated as a pull request from a fork.`);
  return ofBase(
    facts,
    trunkOf(facts),
    `${notice}: contracts are read from the default branch, and no cache is written.`,
  );
}

/** `owner/name` is the repository of the run; GitHub does not tell capitals apart. */
export function isSameRepository(name: string | undefined, repository: string): boolean {
  return name?.toLowerCase() === repository.toLowerCase();
}

function ofBranch({ sha, name }: EventFacts): Trust {
  return {
    row: 'branch',
    contractFrom: { commit: sha, why: `${name} runs on a commit of the repository itself` },
    writesCache: true,
    isFork: false,
    notice: undefined,
  };
}

function ofPullRequest(facts: EventFacts, notice: string | undefined): Trust {
  const { name, sha, repository, pullRequest: request } = facts;
  const base = request?.baseSha;
  if (request === undefined || base === undefined) throw unknownBase(name, 'the base of its pull request');
  if (notice === undefined && isSameRepository(request.headRepository, repository)) {
    const why = 'the pull request comes from the repository itself: the commit under test';
    return {
      row: 'pull-request',
      contractFrom: { commit: sha, why },
      writesCache: true,
      isFork: false,
      notice,
    };
  }
  const from = request.headRepository ?? 'an unknown or deleted repository';
  return {
    row: 'fork',
    contractFrom: { commit: base, why: `the pull request comes from ${from}: the base that it goes into` },
    writesCache: true,
    isFork: true,
    notice,
  };
}

function ofBase(facts: EventFacts, commit: string, notice: string | undefined): Trust {
  const { name, repository, pullRequest, headRepository } = facts;
  const isSame = (head: string | undefined): boolean => isSameRepository(head, repository);
  const waitsForFork = name === 'workflow_run' && !isSame(headRepository);
  return {
    row: 'base',
    contractFrom: { commit, why: `${name} runs with the rights of the repository: a commit of its own` },
    writesCache: false,
    isFork: waitsForFork || (pullRequest !== undefined && !isSame(pullRequest.headRepository)),
    notice,
  };
}

/** What an event that is not known may run on is anybody's: only the default branch is certain. */
function trunkOf({ name, sha, ref, defaultBranch }: EventFacts): string {
  if (defaultBranch === undefined) throw unknownBase(name, 'the default branch');
  const trunk = `refs/heads/${defaultBranch}`;
  return ref === trunk ? sha : trunk;
}

function unknownBase(name: string, what: string): GatelineError {
  return new GatelineError('EVENT_INVALID', `the payload of the event ${name} does not include ${what}`, {
    hint: 'Check that the file in GITHUB_EVENT_PATH is the payload of this run.',
  });
}
