import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { restOfStep } from '../event/rest-client.ts';
import type { WaitLimits } from '../inputs/time-limits.ts';
import type { ActionInvocation } from '../invocation.ts';
import { usableRecords, type CurrentRef } from './earlier-run-ref.ts';

/** A workflow run, as the API returns it. */
export interface ApiRun {
  readonly id: number;
  readonly runNumber: number;
  /** The newest attempt, from 1. */
  readonly runAttempt: number;
  /** Path of the workflow file, without the ref that some answers add. */
  readonly workflowPath: string;
  readonly event: string;
  readonly status: string;
  /** `success`, `failure`, …; empty until it has ended. */
  readonly conclusion: string;
  /** ISO 8601; empty: GitHub does not say. The last change of a run that has ended is its end. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** `owner/name`; undefined for a deleted repository. */
  readonly repository: string | undefined;
  readonly headRepository: string | undefined;
  readonly headBranch: string | undefined;
  readonly headSha: string;
  /** The name of the run, from `run-name`. */
  readonly title: string;
  /** The account that started it; `undefined` for a deleted account. */
  readonly actor: { readonly login: string; readonly isBot: boolean } | undefined;
  /** Numbers of the pull requests of its head branch, as far as GitHub says. Empty for those of forks. */
  readonly pullRequests: readonly number[];
}

/** A run that this one may resume from. */
export interface EarlierRun extends ApiRun {
  /** Which of its records this run may use. `named`: no more than the output that a person adopts. */
  readonly use: 'all' | 'named';
}

/** The request to resume from an earlier run. */
interface EarlierRunRequest {
  /** Id of the run to continue from. */
  readonly runId: number;
  /** `GITHUB_RUN_ID`. The API provides the other facts about this run, as about the earlier one. */
  readonly currentRunId: number;
  /** The branch or pull request of this run. */
  readonly current: CurrentRef;
  /** The earlier run started this one, and may take a moment to end. */
  readonly wait?: {
    readonly limits: WaitLimits;
    readonly signal: AbortSignal;
    readonly onWait: (message: string) => void;
  };
}

const repositorySchema = z.object({ full_name: z.string() }).nullish();

export const runSchema = z
  .object({
    id: z.int(),
    run_number: z.int(),
    run_attempt: z.int().default(1),
    path: z.string(),
    event: z.string(),
    status: z.string().nullish(),
    conclusion: z.string().nullish(),
    created_at: z.string().default(''),
    updated_at: z.string().default(''),
    head_branch: z.string().nullish(),
    head_sha: z.string().default(''),
    display_title: z.string().nullish(),
    actor: z.object({ login: z.string(), type: z.string().nullish() }).nullish(),
    repository: repositorySchema,
    head_repository: repositorySchema,
    pull_requests: z.array(z.object({ number: z.int() })).nullish(),
  })
  .transform((run): ApiRun => ({
    id: run.id,
    runNumber: run.run_number,
    runAttempt: run.run_attempt,
    workflowPath: run.path.replace(/(?<=\.ya?ml)@.*$/s, ''),
    event: run.event,
    status: run.status ?? '',
    conclusion: run.conclusion ?? '',
    createdAt: run.created_at,
    updatedAt: run.updated_at,
    repository: run.repository?.full_name,
    headRepository: run.head_repository?.full_name,
    headBranch: run.head_branch ?? undefined,
    headSha: run.head_sha,
    title: run.display_title ?? '',
    actor: run.actor ? { login: run.actor.login, isBot: run.actor.type !== 'User' } : undefined,
    pullRequests: (run.pull_requests ?? []).map(({ number }) => number),
  }));

/**
 * Events that only people with access to the repository can trigger, or whose code and inputs come from the head
 * repository, which is compared. Not `pull_request_target`, `issue_comment`, `workflow_run` and similar events: they
 * run as the base, on untrusted text.
 */
const TRUSTED_EVENTS = new Set([
  'push',
  'schedule',
  'workflow_dispatch',
  'repository_dispatch',
  'merge_group',
  'pull_request',
  'release',
  'deployment',
]);

/**
 * Checks that this run may continue from the records of an earlier one: both of this repository, of the same workflow
 * file, from the same head repository; the earlier one has ended, was triggered by an event that outsiders cannot
 * trigger, and is of a ref whose records this run may use. 2 parallel requests.
 *
 * @throws GatelineError `EARLIER_RUN_ITSELF`, `EARLIER_RUN_ABSENT`, `EARLIER_RUN_UNREADABLE`, `EARLIER_RUN_REPOSITORY`,
 *   `EARLIER_RUN_WORKFLOW`, `EARLIER_RUN_FORK`, `EARLIER_RUN_EVENT`, `EARLIER_RUN_UNFINISHED`,
 *   `EARLIER_RUN_REF`; and those of {@link RestClient} if GitHub does not answer
 */
export async function checkEarlierRun(
  rest: RestClient,
  { runId, currentRunId, current: here, wait }: EarlierRunRequest,
): Promise<EarlierRun> {
  if (runId === currentRunId) {
    throw new GatelineError('EARLIER_RUN_ITSELF', `Run ${runId} cannot resume from itself.`);
  }
  const [earlier, current] = await Promise.all([readRun(rest, runId), readRun(rest, currentRunId)]);
  refuseOtherOrigin(rest.repository, earlier, current);
  if (!TRUSTED_EVENTS.has(earlier.event)) {
    const message = `Run ${runId} was triggered by ${quoted(earlier.event)}, which outsiders can trigger.`;
    throw new GatelineError('EARLIER_RUN_EVENT', message, {
      hint: `Name a run with one of these events: ${[...TRUSTED_EVENTS].join(', ')}.`,
    });
  }
  const use = usableRecords(earlier, here);
  return { ...(await ended(rest, earlier, wait)), use };
}

/** The run as soon as it has ended: one that starts another is still running then. */
async function ended(rest: RestClient, first: ApiRun, wait: EarlierRunRequest['wait']): Promise<ApiRun> {
  let run = first;
  const until = performance.now() + (wait?.limits.shownMs ?? 0);
  for (let looks = 0; run.status !== 'completed'; looks += 1) {
    const left = until - performance.now();
    if (wait === undefined || left <= 0 || wait.signal.aborted) {
      const message = `Run ${run.id} has not ended: its status is ${quoted(run.status)}.`;
      throw new GatelineError('EARLIER_RUN_UNFINISHED', message);
    }
    if (looks === 0) wait.onWait(`waiting until run ${run.id} ends`);
    const pause = Math.min(left, wait.limits.longestPauseMs, wait.limits.pauseMs * 2 ** looks);
    await sleep(pause, undefined, { signal: wait.signal }).catch(() => undefined);
    run = await readRun(rest, run.id);
  }
  return run;
}

/**
 * The earlier run that the input `resume` names, after checking that this run may build on it.
 * @throws GatelineError `RESUME_WITHOUT_TOKEN`, `RESUME_REFUSED`, and the errors of {@link checkEarlierRun}
 */
export async function earlierRun(
  { world, inputs, event }: Pick<ActionInvocation, 'world' | 'inputs' | 'event'>,
  runId: string,
  limits: WaitLimits,
): Promise<EarlierRun> {
  if (event.trust.isFork) {
    throw new GatelineError('RESUME_REFUSED', `${event.name} of a fork cannot resume another run`);
  }
  const rest = restOfStep({ inputs, event });
  if (rest === undefined) {
    throw new GatelineError('RESUME_WITHOUT_TOKEN', 'resume: a token is needed to read artifacts of another run');
  }
  const { signal, runner } = world;
  const wait = { limits, signal, onWait: (message: string): void => runner.info(message) };
  const request = {
    runId: Number(runId),
    currentRunId: Number(event.runId),
    current: event,
    ...(event.rework && { wait }),
  };
  return checkEarlierRun(rest, request);
}

/**
 * A workflow run of this repository.
 * @throws GatelineError `EARLIER_RUN_ABSENT`, `EARLIER_RUN_UNREADABLE`; and those of {@link RestClient}
 */
export async function readRun(rest: RestClient, runId: number): Promise<ApiRun> {
  try {
    return await rest.call({ method: 'GET', path: `/repos/${rest.repository}/actions/runs/${runId}` }, runSchema);
  } catch (error) {
    const code = error instanceof GatelineError ? error.code : undefined;
    if (code === 'REST_NOT_FOUND') {
      const message = `There is no run ${runId} in ${rest.repository}, or the token cannot read it.`;
      const hint = "Use the number in the run's URL, and give the job `actions: read`.";
      throw new GatelineError('EARLIER_RUN_ABSENT', message, { hint, cause: error });
    }
    if (code === 'REST_DENIED') {
      const message = `The token cannot read run ${runId}.`;
      const hint = 'Give the job `actions: read` under `permissions:`.';
      throw new GatelineError('EARLIER_RUN_UNREADABLE', message, { hint, cause: error });
    }
    throw error;
  }
}

function refuseOtherOrigin(ours: string, earlier: ApiRun, current: ApiRun): void {
  if (!isSame(earlier.repository, ours)) {
    const message = `Run ${earlier.id} belongs to ${quoted(earlier.repository)}, this one to ${quoted(ours)}.`;
    throw new GatelineError('EARLIER_RUN_REPOSITORY', message);
  }
  if (earlier.workflowPath !== current.workflowPath) {
    const message = `Run ${earlier.id} belongs to ${quoted(earlier.workflowPath)}, this one to ${quoted(current.workflowPath)}.`;
    throw new GatelineError('EARLIER_RUN_WORKFLOW', message);
  }
  if (!isSame(earlier.headRepository, current.headRepository)) {
    const message =
      `Run ${earlier.id} has its commit from ${quoted(earlier.headRepository)}, this one from ` +
      `${quoted(current.headRepository)}.`;
    throw new GatelineError('EARLIER_RUN_FORK', message);
  }
}

/** GitHub's names ignore case. Unknown names are never equal. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && a.toLowerCase() === b?.toLowerCase();
}

function quoted(text: string | undefined): string {
  return text === undefined ? 'a deleted repository' : `"${forTerminal(text).slice(0, 200)}"`;
}
