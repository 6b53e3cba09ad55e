import { GatelineError } from '../../errors/gateline-error.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import type { WorkflowEvent } from '../event/event.ts';

/** The branch or pull request of a run, which decides whose records it can use. */
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
 * Decides which records of an earlier run this run can use. As with the cache, a run can use records of its own ref, of
 * the base branch of its pull request, and of the default branch. Records of a pull request can only be used for this
 * pull request: its author chose the commit.
 * @returns `named`: only the output that the person named
 * @throws GatelineError `EARLIER_RUN_REF`
 */
export function usableRecords(earlier: EarlierRef, current: CurrentRef): 'all' | 'named' {
  const isMerge = current.ref.startsWith('refs/pull/');
  // That a run was started for a pull request was checked.
  const pullRequest = isMerge || current.dispatch?.subject !== undefined ? current.pullRequest : undefined;
  if (earlier.event === 'pull_request') {
    if (pullRequest !== undefined && isOf(earlier, pullRequest)) return 'all';
    const [number] = earlier.pullRequests;
    const which = number === undefined ? `the branch ${quoted(earlier.headBranch)}` : `#${number}`;
    const hint =
      number === undefined || earlier.headBranch === undefined
        ? undefined
        : `Start this run for the pull request: on the branch ${quoted(earlier.headBranch)}, with the input \`subject\`: pr-${number}.`;
    throw refusal(`Run ${earlier.id} is of the pull request of ${which}, and this run is not.`, hint);
  }
  const own = isMerge && pullRequest !== undefined ? undefined : current.refName;
  const allowed = [own, pullRequest?.baseBranch, current.defaultBranch].filter((name) => name !== undefined);
  if (earlier.headBranch !== undefined && allowed.includes(earlier.headBranch)) return 'all';
  // Without a digest, the event is refused.
  if (current.dispatch?.decision === 'adopt') return 'named';
  const names = [...new Set(allowed)].map(quoted).join(', ');
  throw refusal(`Run ${earlier.id} is of ${quoted(earlier.headBranch)}; this run takes records of ${names} only.`);
}

/** GitHub names the pull requests of a branch of the same repository while they are open. */
function isOf({ pullRequests, headBranch }: EarlierRef, { number, headBranch: ours }: PullRequestRef): boolean {
  if (pullRequests.length > 0) return pullRequests.includes(number);
  return ours !== undefined && headBranch === ours;
}

type PullRequestRef = NonNullable<CurrentRef['pullRequest']>;

function refusal(message: string, hint?: string): GatelineError {
  return new GatelineError('EARLIER_RUN_REF', message, hint === undefined ? {} : { hint });
}

function quoted(text: string | undefined): string {
  return text === undefined ? 'a deleted branch' : `"${forTerminal(text).slice(0, 200)}"`;
}
