import { z } from 'zod';
import { downloadAddress } from './artifacts.ts';
import { Refusal, empty, json, pageOf, parseBody, secondsOf, type Reply } from './http.ts';
import type { Artifact, RunAttempt, WorkflowJob, WorkflowRun } from './model.ts';
import { repositoryJson, userJson } from './rest-json.ts';
import type { RestCall, RestRoute } from './rest.ts';

/** https://docs.github.com/rest/actions */
export const ACTIONS_ROUTES: readonly RestRoute[] = [
  ['GET', '/actions/artifacts', 'actions: read', (call) => listArtifacts(call, () => true)],
  ['GET', '/actions/artifacts/:id', 'actions: read', (call) => json(200, artifactJson(call, artifactOf(call)))],
  ['GET', '/actions/artifacts/:id/zip', 'actions: read', downloadArtifact],
  ['GET', '/actions/runs', 'actions: read', listRuns],
  ['GET', '/actions/runs/:id', 'actions: read', getRun],
  ['GET', '/actions/runs/:id/artifacts', 'actions: read', listRunArtifacts],
  ['GET', '/actions/runs/:id/attempts/:n', 'actions: read', getRun],
  ['GET', '/actions/runs/:id/jobs', 'actions: read', listJobs],
  ['GET', '/actions/runs/:id/attempts/:n/jobs', 'actions: read', listJobs],
  ['GET', '/actions/workflows/:file/runs', 'actions: read', listRuns],
  ['POST', '/actions/runs/:id/rerun-failed-jobs', 'actions: write', rerunFailedJobs],
  ['POST', '/actions/workflows/:file/dispatches', 'actions: write', dispatch],
];

function listRunArtifacts(call: RestCall): Reply {
  const { id } = runOf(call);
  return listArtifacts(call, ({ runId }) => runId === id);
}

/** Newest first, expired ones too. */
function listArtifacts(call: RestCall, isOfList: (artifact: Artifact) => boolean): Reply {
  const name = call.request.url.searchParams.get('name');
  const artifacts = call.repository.artifacts
    .filter((artifact) => artifact.finalized && isOfList(artifact) && artifact.name === (name ?? artifact.name))
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id);
  const { page, headers } = pageOf(call.request, artifacts);
  const body = { total_count: artifacts.length, artifacts: page.map((artifact) => artifactJson(call, artifact)) };
  return json(200, body, headers);
}

/** Redirects to the artifact's bytes: a zip, or the raw file. */
function downloadArtifact(call: RestCall): Reply {
  const artifact = artifactOf(call);
  if (artifact.expiresAt <= call.github.now()) throw new Refusal(410, 'Artifact has expired');
  return empty(302, { location: downloadAddress(call.github, artifact, call.token.job) });
}

function artifactOf({ repository, params }: RestCall): Artifact {
  const artifact = repository.artifacts.find(({ id, finalized }) => finalized && String(id) === params[0]);
  if (artifact === undefined) throw new Refusal(404, 'Not Found');
  return artifact;
}

function artifactJson({ github, repository }: RestCall, artifact: Artifact): object {
  const url = `${github.origin}/repos/${repository.name}/actions/artifacts/${artifact.id}`;
  const run = repository.runs.find(({ id }) => id === artifact.runId);
  const { id, name, size, digest, createdAt, expiresAt } = artifact;
  return {
    ...{ id, node_id: `A_${id}`, name, size_in_bytes: size, digest, url, archive_download_url: `${url}/zip` },
    ...{ created_at: secondsOf(createdAt), updated_at: secondsOf(createdAt), expires_at: secondsOf(expiresAt) },
    expired: expiresAt <= github.now(),
    workflow_run: {
      id: artifact.runId,
      repository_id: repository.id,
      head_repository_id: run?.headRepository === repository.name ? repository.id : repository.id + 1,
      head_branch: run?.headBranch,
      head_sha: run?.headSha,
    },
  };
}

function getRun(call: RestCall): Reply {
  const run = runOf(call);
  return json(200, runJson(call, run, attemptOf(call, run).number));
}

/** Newest first. Of the repository, or of a workflow by the name of its file. */
function listRuns(call: RestCall): Reply {
  const { searchParams } = call.request.url;
  const is = (name: string, ...values: readonly (string | null | undefined)[]): boolean =>
    !searchParams.has(name) || values.includes(searchParams.get(name));
  const runs = call.repository.runs
    .filter((run) => run.path.endsWith(`/${call.params[0] ?? ''}`) || call.params[0] === undefined)
    .filter((run) => is('branch', run.headBranch) && is('event', run.event) && is('head_sha', run.headSha))
    .filter(({ attempts }) => is('status', attempts.at(-1)?.status, attempts.at(-1)?.conclusion))
    .toReversed();
  const { page, headers } = pageOf(call.request, runs);
  const workflow_runs = page.map((run) => runJson(call, run, run.attempts.length));
  return json(200, { total_count: runs.length, workflow_runs }, headers);
}

/** Of one attempt; without a number of the newest, or of all with `filter=all`. */
function listJobs(call: RestCall): Reply {
  const run = runOf(call);
  const isAll = call.request.url.searchParams.get('filter') === 'all';
  const { number } = attemptOf(call, run);
  const jobs = run.attempts.flatMap((attempt, index) =>
    isAll || index + 1 === number ? attempt.jobs.map((job) => jobJson(call, run, index + 1, job)) : [],
  );
  const { page, headers } = pageOf(call.request, jobs);
  return json(200, { total_count: jobs.length, jobs: page }, headers);
}

function rerunFailedJobs(call: RestCall): Reply {
  const run = runOf(call);
  const { attempt } = attemptOf(call, run);
  if (attempt.status !== 'completed') throw new Refusal(403, 'This workflow is already running');
  if (attempt.conclusion === 'success') throw new Refusal(403, 'The workflow run has no failed jobs');
  call.repository.orders.push({ kind: 'rerun', runId: run.id, which: 'failed', actor: call.token.user });
  return json(201, {});
}

const dispatchSchema = z.object({ ref: z.string(), inputs: z.record(z.string(), z.string()).default({}) });

function dispatch({ repository, request, params, token }: RestCall): Reply {
  const { ref, inputs } = parseBody(dispatchSchema, request);
  const path = [...repository.workflows.keys()].find((file) => file.endsWith(`/${params[0]}`));
  if (path === undefined) throw new Refusal(404, 'Not Found');
  const names = repository.workflows.get(path);
  const branch = ref.replace(/^refs\/heads\//, '');
  if (!repository.branches.has(branch)) throw new Refusal(422, `No ref found for: ${ref}`);
  if (names === undefined) throw new Refusal(422, "Workflow does not have 'workflow_dispatch' trigger");
  const unknown = Object.keys(inputs).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Refusal(422, `Unexpected inputs provided: ${JSON.stringify(unknown)}`);
  if (JSON.stringify(inputs).length > 65_535) throw new Refusal(422, 'inputs are too large.');
  repository.orders.push({ kind: 'dispatch', path, branch, inputs, actor: token.user });
  return empty(204);
}

function runOf({ repository, params }: RestCall): WorkflowRun {
  const run = repository.runs.find(({ id }) => String(id) === params[0]);
  if (run === undefined) throw new Refusal(404, 'Not Found');
  return run;
}

function attemptOf({ params }: RestCall, { attempts }: WorkflowRun): { number: number; attempt: RunAttempt } {
  const number = params[1] === undefined ? attempts.length : Number(params[1]);
  const attempt = attempts[number - 1];
  if (attempt === undefined) throw new Refusal(404, 'Not Found');
  return { number, attempt };
}

function runJson({ github, repository }: RestCall, run: WorkflowRun, number: number): object {
  const attempt = run.attempts[number - 1]!;
  const own = repositoryJson(repository);
  const fork = { ...own, full_name: run.headRepository, id: repository.id + 1, fork: true };
  const { id, name, path, event, headBranch, headSha } = run;
  return {
    ...{ id, name, path, event, head_branch: headBranch, head_sha: headSha, run_number: run.number },
    ...{ run_attempt: number, status: attempt.status, conclusion: attempt.conclusion },
    repository: own,
    head_repository: run.headRepository === undefined ? null : run.headRepository === repository.name ? own : fork,
    display_title: run.displayTitle,
    actor: userJson(run.actor),
    triggering_actor: userJson(attempt.actor),
    pull_requests: run.pullRequests.map((pull) => ({ number: pull })),
    url: `${github.origin}/repos/${repository.name}/actions/runs/${run.id}`,
    html_url: `https://github.com/${repository.name}/actions/runs/${run.id}`,
    created_at: secondsOf(run.createdAt),
    run_started_at: secondsOf(attempt.startedAt),
    updated_at: secondsOf(attempt.updatedAt),
  };
}

function jobJson({ repository }: RestCall, run: WorkflowRun, number: number, job: WorkflowJob): object {
  const { id, name, status, conclusion } = job;
  return {
    ...{ id, name, status, conclusion, run_id: run.id, run_attempt: number, workflow_name: run.name },
    ...{ head_branch: run.headBranch, head_sha: run.headSha, steps: [] },
    started_at: secondsOf(job.startedAt),
    completed_at: job.completedAt === null ? null : secondsOf(job.completedAt),
    html_url: `https://github.com/${repository.name}/actions/runs/${run.id}/job/${id}`,
  };
}
