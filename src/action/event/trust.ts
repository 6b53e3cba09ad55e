import { GatelineError } from '../../errors/gateline-error.ts';

/** The facts about a run's event that determine what to trust. */
export interface EventFacts {
  /** `GITHUB_EVENT_NAME`. */
  readonly name: string;
  readonly repository: string;
  /**
   * `GITHUB_SHA`. For pull requests the merge of both sides, for events that outsiders can trigger a commit of the
   * default branch.
   */
  readonly sha: string;
  /** `GITHUB_REF`. */
  readonly ref: string;
  /** Name of the default branch, if known. */
  readonly defaultBranch: string | undefined;
  readonly pullRequest: PullRequest | undefined;
  /** Head repository of the run that triggered a `workflow_run`. */
  readonly headRepository: string | undefined;
}

/** The pull request of a run. Fields missing in the payload are `undefined`. */
export interface PullRequest {
  readonly number: number;
  /** `owner/name`; `undefined`: not in the payload, or deleted. */
  readonly headRepository: string | undefined;
  readonly headSha: string | undefined;
  /** Name of the branch. */
  readonly headBranch: string | undefined;
  /** Login of its author, if the payload names it. */
  readonly author?: string | undefined;
  /** Name of the branch that it goes into. */
  readonly baseBranch?: string | undefined;
  /** The base repository's commit that the pull request is merged into. */
  readonly baseSha: string | undefined;
}

/** The rows of the event table in docs/security.md. */
export type TrustRow = 'branch' | 'pull-request' | 'fork' | 'base';

/** How far a run is trusted, by its event. */
export interface Trust {
  readonly row: TrustRow;
  /**
   * Where to read contracts: a commit id; for an unknown event it may be the full ref of the default branch. It may
   * have to be fetched: a shallow checkout does not include the base.
   */
  readonly contractFrom: { readonly commit: string; readonly why: string };
  /**
   * Whether this run may save cache entries. GitHub determines the scope in which they are saved, and whose entries are
   * read: those of its ref, its base and the default branch. False if that scope is the default branch's and outsiders
   * can trigger the event.
   */
  readonly writesCache: boolean;
  /** The changes come from another repository, or it is unknown whether they do. */
  readonly isFork: boolean;
  /** For people: the assumption made, one sentence. */
  readonly notice: string | undefined;
}

/**
 * Events that only people and programs with write access to the repository can trigger, each on a commit of their
 * choice.
 */
const OF_THE_REPOSITORY: ReadonlySet<string> = new Set([
  'create',
  'merge_group',
  'push',
  'release',
  'repository_dispatch',
  'schedule',
  'workflow_dispatch',
]);

/** Events that run on the merge of a pull request, with the permissions of its author. */
const OF_A_PULL_REQUEST: ReadonlySet<string> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
]);

/**
 * Events that any account can trigger, and that run with the repository's permissions on a commit of the default
 * branch.
 */
const WITH_RIGHTS_OF_THE_BASE: ReadonlySet<string> = new Set(['issue_comment', 'pull_request_target', 'workflow_run']);

/**
 * Determines what a run may trust. An unknown event gets the most restrictive row that fits, and a notice; a pull
 * request from an unknown repository is treated as one from a fork.
 * https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
 * @throws GatelineError `EVENT_INVALID` if nothing trustworthy is known: neither base nor default branch
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

/** Whether `owner/name` is the run's repository; GitHub ignores case. */
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

/** An unknown event may run on untrusted commits: only the default branch is safe. */
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
