import type { JsonObject } from '../../../src/json/json.ts';
import { eventVariables } from '../github/job-environment.ts';
import { addRun } from '../github/workflow-runs.ts';
import { evaluateText } from './expressions.ts';
import type { RunningJob } from './job.ts';
import { Scheduler } from './scheduler.ts';
import { withoutPrefix, type JobReport } from './session.ts';
import type { WorkflowDefinition } from './workflow-file.ts';
import type { RunReport, WorkflowRunOptions } from './workflow-run.ts';

/** One attempt of a workflow run while it is running. */
export interface Attempt {
  readonly ended: Promise<RunReport>;
  /** As "Cancel workflow" does. */
  cancel(): Promise<void>;
  /** A job or leg by its name, as soon as it has begun. Rejects where the attempt ends without it. */
  job(name: string): Promise<RunningJob>;
}

/** Which attempt of which run. */
export interface AttemptOrder {
  readonly options: WorkflowRunOptions;
  readonly number: number;
  readonly definition: Promise<WorkflowDefinition>;
  readonly earlier: Promise<RunReport> | undefined;
  /** Whether a job of the earlier attempt runs again by itself. */
  readonly isAgain: (report: JobReport) => boolean;
}

/** Runs the jobs of one attempt in the order of their needs. */
export function runAttempt(order: AttemptOrder): Attempt {
  const begun = new Map<string, RunningJob>();
  const waiting = new Set<() => void>();
  const state = { isCancelled: false };
  const onBegin = (name: string, job: RunningJob) => {
    begun.set(name, job);
    for (const look of waiting) look();
  };
  const ended = carryOut(order, state, onBegin);
  ended.catch(() => undefined);
  return {
    ended,
    cancel: async () => {
      state.isCancelled = true;
      await Promise.all([...begun.values()].map((job) => job.cancel()));
    },
    job: (name) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const job = begun.get(name);
          if (job !== undefined) resolve(job);
        };
        waiting.add(look);
        look();
        ended.then(() => reject(new Error(`no job ${name} began, but ${[...begun.keys()].join(', ')}`)), reject);
      }),
  };
}

async function carryOut(
  order: AttemptOrder,
  state: { readonly isCancelled: boolean },
  onBegin: (name: string, job: RunningJob) => void,
): Promise<RunReport> {
  const { options, number } = order;
  const [workflow, earlier] = await Promise.all([order.definition, order.earlier]);
  declareRun(options, workflow, number);
  nameRun(options, workflow, number);
  const scheduler = new Scheduler({ order, workflow, earlier, state, onBegin });
  const jobs = await scheduler.runAll();
  const conclusions = jobs.map(({ conclusion }) => conclusion);
  const conclusion = (['cancelled', 'failure'] as const).find((one) => conclusions.includes(one)) ?? 'success';
  addRun(options.service.world, { id: options.run, status: 'completed', conclusion });
  const byName = new Map(jobs.map((job) => [job.name, job]));
  return {
    attempt: number,
    conclusion,
    jobs: byName,
    started: scheduler.started,
    job: (name) => {
      const report = byName.get(name);
      if (report === undefined) throw new Error(`there is no job ${name}, but ${[...byName.keys()].join(', ')}`);
      return report;
    },
  };
}

/** What `run-name` comes to is the title of the run; a blank one is none. */
function nameRun(options: WorkflowRunOptions, workflow: WorkflowDefinition, attempt: number): void {
  const { service, run, inputs = {}, vars = {}, payload = {} } = options;
  const github = { ...withoutPrefix(eventVariables(service.world, { ...options, attempt }), 'GITHUB_') };
  const contexts = { github: { ...github, event: payload as JsonObject }, inputs: { ...inputs }, vars: { ...vars } };
  const title = evaluateText(workflow['run-name'] ?? '', contexts).trim();
  if (title !== '') addRun(service.world, { id: run, displayTitle: title });
}

function declareRun({ service, run, ...options }: WorkflowRunOptions, workflow: WorkflowDefinition, attempt: number) {
  const { commit: headSha, branch: headBranch = 'main', workflow: path, about } = options;
  addRun(service.world, { headSha, headBranch, path, workflow: workflow.name ?? path, ...about, id: run });
  addRun(service.world, { id: run, attempt, status: 'in_progress', conclusion: null });
}
