import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/json/json.ts';
import type { Conclusion, WorkflowJob } from '../github/model.ts';
import { PRODUCT } from './action.ts';
import { runVariables, withoutPrefix, type RunContext } from './environment.ts';
import { evaluateCondition, evaluateText, evaluateTexts, evaluateValue } from './expressions.ts';
import type { Contexts, StatusAnswers } from './expressions.ts';
import { git } from './git.ts';
import { Job, type JobOrder, type JobReport } from './job.ts';
import { legsOf, typedInputs, type Leg } from './legs.ts';
import { ancestorsOf, parseWorkflow, type JobDefinition, type Workflow } from './workflow.ts';

/** A workflow file in its place: the run's own, or one that a job calls. */
interface Scope {
  readonly workflow: Workflow;
  readonly path: string;
  /** Before the names of its jobs, '' or `caller / `, and before their keys, '' or `caller/`. */
  readonly prefix: string;
  readonly key: string;
  readonly inputs: JsonObject;
  readonly secrets: Readonly<Record<string, string>>;
  readonly permissions: JobDefinition['permissions'];
  /** Every job runs, whatever became of it in the earlier attempt. */
  readonly isForced: boolean;
  /** By id: a job runs once. */
  readonly results: Map<string, Promise<JobResult>>;
}

/** All legs of a job, or all jobs of a called workflow. */
interface JobResult {
  readonly reports: readonly JobReport[];
  readonly conclusion: Conclusion;
  readonly outputs: Readonly<Record<string, string>>;
}

/** The jobs of one run attempt. */
export class Attempt {
  readonly context: RunContext;
  /** Names of the jobs in the order in which they began. */
  readonly started: string[] = [];
  readonly #earlier: readonly JobReport[];
  readonly #jobs = new Map<string, Job>();
  readonly #waiting = new Set<() => void>();
  readonly #queue: (() => void)[] = [];
  #free: number;
  #isCancelled = false;

  /** @param earlier jobs of the attempt before: those that have not failed are not run again */
  constructor(context: RunContext, earlier: readonly JobReport[]) {
    this.context = context;
    this.#earlier = earlier;
    this.#free = context.options.parallel ?? 2;
  }

  async run(workflow: Workflow): Promise<readonly JobReport[]> {
    const { event, run, options } = this.context;
    const secrets = event.isRestricted ? {} : (options.secrets ?? {});
    const place = { path: run.path, prefix: '', key: '', isForced: false, results: new Map() };
    const results = await this.#runScope({ workflow, ...place, secrets, inputs: event.inputs, permissions: undefined });
    return results.flatMap(({ reports }) => reports);
  }

  async cancel(): Promise<void> {
    this.#isCancelled = true;
    await Promise.all([...this.#jobs.values()].map((job) => job.cancel()));
  }

  /** A job by its name, as soon as it has begun. */
  job(name: string, ended: Promise<unknown>): Promise<Job> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const job = this.#jobs.get(name);
        if (job !== undefined) resolve(job);
      };
      this.#waiting.add(look);
      look();
      ended.then(() => reject(new Error(`no job ${name} began, but ${this.started.join(', ')}`)), reject);
    });
  }

  #runScope(scope: Scope): Promise<JobResult[]> {
    return Promise.all(Object.keys(scope.workflow.jobs).map((id) => this.#result(scope, id)));
  }

  #result(scope: Scope, id: string): Promise<JobResult> {
    const result = scope.results.get(id) ?? this.#runJob(scope, id, scope.workflow.jobs[id]!);
    scope.results.set(id, result);
    return result;
  }

  async #runJob(scope: Scope, id: string, definition: JobDefinition): Promise<JobResult> {
    const { path, workflow, secrets, prefix } = scope;
    const key = `${scope.key}${id}`;
    const ancestors = await Promise.all(ancestorsOf(workflow.jobs, id).map((need) => this.#result(scope, need)));
    const isNew = ({ runAttempt }: JobReport): boolean => runAttempt === this.context.runAttempt;
    const isForced = scope.isForced || ancestors.some(({ reports }) => reports.some(isNew));
    const earlier = this.#earlier.filter(
      (report) => !isForced && report.name.startsWith(prefix) && `${report.key}/`.startsWith(`${key}/`),
    );
    const kept = earlier.filter(({ conclusion }) => conclusion === 'success' || conclusion === 'skipped');
    const isOwn = definition.uses === undefined || earlier[0]?.key === key;
    if (kept.length > 0 && kept.length === earlier.length && isOwn) return resultOf(kept, kept);
    const contexts = await this.#contexts(scope, definition);
    const answers = (): StatusAnswers => ({
      success: !this.#isCancelled && ancestors.every(({ conclusion }) => conclusion === 'success'),
      failure: ancestors.some(({ conclusion }) => conclusion === 'failure'),
      cancelled: this.#isCancelled,
    });
    const isDue = (): boolean => evaluateCondition(definition.if, answers(), contexts);
    const { name: template = id } = definition;
    const name = `${prefix}${template.includes('matrix') ? id : evaluateText(template, contexts)}`;
    if (earlier.length === 0 && !isDue()) return resultOf([this.#unstarted(id, key, name, 'skipped')], []);
    const legs = legsOf(id, name, definition, contexts);
    if (definition.uses !== undefined) return this.#call(scope, key, definition, legs, contexts, isForced);
    const permissions = definition.permissions ?? workflow.permissions ?? scope.permissions;
    const job = { context: this.context, id, key, definition, workflow, path, permissions, secrets };
    return this.#runLegs(legs, kept, isDue, (leg) => ({
      ...job,
      name: leg.name,
      contexts: { ...contexts, ...leg.contexts },
    }));
  }

  async #runLegs(
    legs: readonly Leg[],
    kept: readonly JobReport[],
    isDue: () => boolean,
    orderOf: (leg: Leg) => JobOrder,
  ): Promise<JobResult> {
    const finished = [...kept];
    const running = new Set<Job>();
    let hasFailed = false;
    const run = async (leg: Leg): Promise<JobReport> => {
      const earlier = kept.find(({ name }) => name === leg.name);
      if (earlier !== undefined) return earlier;
      const order = orderOf(leg);
      await this.#takePlace();
      try {
        if (hasFailed || !isDue()) return this.#unstarted(order.id, order.key, leg.name, 'cancelled');
        const job = new Job(order, this.#record(leg.name));
        running.add(job);
        this.started.push(leg.name);
        this.#jobs.set(leg.name, job);
        for (const look of this.#waiting) look();
        const report = await job.ended;
        running.delete(job);
        finished.push(report);
        if (report.conclusion === 'failure' && leg.contexts.strategy['fail-fast'] === true) {
          hasFailed = true;
          await Promise.all([...running].map((other) => other.cancel()));
        }
        return report;
      } finally {
        this.#free += 1;
        this.#queue.shift()?.();
      }
    };
    return resultOf(await Promise.all(legs.map(run)), finished);
  }

  async #takePlace(): Promise<void> {
    while (this.#free === 0) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#free -= 1;
  }

  /** A job with `uses:`, once for each leg. */
  async #call(
    caller: Scope,
    key: string,
    definition: JobDefinition,
    legs: readonly Leg[],
    contexts: Contexts,
    isForced: boolean,
  ): Promise<JobResult> {
    const { path, text } = await this.#readWorkflow(definition.uses!);
    const workflow = parseWorkflow(text, path);
    const { inputs: declared, outputs: values } = workflow.on['workflow_call'] ?? {};
    const permissions = definition.permissions ?? caller.workflow.permissions ?? caller.permissions;
    const place = { workflow, path, key: `${key}/`, permissions, isForced };
    const calls = legs.map(async (leg): Promise<JobResult> => {
      const ofLeg = { ...contexts, ...leg.contexts };
      const { secrets: own = {} } = definition;
      const secrets = own === 'inherit' ? caller.secrets : evaluateTexts(own, { ...ofLeg, secrets: caller.secrets });
      const inputs = typedInputs(declared ?? {}, evaluateValue(definition.with, ofLeg) as JsonObject, path);
      const results = await this.#runScope({ ...place, prefix: `${leg.name} / `, secrets, inputs, results: new Map() });
      const jobs = Object.fromEntries(Object.keys(workflow.jobs).map((id, index) => [id, contextOf(results[index]!)]));
      const texts = Object.entries(values ?? {}).map(([name, { value }]) => [name, value]);
      const outputs = evaluateTexts(Object.fromEntries(texts) as Record<string, string>, { ...contexts, inputs, jobs });
      return { reports: results.flatMap(({ reports }) => reports), conclusion: worst(results), outputs };
    });
    const results = await Promise.all(calls);
    return { ...resultOf(results, results), reports: results.flatMap(({ reports }) => reports) };
  }

  /** `./…` and `$/…` are of the run's repository, `gateline/gateline/…@ref` of the product's. */
  async #readWorkflow(uses: string): Promise<{ path: string; text: string }> {
    const { gitFolder, event } = this.context;
    const [name = ''] = uses.split('@');
    const path = name.replace(/^(?:[.$]|gateline\/gateline)\//, '');
    if (/^[.$]\//.test(name)) return { path, text: await git(gitFolder, 'show', `${event.sha}:${path}`) };
    if (name === path) throw new Error(`the runner has no workflow ${uses}`);
    return { path, text: await readFile(join(PRODUCT, path), 'utf8') };
  }

  async #contexts({ inputs, results }: Scope, { needs }: JobDefinition): Promise<Contexts> {
    const ends = await Promise.all(needs.map(async (need) => [need, contextOf((await results.get(need))!)] as const));
    const github = { ...withoutPrefix(runVariables(this.context), 'GITHUB_'), event: this.context.event.payload };
    const vars = { ...this.context.options.vars };
    return { github, needs: Object.fromEntries(ends), vars, inputs };
  }

  #record(name: string): WorkflowJob {
    const { github, run, runAttempt } = this.context;
    const record: WorkflowJob = {
      ...{ id: 9_000_000_000 + github.nextNumber(), name, status: 'in_progress', conclusion: null },
      ...{ startedAt: github.now(), completedAt: null },
    };
    run.attempts[runAttempt - 1]!.jobs.push(record);
    return record;
  }

  /** A job that never began; REST shows it as well. */
  #unstarted(id: string, key: string, name: string, conclusion: 'skipped' | 'cancelled'): JobReport {
    const record = this.#record(name);
    Object.assign(record, { status: 'completed', conclusion, completedAt: record.startedAt });
    const nothing = { outputs: {}, steps: [], summary: '', annotations: [], log: '', workspace: '' };
    return { id, key, name, runAttempt: this.context.runAttempt, conclusion, ...nothing };
  }
}

/** Of `finished`, in the order of their ends, a later output replaces one of the same name unless it is empty. */
function resultOf<T extends Pick<JobReport, 'conclusion' | 'outputs'>>(reports: readonly T[], finished: readonly T[]) {
  const outputs: Record<string, string> = {};
  for (const [name, value] of finished.flatMap((report) => Object.entries(report.outputs)))
    if (value !== '' || outputs[name] === undefined) outputs[name] = value;
  return { reports, conclusion: worst(reports), outputs };
}

function worst(results: readonly { readonly conclusion: Conclusion }[]): Conclusion {
  const conclusions = results.map(({ conclusion }) => conclusion);
  const order = ['failure', 'cancelled', 'success', 'skipped'] as const;
  return order.find((conclusion) => conclusions.includes(conclusion)) ?? 'success';
}

function contextOf({ conclusion, outputs }: JobResult): JsonObject {
  return { result: conclusion, outputs: { ...outputs } };
}
