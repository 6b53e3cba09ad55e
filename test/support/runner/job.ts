import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../src/json/json.ts';
import type { Conclusion, WorkflowJob } from '../github/model.ts';
import type { PostStep } from './action.ts';
import type { Annotation } from './commands.ts';
import { prepareMachine, withoutPrefix, type Machine, type RunContext } from './environment.ts';
import { evaluateTexts, evaluateValue, type Contexts, type StatusAnswers } from './expressions.ts';
import { killTracked, type CancelTimes, type StepProcess } from './process.ts';
import { runPost, runStep, type StepReport } from './step.ts';
import type { JobDefinition, Workflow } from './workflow.ts';

export interface JobReport {
  /** In its workflow file; `key` has those of its callers before it: `caller/job`. */
  readonly id: string;
  readonly key: string;
  /** As GitHub shows it: `build (node, linux)`, `caller / job`. */
  readonly name: string;
  readonly runAttempt: number;
  readonly conclusion: Conclusion;
  readonly outputs: Readonly<Record<string, string>>;
  /** Mains, then posts, as they ran. */
  readonly steps: readonly StepReport[];
  readonly summary: string;
  readonly annotations: readonly Annotation[];
  readonly log: string;
  /** Folder that the job ran in; it stays until the repository is disposed of. */
  readonly workspace: string;
}

export interface JobOrder {
  readonly context: RunContext;
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly definition: JobDefinition;
  readonly workflow: Workflow;
  /** Path of the file that defines the job. */
  readonly path: string;
  readonly permissions: JobDefinition['permissions'];
  readonly secrets: Readonly<Record<string, string>>;
  /** `needs`, `matrix`, `strategy`, `inputs`, `vars`. */
  readonly contexts: Contexts;
}

/** A job on a machine of its own: mains in order, then posts in reverse. */
export class Job {
  readonly order: JobOrder;
  readonly ended: Promise<JobReport>;
  /** Set before the first step. */
  machine!: Machine;
  readonly trackingId = `github_${randomUUID()}`;
  readonly masks = new Set<string>();
  status: 'success' | 'failure' | 'cancelled' = 'success';
  isLost = false;
  /** Of workflow and job, with what steps wrote to `GITHUB_ENV`. */
  env: Record<string, string> = {};
  readonly path: string[] = [];
  readonly steps: Record<string, { outcome: string; conclusion: string; outputs: Record<string, string> }> = {};
  readonly posts: PostStep[] = [];
  readonly reports: StepReport[] = [];
  running: { readonly process: StepProcess; readonly outlivesCancel: () => boolean } | undefined;
  readonly #lines: string[] = [];
  readonly #waiters = new Set<(line: string) => void>();
  readonly #record: WorkflowJob;

  constructor(order: JobOrder, record: WorkflowJob) {
    this.order = order;
    this.#record = record;
    this.ended = this.#run();
    this.ended.catch(() => undefined);
  }

  get cancelTimes(): CancelTimes {
    return this.order.context.options.cancelTimes ?? { interrupt: 7_500, terminate: 2_500 };
  }

  readonly onLine = (line: string): void => {
    this.#lines.push(line);
    this.order.context.options.onLine?.(line, this.order.name);
    for (const waiter of this.#waiters) waiter(line);
  };

  answers(): StatusAnswers {
    const { status } = this;
    return { success: status === 'success', failure: status === 'failure', cancelled: status === 'cancelled' };
  }

  contexts(env: Readonly<Record<string, string>>): Contexts {
    const { context, contexts, secrets, path } = this.order;
    const { env: variables, token } = this.machine;
    const { name: repository } = context.repository;
    const { sha, ref, payload: event } = context.event;
    const file = { workflow_repository: repository, workflow_file_path: path, workflow_sha: sha };
    const workflow: JsonObject = { workflow_ref: `${repository}/${path}@${ref}`, ...file };
    return {
      ...contexts,
      github: { ...withoutPrefix(variables, 'GITHUB_'), token, event },
      runner: { ...withoutPrefix(variables, 'RUNNER_'), debug: '' },
      job: { status: this.status, check_run_id: this.#record.id, ...workflow },
      secrets: { ...secrets, GITHUB_TOKEN: token },
      env: { ...env },
      steps: this.steps,
    };
  }

  /** Work after the minutes of `timeout-minutes`, unless it is disposed of. */
  afterMinutes(minutes: string | number | undefined, work: () => void): Disposable {
    const count = Number(evaluateValue(minutes ?? '', this.contexts(this.env)));
    const ms = count * (this.order.context.options.minuteMs ?? 60_000);
    const timer = count > 0 ? setTimeout(work, ms) : undefined;
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }

  /** As "Cancel workflow": the running step is stopped, and only steps with `always()` or `cancelled()` follow. */
  async cancel(): Promise<void> {
    this.status = 'cancelled';
    if (this.running !== undefined && !this.running.outlivesCancel())
      await this.running.process.cancel(this.cancelTimes);
  }

  /** As when the machine is gone: SIGKILL to everything, no further step. */
  async lose(): Promise<void> {
    this.isLost = true;
    this.running?.process.kill();
    await killTracked(`RUNNER_TRACKING_ID=${this.trackingId}`);
  }

  /** The first line of the log that matches. Rejects if the job ends without one. */
  logged(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const waiter = (line: string): void => {
        if (pattern.test(line)) resolve(line);
      };
      this.#waiters.add(waiter);
      this.#lines.forEach(waiter);
      this.ended.then(() => reject(new Error(`no line matches ${pattern}:\n${this.#lines.join('\n')}`)), reject);
    });
  }

  async #run(): Promise<JobReport> {
    const { context, definition, workflow, secrets, id, key, name } = this.order;
    const { runAttempt } = context;
    this.machine = await prepareMachine(context, this.order);
    const { token, env, workspace } = this.machine;
    for (const secret of [...Object.values(secrets), token, env['ACTIONS_RUNTIME_TOKEN']!])
      if (secret) this.masks.add(secret);
    for (const texts of [workflow.env, definition.env])
      this.env = { ...this.env, ...evaluateTexts(texts, this.contexts(this.env)) };
    await this.#runSteps(definition);
    await killTracked(`RUNNER_TRACKING_ID=${this.trackingId}`);
    const conclusion = this.isLost ? 'failure' : this.status;
    Object.assign(this.#record, { status: 'completed', conclusion, completedAt: context.github.now() });
    const outputs = this.isLost ? [] : Object.entries(evaluateTexts(definition.outputs, this.contexts(this.env)));
    return {
      ...{ id, key, name, runAttempt, conclusion, workspace, steps: this.reports },
      // The runner leaves out values that contain a secret.
      outputs: Object.fromEntries(outputs.filter(([, value]) => ![...this.masks].some((mask) => value.includes(mask)))),
      summary: this.reports.map(({ summary }) => summary).join(''),
      annotations: this.reports.flatMap(({ annotations }) => annotations),
      log: this.#lines.join('\n'),
    };
  }

  async #runSteps({ steps = [], 'timeout-minutes': minutes }: JobDefinition): Promise<void> {
    using _timer = this.afterMinutes(minutes, () => {
      this.onLine(`##[error]The job has exceeded the maximum execution time of ${minutes}m.`);
      void this.cancel();
    });
    for (const [index, step] of steps.entries()) if (!this.isLost) await runStep(this, step, step.id ?? `__${index}`);
    for (let post = this.posts.pop(); post !== undefined && !this.isLost; post = this.posts.pop())
      await runPost(this, post);
  }
}
