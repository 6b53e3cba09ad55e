import { join } from 'node:path';
import type { Conclusion, RunAttempt, User, WorkflowRun } from '../github/model.ts';
import { Attempt } from './attempt.ts';
import { runVariables, withoutPrefix, type RunContext, type RunnerOptions } from './environment.ts';
import { evaluateText } from './expressions.ts';
import type { Job, JobReport } from './job.ts';
import type { Workflow } from './workflow.ts';

type RerunOptions = RunnerOptions & { readonly actor?: User };

/** A run attempt that is under way. */
export interface RunningRun {
  readonly run: WorkflowRun;
  readonly completed: Promise<Run>;
  /** A job by its name, as soon as it has begun: `logged(pattern)`, `cancel()`, `lose()`. */
  job(name: string): Promise<Job>;
  /** As "Cancel workflow" does. */
  cancel(): Promise<void>;
}

/** A run attempt that has ended. */
export interface Run {
  readonly id: number;
  readonly runAttempt: number;
  readonly conclusion: Conclusion;
  /** Those of earlier attempts too where they still count. */
  readonly jobs: readonly JobReport[];
  /** Names of the jobs of this attempt in the order in which they began. */
  readonly started: readonly string[];
  /** By name or, if it is unique, by id. @throws Error if there is none */
  job(name: string): JobReport;
  /** "Re-run failed jobs" or "Re-run all jobs". */
  rerun(which: 'failed' | 'all', options?: RerunOptions): Promise<Run>;
  startRerun(which: 'failed' | 'all', options?: RerunOptions): RunningRun;
}

/** Everything of a run but its attempts; `folder` is of all runs. */
export type RunOrder = Omit<RunContext, 'runAttempt'> & {
  readonly workflow: Workflow;
  /** Gets each attempt that has ended. */
  readonly onEnd: (run: Run) => unknown;
};

/** @param earlier jobs of the attempt before that are not run again unless they failed */
export function startAttempt(order: RunOrder, actor: User, earlier: readonly JobReport[]): RunningRun {
  const { github, run, event, options, workflow } = order;
  const now = github.now();
  const record: RunAttempt = {
    status: 'in_progress',
    conclusion: null,
    actor,
    startedAt: now,
    updatedAt: now,
    jobs: [],
  };
  const runAttempt = run.attempts.push(record);
  const context = { ...order, runAttempt, folder: join(order.folder, `${run.id}-${runAttempt}`) };
  const variables = { ...withoutPrefix(runVariables(context), 'GITHUB_'), event: event.payload };
  const contexts = { github: variables, inputs: event.inputs, vars: { ...options.vars } };
  run.displayTitle = evaluateText(workflow['run-name'] ?? run.displayTitle, contexts);
  const attempt = new Attempt(context, earlier);
  const complete = async (): Promise<Run> => {
    const jobs = await attempt.run(workflow);
    const conclusions = new Set(jobs.map((job) => job.conclusion));
    const conclusion = (['cancelled', 'failure'] as const).find((end) => conclusions.has(end)) ?? 'success';
    Object.assign(record, { status: 'completed', conclusion, updatedAt: github.now() });
    const startRerun: Run['startRerun'] = (which, { actor: person = actor, ...changes } = {}) =>
      startAttempt({ ...order, options: { ...options, ...changes } }, person, which === 'all' ? [] : jobs);
    const result: Run = {
      ...{ id: run.id, runAttempt, conclusion, jobs, started: attempt.started, startRerun },
      job: (name) => jobNamed(jobs, name),
      rerun: (which, changes) => startRerun(which, changes).completed,
    };
    order.onEnd(result);
    return result;
  };
  const completed = complete();
  completed.catch(() => undefined);
  return { run, completed, job: (name) => attempt.job(name, completed), cancel: () => attempt.cancel() };
}

function jobNamed(jobs: readonly JobReport[], name: string): JobReport {
  const ofId = jobs.filter(({ id }) => id === name);
  const job = jobs.find((other) => other.name === name) ?? (ofId.length === 1 ? ofId[0] : undefined);
  if (job === undefined) throw new Error(`there is no job ${name}, but ${jobs.map((other) => other.name).join(', ')}`);
  return job;
}
