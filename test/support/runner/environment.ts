import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { JsonObject } from '../../../src/json/json.ts';
import type { Github } from '../github/github.ts';
import type { Permissions, Repository, User, WorkflowRun } from '../github/model.ts';
import type { CacheScope } from '../github/runtime-token.ts';
import type { ThirdPartyAction } from './action.ts';
import { compileCache } from './bundle.ts';
import type { CancelTimes } from './process.ts';
import type { JobDefinition } from './workflow.ts';

export interface RunnerOptions {
  readonly secrets?: Readonly<Record<string, string>>;
  readonly vars?: Readonly<Record<string, string>>;
  /** Actions of others by name without ref: `anthropics/claude-code-action`. */
  readonly actions?: Readonly<Record<string, ThirdPartyAction>>;
  /** Variables of the machine: every step sees them. */
  readonly machine?: Readonly<Record<string, string>>;
  /** Default: the runner's. */
  readonly cancelTimes?: CancelTimes;
  /** Milliseconds of a minute of `timeout-minutes`. Default: 60,000. */
  readonly minuteMs?: number;
  /** `own`: a fresh process for each step. Default: processes that run steps of the product one after the other. */
  readonly processes?: 'own' | 'shared';
  /** Jobs side by side. Default: 2. */
  readonly parallel?: number;
  /** Gets the log of all jobs as it comes. */
  readonly onLine?: (line: string, job: string) => void;
}

export interface RunEvent {
  readonly name: string;
  /** `GITHUB_REF`. */
  readonly ref: string;
  readonly sha: string;
  readonly actor: User;
  /** Branches of a pull request, else empty. */
  readonly headRef: string;
  readonly baseRef: string;
  readonly payload: JsonObject;
  /** Inputs of a dispatch. */
  readonly inputs: JsonObject;
  /** A fork's pull request or Dependabot: no secrets, and a token that only reads. */
  readonly isRestricted: boolean;
}

/** A run attempt and where it takes place. */
export interface RunContext {
  readonly github: Github;
  readonly repository: Repository;
  /** Bare repository. */
  readonly gitFolder: string;
  /** Folder of this run attempt. */
  readonly folder: string;
  readonly run: WorkflowRun;
  readonly runAttempt: number;
  readonly event: RunEvent;
  readonly options: RunnerOptions;
}

export interface Machine {
  /** All variables of an action's step but those of the step itself. */
  readonly env: Readonly<Record<string, string>>;
  /** `github.token`. */
  readonly token: string;
  readonly workspace: string;
  readonly temp: string;
}

/** A fresh machine with the folders and variables of a job. */
export async function prepareMachine(
  context: RunContext,
  job: { readonly id: string; readonly name: string; readonly permissions: JobDefinition['permissions'] },
): Promise<Machine> {
  const { github, repository, run, runAttempt, event } = context;
  const short = repository.name.replace(/.*\//, '');
  await mkdir(context.folder, { recursive: true });
  const folder = await mkdtemp(join(context.folder, `${job.id}-`));
  const paths = {
    workspace: join(folder, 'work', short, short),
    temp: join(folder, 'temp'),
    home: join(folder, 'home'),
  };
  for (const path of Object.values(paths)) await mkdir(path, { recursive: true });
  const identity = { repository: repository.name, runId: run.id, runAttempt, job: job.name };
  const permissions = permissionsOf(job.permissions, event.isRestricted);
  const token = github.issueToken({ repository: repository.name, permissions, job: identity });
  const eventPath = join(paths.temp, 'event.json');
  await writeFile(eventPath, JSON.stringify(event.payload));
  const services = ['ACTIONS_CACHE_URL', 'ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_URL'];
  const env = {
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: paths.home,
    USER: 'runner',
    GIT_CONFIG_NOSYSTEM: '1',
    NODE_COMPILE_CACHE: compileCache(),
    ...context.options.machine,
    ...runVariables(context),
    GITHUB_JOB: job.id,
    GITHUB_EVENT_PATH: eventPath,
    GITHUB_WORKSPACE: paths.workspace,
    RUNNER_ARCH: 'X64',
    RUNNER_ENVIRONMENT: 'github-hosted',
    RUNNER_NAME: 'GitHub Actions 1',
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: paths.temp,
    RUNNER_TOOL_CACHE: join(folder, 'tools'),
    RUNNER_WORKSPACE: dirname(paths.workspace),
    ACTIONS_CACHE_SERVICE_V2: 'True',
    ...Object.fromEntries(services.map((name) => [name, `${github.origin}/`])),
    ACTIONS_RUNTIME_TOKEN: github.mintRuntimeToken(identity, cacheScopes(context)),
  };
  return { env, token, workspace: paths.workspace, temp: paths.temp };
}

/** https://docs.github.com/actions/reference/workflows-and-actions/variables#default-environment-variables */
export function runVariables({ github, repository, run, runAttempt, event }: RunContext): Record<string, string> {
  const { ref, actor } = event;
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: actor.login,
    GITHUB_ACTOR_ID: String(actor.id),
    GITHUB_API_URL: github.origin,
    GITHUB_BASE_REF: event.baseRef,
    GITHUB_EVENT_NAME: event.name,
    GITHUB_GRAPHQL_URL: `${github.origin}/graphql`,
    GITHUB_HEAD_REF: event.headRef,
    GITHUB_REF: ref,
    GITHUB_REF_NAME: ref.replace(/^refs\/\w+\//, ''),
    GITHUB_REF_PROTECTED: 'false',
    GITHUB_REF_TYPE: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    GITHUB_REPOSITORY: repository.name,
    GITHUB_REPOSITORY_ID: String(repository.id),
    GITHUB_REPOSITORY_OWNER: repository.name.replace(/\/.*/, ''),
    GITHUB_RETENTION_DAYS: '90',
    GITHUB_RUN_ATTEMPT: String(runAttempt),
    GITHUB_RUN_ID: String(run.id),
    GITHUB_RUN_NUMBER: String(run.number),
    // The clients refuse any other host as an Enterprise Server.
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_SHA: event.sha,
    GITHUB_TRIGGERING_ACTOR: run.attempts[runAttempt - 1]!.actor.login,
    GITHUB_WORKFLOW: run.name,
    GITHUB_WORKFLOW_REF: `${repository.name}/${run.path}@${ref}`,
    GITHUB_WORKFLOW_SHA: event.sha,
  };
}

/** What `permissions:` does not name is not granted; without the key everything is. */
function permissionsOf(
  permissions: JobDefinition['permissions'] = 'write-all',
  isRestricted: boolean,
): Permissions | 'all' {
  if (permissions === 'write-all' && !isRestricted) return 'all';
  const names = ['actions', 'checks', 'contents', 'issues', 'pull-requests', 'statuses'];
  const granted =
    typeof permissions === 'string' ? names.map((name) => [name, 'read'] as const) : Object.entries(permissions);
  const levels = granted.map(([name, level]) => [name, isRestricted && level === 'write' ? 'read' : level]);
  return Object.fromEntries(levels) as Permissions;
}

/** Events of outsiders, which run on the default branch: their caches are read-only. */
const OF_OUTSIDERS = new Set(['pull_request_target', 'issue_comment', 'workflow_run']);

/** The run's ref, the base branch, the default branch; only the first is writable. */
function cacheScopes({ repository, event: { name, ref, baseRef } }: RunContext): CacheScope[] {
  const bases = [baseRef || repository.defaultBranch, repository.defaultBranch].map((branch) => `refs/heads/${branch}`);
  const [own, ...others] = new Set([ref, ...bases]);
  const readable = others.map((scope) => ({ scope, permission: 1 }) as const);
  return [{ scope: own!, permission: OF_OUTSIDERS.has(name) ? 1 : 3 }, ...readable];
}

/** Variables of a prefix as a context has them: without it, in lower case. */
export function withoutPrefix(env: Readonly<Record<string, string>>, prefix: string): Record<string, string> {
  const entries = Object.entries(env).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length).toLowerCase(), value]));
}
