import { z } from 'zod';
import { isSameRepository, type Github } from '../../github/octokit.ts';

/** Which runs' artifacts a job may use, by its event. */
export interface ReuseScope {
  /** `owner/name`. */
  readonly repository: string;
  /** Path of the workflow file that was started, without its ref. */
  readonly workflow: string;
  /** Branches whose runs' outputs may be used. */
  readonly branches: readonly string[];
  /** Only for a pull request of the repository itself. */
  readonly pullRequest?: number | undefined;
}

/** Events whose workflow file, commit and inputs come from people with write access. */
const TRUSTED_EVENTS = ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'merge_group', 'pull_request'];

const repositorySchema = z.object({ full_name: z.string() });
/** https://docs.github.com/rest/actions/workflow-runs; `head_repository` is null for a fork that was deleted. */
const runSchema = z.object({
  repository: repositorySchema,
  head_repository: repositorySchema.nullish(),
  /** `.github/workflows/ci.yml`, or with `@<ref>`. */
  path: z.string(),
  event: z.string(),
  head_branch: z.string().nullish(),
  pull_requests: z.array(z.object({ number: z.int() })).nullish(),
});

/**
 * Why artifacts of a run may not be used; undefined: they may. Any job of a run can write any of its artifacts, so only
 * people with write access may have been able to start it. Branch names prove nothing: a fork can choose any.
 * @param run the response of REST
 */
export function distrustReason(run: unknown, scope: ReuseScope): string | undefined {
  const { data } = runSchema.safeParse(run);
  if (data === undefined) return 'what GitHub says about it is not understood';
  if (!isSameRepository(data.repository.full_name, scope.repository))
    return `it is of the repository ${data.repository.full_name}`;
  const head = data.head_repository?.full_name;
  if (!isSameRepository(head, scope.repository)) return `its commit is of ${head ?? 'a deleted fork'}`;
  const path = data.path.split('@')[0];
  if (path !== scope.workflow) return `it is of the workflow ${path}`;
  if (!TRUSTED_EVENTS.includes(data.event)) return `its event is ${data.event}, which anybody can cause`;
  if (data.event === 'pull_request') {
    const isSame = data.pull_requests?.some(({ number }) => number === scope.pullRequest);
    return isSame ? undefined : 'it is of another pull request';
  }
  const branch = data.head_branch ?? 'unknown';
  return data.head_branch && scope.branches.includes(branch) ? undefined : `its branch is ${branch}`;
}

/**
 * Asks GitHub about a run: why its artifacts may not be used, or undefined.
 * @throws GatelineError `platform` if GitHub does not say
 */
export async function explainDistrust(
  github: Github,
  scope: ReuseScope,
  { runId, runAttempt }: { readonly runId: number; readonly runAttempt: number },
): Promise<string | undefined> {
  const run: unknown = await github.read(`The request for run ${runId}`, 'actions: read', ({ rest }, place) =>
    rest.actions.getWorkflowRunAttempt({ ...place, run_id: runId, attempt_number: runAttempt }),
  );
  return distrustReason(run, scope);
}
