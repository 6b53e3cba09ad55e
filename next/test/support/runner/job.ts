import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../src/json/json.ts';
import type { Conclusion, WorkflowJob } from '../github/model.ts';
import type { PostStep } from './action.ts';
import type { Annotation } from './commands.ts';
import { prepareMachine, withoutPrefix, type Machine, type RunContext } from './environment.ts';
import { evaluateText, evaluateValue, type Contexts, type StatusAnswers } from './expressions.ts';
import { killTracked, TRACKING_VARIABLE, type CancelTimes, type StepProcess } from './process.ts';
import { runPost, runStep, type StepReport } from './step.ts';
import type { JobDefinition, StepDefinition, Workflow } from './workflow.ts';

export interface JobReport {
  /** In its workflow file. */
  readonly id: string;
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

const RUNNER_TIMES: CancelTimes = { interrupt: 7_500, terminate: 2_500 };

/** A job on a machine of its own: mains in order, then posts in reverse. */
export class Job {
  readonly order: JobOrder;
  readonly ended: Promise<JobReport>;
  /** Set before the first step. */
  machine!: Machine;
  readonly tracking = { [TRACKING_VARIABLE]: `github_${randomUUID()}` };
  readonly masks = new Set<string>();
  status: 'success' | 'failure' | 'cancelled' = 'success';
  isLost = false;
  /** Of workflow and job, with what steps wrote to `GITHUB_ENV`. */
  readonly env: Record<string, string> = {};
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
    return this.order.context.options.cancelTimes ?? RUNNER_TIMES;
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
    const { actions: _, ...github } = withoutPrefix(variables, 'GITHUB_');
    const job: JsonObject = {
      status: this.status,
      check_run_id: this.#record.id,
      workflow_ref: `${context.repository.name}/${path}@${context.event.ref}`,
      workflow_sha: context.event.sha,
      workflow_repository: context.repository.name,
      workflow_file_path: path,
    };
    return {
      ...contexts,
      github: { ...github, token, event: context.event.payload },
      runner: { ...withoutPrefix(variables, 'RUNNER_'), debug: '' },
      job,
      secrets: { ...secrets, GITHUB_TOKEN: token },
      env: { ...env },
      steps: this.steps,
    };
  }

  /** A timer of `timeout-minutes`. */
  afterMinutes(minutes: string | number | undefined, work: () => void): NodeJS.Timeout | undefined {
    if (minutes === undefined) return undefined;
    const count = Number(evaluateValue(minutes, this.contexts(this.env)));
    return setTimeout(work, count * (this.order.context.options.minuteMs ?? 60_000)).unref();
  }

  /** As "Cancel workflow": the running step is stopped, and only steps with `always()` or `cancelled()` follow. */
  async cancel(): Promise<void> {
    if (this.isLost) return;
    this.status = 'cancelled';
    if (this.running !== undefined && !this.running.outlivesCancel())
      await this.running.process.cancel(this.cancelTimes);
  }

  /** As when the machine is gone: SIGKILL to everything, no further step. */
  async lose(): Promise<void> {
    this.isLost = true;
    this.running?.process.kill();
    await killTracked(this.tracking[TRACKING_VARIABLE]);
  }

  /** The first line of the log that matches. Rejects if the job ends without one. */
  logged(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const waiter = (line: string): void => {
        if (pattern.test(line)) resolve(line);
      };
      this.#waiters.add(waiter);
      this.#lines.forEach(waiter);
      const fail = (): void => reject(new Error(`no line matches ${pattern}:\n${this.#lines.join('\n')}`));
      this.ended.then(fail, reject);
    });
  }

  async #run(): Promise<JobReport> {
    const { context, definition, workflow, permissions, secrets, id, name } = this.order;
    this.machine = await prepareMachine(context, { id, name, permissions });
    const hidden = [...Object.values(secrets), this.machine.token, this.machine.env['ACTIONS_RUNTIME_TOKEN']!];
    for (const secret of hidden) if (secret !== '') this.masks.add(secret);
    for (const env of [workflow.env, definition.env])
      for (const [key, value] of Object.entries(env)) this.env[key] = evaluateText(value, this.contexts(this.env));
    const timer = this.afterMinutes(definition['timeout-minutes'], () => {
      this.onLine(`##[error]The job has exceeded the maximum execution time of ${definition['timeout-minutes']}m.`);
      void this.cancel();
    });
    const steps = definition.steps ?? [];
    for (const [index, step] of steps.entries()) if (!this.isLost) await runStep(this, step, stepNames(steps)[index]!);
    for (let post = this.posts.pop(); post !== undefined && !this.isLost; post = this.posts.pop())
      await runPost(this, post);
    clearTimeout(timer);
    await killTracked(this.tracking[TRACKING_VARIABLE]);
    const conclusion = this.isLost ? 'failure' : this.status;
    Object.assign(this.#record, { status: 'completed', conclusion, completedAt: context.github.now() });
    return {
      ...{ id, name, runAttempt: context.runAttempt, conclusion },
      outputs: this.isLost ? {} : this.#outputs(),
      steps: this.reports,
      summary: this.reports.map(({ summary }) => summary).join(''),
      annotations: this.reports.flatMap(({ annotations }) => annotations),
      log: this.#lines.join('\n'),
      workspace: this.machine.workspace,
    };
  }

  /** The runner leaves out values that contain a secret. */
  #outputs(): Record<string, string> {
    const contexts = this.contexts(this.env);
    const values = Object.entries(this.order.definition.outputs).map(
      ([name, value]) => [name, evaluateText(value, contexts)] as const,
    );
    return Object.fromEntries(values.filter(([, value]) => ![...this.masks].some((mask) => value.includes(mask))));
  }
}

/** `id:`, else what the runner calls a step without one: `__run`, `__run_2`, `__self`, `__octo_gate`. */
function stepNames(steps: readonly StepDefinition[]): string[] {
  const counts = new Map<string, number>();
  return steps.map(({ id, uses }) => {
    if (id !== undefined) return id;
    const action = (uses ?? '').split('@')[0]!.replaceAll(/[^\w-]/g, '_');
    const name = uses === undefined ? '__run' : /^[.$]\//.test(uses) ? '__self' : `__${action}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}
