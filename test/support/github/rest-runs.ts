import type { WorkflowJob, WorkflowRun, World } from './model.ts';
import { Refusal, json, type Reply, type ServiceRequest } from './protocol.ts';
import { authorise } from './rest-access.ts';
import { pageOf, restTime } from './rest-pages.ts';
import type { RestRoute } from './rest-route.ts';

/** https://docs.github.com/rest/actions/workflow-runs and …/workflow-jobs */
export const RUN_ROUTES: readonly RestRoute[] = [
  { name: 'actions/list-workflow-runs-for-repo', method: 'GET', path: '/actions/runs', work: listOfRepository },
  { name: 'actions/list-workflow-runs', method: 'GET', path: '/actions/workflows/:id/runs', work: listOfWorkflow },
  { name: 'actions/get-workflow-run', method: 'GET', path: '/actions/runs/:id', work: get },
  { name: 'actions/get-workflow-run-attempt', method: 'GET', path: '/actions/runs/:id/attempts/:n', work: get },
  { name: 'actions/list-jobs-for-workflow-run', method: 'GET', path: '/actions/runs/:id/jobs', work: jobs },
  {
    name: 'actions/list-jobs-for-workflow-run-attempt',
    method: 'GET',
    path: '/actions/runs/:id/attempts/:n/jobs',
    work: jobsOfAttempt,
  },
  { name: 'actions/re-run-workflow', method: 'POST', path: '/actions/runs/:id/rerun', work: rerunAll },
  {
    name: 'actions/re-run-workflow-failed-jobs',
    method: 'POST',
    path: '/actions/runs/:id/rerun-failed-jobs',
    work: rerunFailed,
  },
];

function listOfRepository(world: World, request: ServiceRequest, repository: string): Reply {
  return listing(world, request, repository, () => true);
}

/** The workflow is named by the file's name or its id. */
function listOfWorkflow(world: World, request: ServiceRequest, repository: string): Reply {
  const [, workflow = ''] = /\/actions\/workflows\/([^/]+)\/runs$/.exec(request.url.pathname) ?? [];
  const file = decodeURIComponent(workflow);
  const isAsked = ({ path }: WorkflowRun) => path.endsWith(`/${file}`) || String(workflowId(path)) === file;
  return listing(world, request, repository, isAsked);
}

/** Newest first. */
function listing(
  world: World,
  request: ServiceRequest,
  repository: string,
  belongs: (run: WorkflowRun) => boolean,
): Reply {
  authorise(world, request, repository, ['actions'], 'read');
  const { searchParams } = request.url;
  const is = (name: string, ...values: readonly (string | null)[]) => {
    const asked = searchParams.get(name);
    return asked === null || values.includes(asked);
  };
  const found = [...world.runs.values()]
    .filter((run) => run.repository === repository && belongs(run))
    .filter((run) => is('branch', run.headBranch) && is('event', run.event) && is('head_sha', run.headSha))
    .filter((run) => is('status', run.status, run.conclusion) && is('actor', run.actor))
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id);
  const { items, headers } = pageOf(request, found);
  const workflow_runs = items.map((run) => document(world, run, run.attempt));
  return json(200, { total_count: found.length, workflow_runs }, headers);
}

function get(world: World, request: ServiceRequest, repository: string, id: number, attempt?: number): Reply {
  authorise(world, request, repository, ['actions'], 'read');
  const run = runOf(world, repository, id);
  if (attempt !== undefined && attempt > run.attempt) throw new Refusal(404, 'Not Found');
  return json(200, document(world, run, attempt ?? run.attempt));
}

/** Those of the newest attempt, or of all with `filter=all`. */
function jobs(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  authorise(world, request, repository, ['actions'], 'read');
  const run = runOf(world, repository, id);
  const all = request.url.searchParams.get('filter') === 'all';
  return jobList(world, request, run, (job) => all || job.attempt === run.attempt);
}

function jobsOfAttempt(world: World, request: ServiceRequest, repository: string, id: number, attempt?: number): Reply {
  authorise(world, request, repository, ['actions'], 'read');
  const run = runOf(world, repository, id);
  if (attempt === undefined || attempt > run.attempt) throw new Refusal(404, 'Not Found');
  return jobList(world, request, run, (job) => job.attempt === attempt);
}

function jobList(
  world: World,
  request: ServiceRequest,
  run: WorkflowRun,
  belongs: (job: WorkflowJob) => boolean,
): Reply {
  const found = run.jobs.filter(belongs);
  const { items, headers } = pageOf(request, found);
  return json(200, { total_count: found.length, jobs: items.map((job) => jobDocument(world, run, job)) }, headers);
}

function rerunAll(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  return rerun(world, request, repository, id, 'all');
}

function rerunFailed(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  return rerun(world, request, repository, id, 'failed');
}

/** Takes note of it: the test carries it out. A run that has not ended is refused, a job's own run too. */
function rerun(
  world: World,
  request: ServiceRequest,
  repository: string,
  id: number,
  which: World['reruns'][number]['which'],
): Reply {
  authorise(world, request, repository, ['actions'], 'write');
  const run = runOf(world, repository, id);
  if (run.status !== 'completed') throw new Refusal(403, 'This workflow is already running');
  if (which === 'failed' && run.conclusion === 'success') throw new Refusal(403, 'The workflow run has no failed jobs');
  world.reruns.push({ run: id, which });
  return json(201, {});
}

function runOf(world: World, repository: string, id: number): WorkflowRun {
  const run = world.runs.get(id);
  if (run?.repository !== repository) throw new Refusal(404, 'Not Found');
  return run;
}

function workflowId(path: string): number {
  return [...path].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 1_000_003, 7);
}

function document(world: World, run: WorkflowRun, attempt: number): object {
  const isNewest = attempt === run.attempt;
  const ended = isNewest ? run.conclusion : 'failure';
  return {
    id: run.id,
    name: run.workflow,
    path: run.path,
    workflow_id: workflowId(run.path),
    run_number: run.number,
    run_attempt: attempt,
    event: run.event,
    status: isNewest ? run.status : 'completed',
    conclusion: ended,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    repository: repositoryDocument(world, run.repository),
    head_repository: run.headRepository === '' ? null : repositoryDocument(world, run.headRepository),
    display_title: run.displayTitle,
    actor: { login: run.actor, type: run.actor.endsWith('[bot]') ? 'Bot' : 'User' },
    triggering_actor: { login: run.actor, type: run.actor.endsWith('[bot]') ? 'Bot' : 'User' },
    pull_requests: run.pullRequests.map((number) => ({ number })),
    url: `${world.origin}/repos/${run.repository}/actions/runs/${run.id}`,
    html_url: `https://github.com/${run.repository}/actions/runs/${run.id}`,
    created_at: restTime(run.createdAt),
    updated_at: restTime(run.updatedAt),
    run_started_at: restTime(run.createdAt),
  };
}

function repositoryDocument(world: World, repository: string): object {
  const [owner = '', name = ''] = repository.split('/');
  const url = `${world.origin}/repos/${repository}`;
  return { full_name: repository, name, owner: { login: owner }, url };
}

function jobDocument(world: World, run: WorkflowRun, job: WorkflowJob): object {
  return {
    id: job.id,
    run_id: run.id,
    run_attempt: job.attempt,
    name: job.name,
    workflow_name: run.workflow,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    status: job.status,
    conclusion: job.conclusion,
    started_at: restTime(job.startedAt),
    completed_at: job.completedAt === null ? null : restTime(job.completedAt),
    url: `${world.origin}/repos/${run.repository}/actions/jobs/${job.id}`,
    html_url: `https://github.com/${run.repository}/actions/runs/${run.id}/job/${job.id}`,
    steps: [],
  };
}
