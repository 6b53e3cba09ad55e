import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { plainEnvironment } from '../command-line.ts';
import { eventVariables, type JobOptions } from '../github/job-environment.ts';
import type { ResultsService } from '../github/results-service.ts';
import { addRun, beginJob } from '../github/workflow-runs.ts';
import { headOf } from '../runner/repository.ts';
import { ACT } from './act-tool.ts';
import { readActLog, type ActJob } from './act-log.ts';

/** What a test says of a run; `about`, `ref`, `payload` and the like are as for a job of the service. */
export interface ActOptions extends Omit<JobOptions, 'job' | 'name' | 'workspace'> {
  readonly service: ResultsService;
  /** Folder of a git repository with the branch of the run checked out. `actions/checkout` copies it as it is, with all files. */
  readonly repository: string;
  /** Path of the workflow file in it. */
  readonly workflow: string;
  /** Folders of actions that are not in the repository, by what `uses:` says: `octo/spy@v1`. */
  readonly actions?: Readonly<Record<string, string>>;
  /** Inputs of a `workflow_dispatch`. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Beside `GITHUB_TOKEN`. Long ones: every occurrence in the log becomes `***`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Variables that every step sees; one that is `undefined` is left to act. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Jobs that run at once; default 2. */
  readonly parallel?: number;
}

/** What came of a run. */
export interface ActReport {
  /** Whether act itself calls it a success. */
  readonly ok: boolean;
  /** Jobs that began, by name; a job that was passed over is not among them. */
  readonly jobs: ReadonlyMap<string, ActJob>;
  /** The job of a name. Throws where it never began. */
  job(name: string): ActJob;
  /** What act said beside its log. */
  readonly stderr: string;
}

/** Milliseconds after which act is killed with all that it started. */
const LONGEST = 120_000;

/** What act finds out by itself, and better. */
const ACTS_OWN = /^(?:CI|GITHUB_ACTIONS?|GITHUB_ACTION_.*|GITHUB_SHA|GITHUB_HEAD_REF|GITHUB_BASE_REF|GITHUB_REF.*)$/;

/**
 * Runs a whole workflow by act, without Docker or GitHub, each job on this machine in a fresh folder, against a
 * results service. All jobs share one runtime token, which every step sees: what jobs may do to each other, and what a
 * `run:` step sees, is to be tested elsewhere. `actions/checkout` of the repository itself needs no network: act copies
 * the folder. An attempt of 2 and up is a re-run of all jobs. `$/` is unknown to it: write `./` after a checkout.
 */
export async function runAct(options: ActOptions): Promise<ActReport> {
  const { service, run, attempt = 1, about } = options;
  if (ACT === undefined) throw new Error('there is no act on this machine');
  const headSha = await headOf(options.repository);
  addRun(service.world, { headSha, path: options.workflow, ...about, id: run });
  addRun(service.world, { id: run, attempt, status: 'in_progress', conclusion: null });
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateline-act-')));
  try {
    const event = join(folder, 'event.json');
    await writeFile(event, JSON.stringify({ ...options.payload, inputs: options.inputs }));
    const env = plainEnvironment({ ACT_DISABLE_VERSION_CHECK: '1', XDG_CACHE_HOME: folder });
    const ended = await start(ACT, [...flags(options), '--eventpath', event], { cwd: options.repository, env });
    const jobs = readActLog(ended.stdout);
    tellService(options, jobs, ended.code === 0);
    return {
      ok: ended.code === 0,
      jobs,
      stderr: ended.stderr,
      job: (name) => {
        const job = jobs.get(name);
        if (job === undefined)
          throw new Error(`no job ${name} began, but ${[...jobs.keys()].join(', ')}\n${ended.stderr}`);
        return job;
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function flags(options: ActOptions): string[] {
  const { service, run, attempt = 1, actions = {}, secrets = {} } = options;
  const { event, repository, actor } = service.world.runs.get(run)!;
  const caller = { run, attempt, job: 'act' };
  const permissions = options.permissions ?? { actions: 'read', contents: 'read', 'pull-requests': 'write' };
  const token = service.issueToken({ repository, permissions, caller });
  const scopes = options.scopes === undefined ? {} : { scopes: options.scopes };
  const known = Object.entries(eventVariables(service.world, options)).filter(([name]) => !ACTS_OWN.test(name));
  const given = {
    ...Object.fromEntries(known),
    ACTIONS_CACHE_SERVICE_V2: 'True',
    ACTIONS_RESULTS_URL: `${service.origin}/`,
    ACTIONS_RUNTIME_TOKEN: service.mintToken({ ...caller, repository, ...scopes }),
    GITHUB_API_URL: service.origin,
    GITHUB_RETENTION_DAYS: String(options.retentionDays ?? 90),
    ...(options.cacheMode === undefined ? {} : { ACTIONS_CACHE_MODE: options.cacheMode }),
    ...options.env,
  };
  const variables = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return [
    event,
    '--json',
    '--no-cache-server',
    '--use-gitignore=false',
    ...pairs('--platform', { 'ubuntu-latest': '-self-hosted' }),
    ...settings({
      workflows: options.workflow,
      actor,
      defaultbranch: options.defaultBranch ?? 'main',
      'cache-server-addr': '127.0.0.1',
      'artifact-server-addr': '127.0.0.1',
      'concurrent-jobs': String(options.parallel ?? 2),
    }),
    ...pairs('--env', variables),
    ...pairs('--secret', { ...secrets, GITHUB_TOKEN: token }),
    ...pairs('--local-repository', actions),
    ...pairs('--input', options.inputs ?? {}),
  ];
}

function pairs(flag: string, values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);
}

function settings(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
}

async function start(
  file: string,
  args: readonly string[],
  where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(file, args, { ...where, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), LONGEST);
  try {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stdout, stderr };
  } finally {
    clearTimeout(timer);
  }
}

/** REST knows the jobs that began, and what became of the run. */
function tellService({ service, run, attempt = 1 }: ActOptions, jobs: ReadonlyMap<string, ActJob>, ok: boolean): void {
  const { world } = service;
  for (const { name, result } of jobs.values()) {
    const job = beginJob(world, world.runs.get(run)!, name, attempt);
    Object.assign(job, { status: 'completed', conclusion: result ?? 'cancelled', completedAt: world.now() });
  }
  addRun(world, { id: run, status: 'completed', conclusion: ok ? 'success' : 'failure' });
}
