import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFileCommand } from './file-commands.ts';
import type { Permissions, WorkflowJob, WorkflowRun, World } from './model.ts';
import { issueToken } from './rest-access.ts';
import { mintToken, type CacheScope } from './runtime-token.ts';
import { addRun, beginJob, type RunOptions } from './workflow-runs.ts';

/** What a test says of a job. */
export interface JobOptions {
  readonly run: number;
  /** From 1, the default. */
  readonly attempt?: number;
  /** Id of the job in its workflow file. */
  readonly job: string;
  /** What tells it from the other legs of its matrix, and REST's name for it: `build (node, linux)`. Default: its id. */
  readonly name?: string;
  /** What the run is, where it is not there yet or something of it is to change. */
  readonly about?: Omit<RunOptions, 'id'>;
  /** `GITHUB_REF`; default: the head branch, for pull requests `refs/pull/<n>/merge`, for outsiders' triggers the default branch. */
  readonly ref?: string;
  /** Branch that a pull request goes into; default `main`. */
  readonly baseBranch?: string;
  /** Default `main`. */
  readonly defaultBranch?: string;
  /** Caches that may be read and written; default: what GitHub gives for the run's event. */
  readonly scopes?: readonly CacheScope[];
  /** `ACTIONS_CACHE_MODE`; default: not set. */
  readonly cacheMode?: 'none' | 'read' | 'write' | 'write-only';
  /** `GITHUB_RETENTION_DAYS`; default 90. */
  readonly retentionDays?: number;
  /** Permissions of the job's token; default: reading actions, checks and contents, writing pull requests. */
  readonly permissions?: Permissions;
  /** The webhook's payload; default: an empty object. */
  readonly payload?: object;
  /** Where the checkout is; default: an empty folder of the job's own. */
  readonly workspace?: string;
}

/** A job on a fresh runner. Its folders are removed with it. */
export interface JobEnvironment extends AsyncDisposable {
  /** Everything that the runner sets for an action's step, and nothing of this process: no PATH either. */
  readonly env: Readonly<Record<string, string>>;
  /** What `${{ github.token }}` holds. The runner gives it to no step by itself. */
  readonly token: string;
  readonly workspace: string;
  readonly temp: string;
  /** The job as REST tells it: tests set its conclusion. */
  readonly job: WorkflowJob;
  /** The same job's next step: the same variables, with fresh files for outputs, state and summary. */
  nextStep(): Promise<JobEnvironment>;
  /** What the step wrote to `GITHUB_OUTPUT`. */
  outputs(): Promise<Record<string, string>>;
  /** What the step wrote to `GITHUB_STATE`. */
  state(): Promise<Record<string, string>>;
  /** What the step wrote to `GITHUB_STEP_SUMMARY`. */
  summary(): Promise<string>;
}

const READ = 1;
const READ_AND_WRITE = 3;

/** Triggers that outsiders can cause: they run on the default branch, and their caches are read-only. */
const OUTSIDERS = new Set(['pull_request_target', 'issue_comment', 'workflow_run']);

const DEFAULT_PERMISSIONS: Permissions = {
  actions: 'read',
  checks: 'read',
  contents: 'read',
  'pull-requests': 'write',
};

/** What a run and its event are, as `GITHUB_*` variables: what is known before any job has a runner. */
export function eventVariables(world: World, options: Omit<JobOptions, 'job'>): Record<string, string> {
  const run = addRun(world, { ...options.about, id: options.run });
  return runVariables(run, options.attempt ?? 1, refsOf(run, options));
}

/** Lays a job's folders and describes its environment. */
export async function prepareJob(world: World, options: JobOptions): Promise<JobEnvironment> {
  const { attempt = 1, job: id, name = id, permissions = DEFAULT_PERMISSIONS } = options;
  const run = addRun(world, { ...options.about, id: options.run });
  const job = beginJob(world, run, name, attempt);
  const folder = await mkdtemp(join(tmpdir(), 'gateline-job-'));
  const folders = {
    workspace: options.workspace ?? join(folder, 'work', 'gates', 'gates'),
    temp: join(folder, 'work', '_temp'),
    tools: join(folder, 'tools'),
  };
  for (const path of Object.values(folders)) await mkdir(path, { recursive: true });
  const caller = { run: run.id, attempt, job: name };
  const { repository } = run;
  const refs = refsOf(run, options);
  const scopes = options.scopes ?? scopesOf(run, refs);
  const runtimeToken = mintToken(world, { ...caller, repository, scopes });
  const token = issueToken(world, { repository, permissions, caller });
  const event = join(folders.temp, 'event.json');
  await writeFile(event, JSON.stringify(options.payload ?? {}));
  const env = {
    ...runVariables(run, attempt, refs),
    ...runnerVariables(folders),
    ...serviceVariables(world, runtimeToken),
    ...(options.cacheMode === undefined ? {} : { ACTIONS_CACHE_MODE: options.cacheMode }),
    GITHUB_JOB: id,
    GITHUB_EVENT_PATH: event,
    GITHUB_RETENTION_DAYS: String(options.retentionDays ?? 90),
  };
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  return step({ env, token, job, workspace: folders.workspace, temp: folders.temp, remove });
}

interface Laid extends Pick<JobEnvironment, 'env' | 'token' | 'job' | 'workspace' | 'temp'> {
  readonly remove: () => Promise<void>;
}

async function step(laid: Laid): Promise<JobEnvironment> {
  const folder = await mkdtemp(join(laid.temp, '_runner_file_commands_'));
  const file = async (name: string) => {
    const path = join(folder, name);
    await writeFile(path, '');
    return path;
  };
  const files = {
    GITHUB_OUTPUT: await file('set_output'),
    GITHUB_STATE: await file('save_state'),
    GITHUB_STEP_SUMMARY: await file('step_summary'),
    GITHUB_ENV: await file('set_env'),
    GITHUB_PATH: await file('add_path'),
  };
  const { remove, ...job } = laid;
  return {
    ...job,
    env: { ...laid.env, ...files },
    nextStep: () => step(laid),
    outputs: async () => parseFileCommand(await readFile(files.GITHUB_OUTPUT, 'utf8')),
    state: async () => parseFileCommand(await readFile(files.GITHUB_STATE, 'utf8')),
    summary: () => readFile(files.GITHUB_STEP_SUMMARY, 'utf8'),
    [Symbol.asyncDispose]: remove,
  };
}

interface Refs {
  readonly ref: string;
  /** Branch that a pull request goes into, else empty. */
  readonly base: string;
  /** Branch that a pull request comes from, else empty. */
  readonly head: string;
  readonly defaultBranch: string;
}

function refsOf(run: WorkflowRun, { ref, baseBranch = 'main', defaultBranch = 'main' }: Omit<JobOptions, 'job'>): Refs {
  if (run.event === 'pull_request' || run.event === 'pull_request_target') {
    const merge = `refs/pull/${run.pullRequests[0] ?? 1}/merge`;
    const usual = run.event === 'pull_request' ? merge : `refs/heads/${baseBranch}`;
    return { ref: ref ?? usual, base: baseBranch, head: run.headBranch, defaultBranch };
  }
  const branch = OUTSIDERS.has(run.event) ? defaultBranch : run.headBranch;
  return { ref: ref ?? `refs/heads/${branch}`, base: '', head: '', defaultBranch };
}

/** The run's own ref, then the base branch, then the default branch; only the first may be written. */
function scopesOf(run: WorkflowRun, { ref, base, defaultBranch }: Refs): CacheScope[] {
  const others = [base === '' ? ref : `refs/heads/${base}`, `refs/heads/${defaultBranch}`];
  const own = OUTSIDERS.has(run.event) ? READ : READ_AND_WRITE;
  return [
    { scope: ref, permission: own },
    ...[...new Set(others)].filter((scope) => scope !== ref).map((scope) => ({ scope, permission: READ }) as const),
  ];
}

/** https://docs.github.com/actions/reference/workflows-and-actions/variables#default-environment-variables */
function runVariables(run: WorkflowRun, attempt: number, { ref, base, head }: Refs): Record<string, string> {
  const [owner = ''] = run.repository.split('/');
  return {
    CI: 'true',
    GITHUB_ACTION: '__self',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_REF: '',
    GITHUB_ACTION_REPOSITORY: '',
    GITHUB_ACTOR: run.actor,
    GITHUB_ACTOR_ID: '1',
    GITHUB_BASE_REF: base,
    GITHUB_EVENT_NAME: run.event,
    GITHUB_HEAD_REF: head,
    GITHUB_REF: ref,
    GITHUB_REF_NAME: ref.replace(/^refs\/(?:heads|tags|pull)\//, ''),
    GITHUB_REF_PROTECTED: 'false',
    GITHUB_REF_TYPE: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    GITHUB_REPOSITORY: run.repository,
    GITHUB_REPOSITORY_ID: '1',
    GITHUB_REPOSITORY_OWNER: owner,
    GITHUB_REPOSITORY_OWNER_ID: '1',
    GITHUB_RUN_ATTEMPT: String(attempt),
    GITHUB_RUN_ID: String(run.id),
    GITHUB_RUN_NUMBER: String(run.number),
    GITHUB_SHA: run.headSha,
    GITHUB_TRIGGERING_ACTOR: run.actor,
    GITHUB_WORKFLOW: run.workflow,
    GITHUB_WORKFLOW_REF: `${run.repository}/${run.path}@${ref}`,
    GITHUB_WORKFLOW_SHA: run.headSha,
  };
}

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'macOS', win32: 'Windows' };

function runnerVariables(folders: {
  readonly workspace: string;
  readonly temp: string;
  readonly tools: string;
}): Record<string, string> {
  return {
    GITHUB_WORKSPACE: folders.workspace,
    RUNNER_ARCH: arch().toUpperCase(),
    RUNNER_ENVIRONMENT: 'github-hosted',
    RUNNER_NAME: 'GitHub Actions 1',
    RUNNER_OS: SYSTEMS[platform()] ?? 'Linux',
    RUNNER_TEMP: folders.temp,
    RUNNER_TOOL_CACHE: folders.tools,
    RUNNER_WORKSPACE: join(folders.workspace, '..'),
  };
}

/** The clients take a server that is not GitHub's own for an Enterprise Server and refuse: only the addresses of services are local. */
function serviceVariables({ origin, serverUrl }: World, runtimeToken: string): Record<string, string> {
  return {
    ACTIONS_CACHE_SERVICE_V2: 'True',
    ACTIONS_CACHE_URL: `${origin}/`,
    ACTIONS_RESULTS_URL: `${origin}/`,
    ACTIONS_RUNTIME_TOKEN: runtimeToken,
    ACTIONS_RUNTIME_URL: `${origin}/`,
    GITHUB_API_URL: origin,
    GITHUB_GRAPHQL_URL: `${origin}/graphql`,
    GITHUB_SERVER_URL: serverUrl,
  };
}
