import { z } from 'zod';
import { explainRequestError, pauseAfterRequest, REQUEST_MS, type Octokit } from '../../github/octokit.ts';
import { withRetry } from '../../github/retry.ts';

/** Which runs' artifacts a job may use, by its event. */
export interface ReuseScope {
  /** `owner/name`. */
  readonly repository: string;
  /** Path of the workflow file that was started, without its ref. */
  readonly workflow: string;
  /** Names of branches: the own one, the base, the default branch, as the event allows. */
  readonly branches: readonly string[];
  /** Only for a pull request of the repository itself. */
  readonly pullRequest?: number | undefined;
}

/** Events whose workflow file, commit and inputs come from people with write access. */
const TRUSTED_EVENTS: readonly string[] = [
  'push',
  'schedule',
  'workflow_dispatch',
  'repository_dispatch',
  'merge_group',
  'pull_request',
];

const repositorySchema = z.object({ full_name: z.string() });
/** What GitHub says about a run: https://docs.github.com/rest/actions/workflow-runs */
const runSchema = z.object({
  repository: repositorySchema,
  /** Null: it was a fork, and is deleted. */
  head_repository: repositorySchema.nullish(),
  /** `.github/workflows/ci.yml`, also with `@<ref>`. */
  path: z.string(),
  event: z.string(),
  head_branch: z.string().nullish(),
  pull_requests: z.array(z.object({ number: z.int() })).nullish(),
});

/**
 * Why artifacts of a run may not be used; undefined: they may. Any job of a run can write any artifact of it, so the run
 * itself must be one that only people with write access could start. A fork's branch may have any name.
 * @param run the answer of REST
 */
export function distrustReason(run: unknown, scope: ReuseScope): string | undefined {
  const { data } = runSchema.safeParse(run);
  if (data === undefined) return 'GitHub describes it in a way that is not known';
  const isOurs = (name: string | undefined) => name?.toLowerCase() === scope.repository.toLowerCase();
  if (!isOurs(data.repository.full_name)) return `it is of the repository ${data.repository.full_name}`;
  if (!isOurs(data.head_repository?.full_name))
    return `its commit is of ${data.head_repository?.full_name ?? 'a deleted fork'}`;
  const path = data.path.split('@')[0];
  if (path !== scope.workflow) return `it is of the workflow ${path}`;
  if (!TRUSTED_EVENTS.includes(data.event)) return `its event is ${data.event}, which anybody can cause`;
  if (data.event === 'pull_request') {
    const numbers = (data.pull_requests ?? []).map(({ number }) => number);
    if (scope.pullRequest !== undefined && numbers.includes(scope.pullRequest)) return undefined;
    return `it is of ${numbers.length > 0 ? `the pull request #${numbers.join(', #')}` : 'another pull request'}`;
  }
  const branch = data.head_branch ?? undefined;
  return branch !== undefined && scope.branches.includes(branch) ? undefined : `its branch is ${branch ?? 'unknown'}`;
}

/**
 * Asks GitHub about a run: why its artifacts may not be used, or undefined.
 * @throws GatelineError `platform` if GitHub does not answer in `waitMs`
 */
export async function explainDistrust(
  octokit: Octokit,
  scope: ReuseScope,
  { runId, runAttempt }: { readonly runId: number; readonly runAttempt: number },
  { waitMs, report }: { readonly waitMs: number; readonly report: (line: string) => void },
): Promise<string | undefined> {
  const [owner = '', repo = ''] = scope.repository.split('/');
  const request = { owner, repo, run_id: runId, attempt_number: runAttempt };
  const what = `The look at run ${runId}`;
  const call = async (): Promise<unknown> => (await octokit.rest.actions.getWorkflowRunAttempt(request)).data;
  const limits = { tryMs: REQUEST_MS, deadline: Date.now() + waitMs, pauseAfter: pauseAfterRequest, report };
  try {
    return distrustReason(await withRetry(what, call, limits), scope);
  } catch (error) {
    throw explainRequestError(error, what, 'actions: read');
  }
}
