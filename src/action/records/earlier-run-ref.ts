import { GatelineError } from '../../errors/gateline-error.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import type { WorkflowEvent } from '../event/event.ts';

/** What a run is about, as far as it determines whose records it may use. */
export type CurrentRef = Pick<WorkflowEvent, 'ref' | 'refName' | 'defaultBranch' | 'pullRequest'> &
  Partial<Pick<WorkflowEvent, 'dispatch'>>;

/** The facts about an earlier run that are compared. */
interface EarlierRef {
  readonly id: number;
  readonly event: string;
  readonly headBranch: string | undefined;
  readonly pullRequests: readonly number[];
}

/**
 * Refuses an earlier run whose records this run must not use. A run takes what runs of its own ref, of the branch that
 * its pull request goes into, and of the default branch have left, as it does from the cache. Records of a pull request
 * are for that pull request only: its author chose the commit.
 * @throws GatelineError `EARLIER_RUN_REF`
 */
export function refuseOtherRef(earlier: EarlierRef, current: CurrentRef): void {
  const isMerge = current.ref.startsWith('refs/pull/');
  // That a run was started for a pull request was checked.
  const pullRequest = isMerge || current.dispatch?.subject !== undefined ? current.pullRequest : undefined;
  if (earlier.event === 'pull_request') {
    if (pullRequest !== undefined && isOf(earlier, pullRequest)) return;
    const [number] = earlier.pullRequests;
    const which = number === undefined ? `the branch ${quoted(earlier.headBranch)}` : `#${number}`;
    throw refusal(`Run ${earlier.id} is of the pull request of ${which}, and this run is not.`);
  }
  const own = isMerge && pullRequest !== undefined ? undefined : current.refName;
  const allowed = [own, pullRequest?.baseBranch, current.defaultBranch].filter((name) => name !== undefined);
  if (earlier.headBranch !== undefined && allowed.includes(earlier.headBranch)) return;
  const names = [...new Set(allowed)].map(quoted).join(', ');
  throw refusal(`Run ${earlier.id} is of ${quoted(earlier.headBranch)}; this run takes records of ${names} only.`);
}

/** GitHub names the pull requests of a branch of the same repository while they are open. */
function isOf({ pullRequests, headBranch }: EarlierRef, { number, headBranch: ours }: PullRequestRef): boolean {
  if (pullRequests.length > 0) return pullRequests.includes(number);
  return ours !== undefined && headBranch === ours;
}

type PullRequestRef = NonNullable<CurrentRef['pullRequest']>;

function refusal(message: string): GatelineError {
  return new GatelineError('EARLIER_RUN_REF', message);
}

function quoted(text: string | undefined): string {
  return text === undefined ? 'a deleted branch' : `"${forTerminal(text).slice(0, 200)}"`;
}
