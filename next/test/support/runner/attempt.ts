import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../../src/json/json.ts';
import { isJsonObject } from '../../../src/json/json.ts';
import { expandMatrix } from '../../../src/pipeline/matrix.ts';
import type { Conclusion, WorkflowJob } from '../github/model.ts';
import { PRODUCT } from './action.ts';
import { runVariables, withoutPrefix, type RunContext } from './environment.ts';
import { evaluateCondition, evaluateText, evaluateValue, type Contexts } from './expressions.ts';
import { git } from './git.ts';
import { Job, type JobReport } from './job.ts';
import { ancestorsOf, parseWorkflow, type JobDefinition, type Workflow } from './workflow.ts';

/** A workflow file in its place: the run's own, or one that a job calls. */
interface Scope {
  readonly workflow: Workflow;
  readonly path: string;
  /** Before the names of its jobs: '' or `caller / `. */
  readonly prefix: string;
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

interface Leg {
  readonly name: string;
  readonly contexts: { readonly matrix: JsonObject; readonly strategy: JsonObject };
}

/** The jobs of one run attempt. */
export class Attempt {
  readonly context: RunContext;
  /** Names of the jobs in the order in which they began. */
  readonly started: string[] = [];
  readonly #earlier: readonly JobReport[];
  readonly #isAgain: (report: JobReport) => boolean;
  readonly #jobs = new Map<string, Job>();
  readonly #waiting = new Set<() => void>();
  readonly #queue: (() => void)[] = [];
  #free: number;
  #isCancelled = false;

  /** @param isAgain whether a job of the earlier attempt runs again by itself */
  constructor(context: RunContext, earlier: readonly JobReport[], isAgain: (report: JobReport) => boolean) {
    this.context = context;
    this.#earlier = earlier;
    this.#isAgain = isAgain;
    this.#free = context.options.parallel ?? 2;
  }

  async run(workflow: Workflow): Promise<readonly JobReport[]> {
    const { event, run, options } = this.context;
    const { secrets = {} } = options;
    const scope: Scope = {
      ...{ workflow, path: run.path, prefix: '', inputs: event.inputs, isForced: false, results: new Map() },
      ...{ secrets: event.isRestricted ? {} : secrets, permissions: undefined },
    };
    const results = await this.#runScope(scope);
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
    const ancestors = await Promise.all(ancestorsOf(scope.workflow.jobs, id).map((need) => this.#result(scope, need)));
    const hasNewNeed = ancestors.some(({ reports }) => reports.some((report) => this.#isNew(report)));
    const isForced = scope.isForced || hasNewNeed;
    const earlier = isForced ? [] : this.#earlier.filter((report) => isOfJob(report, scope, id));
    const kept = earlier.filter((report) => !this.#isAgain(report));
    if (kept.length > 0 && kept.length === earlier.length && (definition.uses === undefined || kept[0]!.id === id))
      return resultOf(kept, kept);
    const contexts = await this.#contexts(scope, definition);
    const answers = () => ({
      success: !this.#isCancelled && ancestors.every(({ conclusion }) => conclusion === 'success'),
      failure: ancestors.some(({ conclusion }) => conclusion === 'failure'),
      cancelled: this.#isCancelled,
    });
    const isDue = (): boolean => evaluateCondition(definition.if, answers(), contexts);
    const name = `${scope.prefix}${definition.name === undefined ? id : evaluateText(definition.name, contexts)}`;
    if (!isDue()) return resultOf([this.#unstarted(id, `${scope.prefix}${id}`, 'skipped')], []);
    const legs = legsOf(id, name, definition, contexts);
    if (definition.uses !== undefined) return this.#call(scope, definition, legs, contexts, isForced);
    const finished = [...kept];
    const reports = await this.#runLegs(legs, kept, finished, isDue, (leg) => {
      const { path, workflow, secrets } = scope;
      const permissions = definition.permissions ?? workflow.permissions ?? scope.permissions;
      const job = { id, name: leg.name, definition, workflow, path, permissions, secrets };
      return new Job(
        { context: this.context, ...job, contexts: { ...contexts, ...leg.contexts } },
        this.#record(leg.name),
      );
    });
    return resultOf(reports, finished);
  }

  async #runLegs(
    legs: readonly Leg[],
    kept: readonly JobReport[],
    finished: JobReport[],
    isDue: () => boolean,
    start: (leg: Leg) => Job,
  ): Promise<JobReport[]> {
    const running = new Set<Job>();
    let hasFailed = false;
    const run = async (leg: Leg): Promise<JobReport> => {
      const earlier = kept.find(({ name }) => name === leg.name);
      if (earlier !== undefined) return earlier;
      await this.#takePlace();
      try {
        if (hasFailed || !isDue()) return this.#unstarted(leg.name, leg.name, 'cancelled');
        const job = start(leg);
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
    return Promise.all(legs.map(run));
  }

  async #takePlace(): Promise<void> {
    while (this.#free === 0) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#free -= 1;
  }

  /** A job with `uses:`, once for each leg. */
  async #call(
    caller: Scope,
    definition: JobDefinition,
    legs: readonly Leg[],
    contexts: Contexts,
    isForced: boolean,
  ): Promise<JobResult> {
    const { path, text } = await this.#readWorkflow(definition.uses!);
    const workflow = parseWorkflow(text, path);
    const trigger = workflow.on['workflow_call'] ?? {};
    const calls = legs.map(async (leg): Promise<JobResult> => {
      const legContexts = { ...contexts, ...leg.contexts };
      const secretContexts = { ...legContexts, secrets: { ...caller.secrets } };
      const secrets =
        definition.secrets === 'inherit' ? caller.secrets : evaluateTexts(definition.secrets ?? {}, secretContexts);
      const inputs = typedInputs(trigger.inputs ?? {}, evaluateValue(definition.with, legContexts) as JsonObject, path);
      const permissions = definition.permissions ?? caller.workflow.permissions ?? caller.permissions;
      const prefix = `${leg.name} / `;
      const scope: Scope = { workflow, path, prefix, inputs, secrets, permissions, isForced, results: new Map() };
      const results = await this.#runScope(scope);
      const ids = Object.keys(workflow.jobs);
      const jobs = Object.fromEntries(ids.map((id, index) => [id, contextOf(results[index]!)]));
      const values = Object.entries(trigger.outputs ?? {}).map(([key, { value }]) => [key, value] as const);
      const outputs = evaluateTexts(Object.fromEntries(values), { ...contexts, inputs, jobs });
      return { reports: results.flatMap(({ reports }) => reports), conclusion: worst(results), outputs };
    });
    const results = await Promise.all(calls);
    return {
      reports: results.flatMap(({ reports }) => reports),
      conclusion: worst(results),
      outputs: mergeOutputs(results.map(({ outputs }) => outputs)),
    };
  }

  /** `./…` and `$/…` are of the run's repository, `gateline/gateline/…@ref` of the product's. */
  async #readWorkflow(uses: string): Promise<{ path: string; text: string }> {
    const { gitFolder, event } = this.context;
    const [name = ''] = uses.split('@');
    const path = name.replace(/^(?:[.$]|gateline\/gateline)\//, '');
    if (/^[.$]\//.test(name)) return { path, text: await git(gitFolder, 'show', `${event.sha}:${path}`) };
    if (name === path) throw new Error(`the runner has no workflow ${uses}`);
    const file = path.replace(/^\.github\//, '');
    return { path, text: await readFile(join(PRODUCT, 'next', file), 'utf8') };
  }

  async #contexts({ inputs, results }: Scope, { needs }: JobDefinition): Promise<Contexts> {
    const entries = await Promise.all(
      needs.map(async (need) => [need, contextOf((await results.get(need))!)] as const),
    );
    const github = { ...withoutPrefix(runVariables(this.context), 'GITHUB_'), event: this.context.event.payload };
    const { vars = {} } = this.context.options;
    return { github, needs: Object.fromEntries(entries), vars: { ...vars }, inputs, matrix: {}, strategy: {} };
  }

  #isNew(report: JobReport): boolean {
    return report.runAttempt === this.context.runAttempt;
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
  #unstarted(id: string, name: string, conclusion: 'skipped' | 'cancelled'): JobReport {
    const record = this.#record(name);
    Object.assign(record, { status: 'completed', conclusion, completedAt: record.startedAt });
    const { runAttempt } = this.context;
    return {
      id,
      name,
      runAttempt,
      conclusion,
      outputs: {},
      steps: [],
      summary: '',
      annotations: [],
      log: '',
      workspace: '',
    };
  }
}

/** A report of the job, of a leg of it, or of a job that it calls. */
function isOfJob(report: JobReport, { prefix }: Scope, id: string): boolean {
  if (!report.name.startsWith(prefix)) return false;
  const name = report.name.slice(prefix.length);
  return name.includes(' / ') ? name.startsWith(`${id} / `) || name.startsWith(`${id} (`) : report.id === id;
}

/** @param finished in the order in which they ended: a later output of a name replaces an earlier one unless it is empty */
function resultOf(reports: readonly JobReport[], finished: readonly JobReport[]): JobResult {
  return { reports, conclusion: worst(reports), outputs: mergeOutputs(finished.map(({ outputs }) => outputs)) };
}

function worst(results: readonly { readonly conclusion: Conclusion }[]): Conclusion {
  const conclusions = results.map(({ conclusion }) => conclusion);
  const order = ['failure', 'cancelled', 'success', 'skipped'] as const;
  return order.find((conclusion) => conclusions.includes(conclusion)) ?? 'success';
}

function mergeOutputs(outputs: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const [name, value] of outputs.flatMap((values) => Object.entries(values)))
    if (value !== '' || merged[name] === undefined) merged[name] = value;
  return merged;
}

function contextOf({ conclusion, outputs }: JobResult): JsonObject {
  return { result: conclusion, outputs: { ...outputs } };
}

function evaluateTexts(texts: Readonly<Record<string, string>>, contexts: Contexts): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, evaluateText(value, contexts)]));
}

/** Inputs by their declared types, with defaults. */
export function typedInputs(
  declared: NonNullable<NonNullable<Workflow['on'][string]>['inputs']>,
  values: JsonObject,
  path: string,
): JsonObject {
  for (const name of Object.keys(values))
    if (!Object.hasOwn(declared, name)) throw new Error(`${path} has no input ${name}`);
  const entries = Object.entries(declared).map(([name, { default: fallback, required, type }]): [string, JsonValue] => {
    const value = values[name] ?? fallback;
    if (value === undefined && required) throw new Error(`${path} needs the input ${name}`);
    if (type === 'boolean') return [name, String(value) === 'true'];
    return [name, type === 'number' ? Number(value ?? 0) : String(value ?? '')];
  });
  return Object.fromEntries(entries);
}

/** In GitHub's order; a job without a matrix is its only leg. */
function legsOf(id: string, name: string, { strategy, name: template = '' }: JobDefinition, contexts: Contexts): Leg[] {
  const matrix = evaluateValue(strategy?.matrix ?? {}, contexts);
  if (!isJsonObject(matrix)) throw new Error(`the matrix of job ${id} is not a map`);
  const { include = [], exclude = [], ...lists } = matrix as Record<string, JsonObject[]>;
  const sole: { legs: { matrix: JsonObject }[] } = { legs: [{ matrix: {} }] };
  const expanded = strategy?.matrix === undefined ? sole : expandMatrix({ lists, include, exclude });
  if ('problem' in expanded) throw new Error(`the matrix of job ${id}: ${expanded.problem}`);
  const failFast = String(evaluateValue(strategy?.['fail-fast'] ?? true, contexts)) === 'true';
  const total = expanded.legs.length;
  return expanded.legs.map(({ matrix: row }, index) => {
    const keys = Object.keys(lists).filter((key) =>
      lists[key]!.some((item) => JSON.stringify(item) === JSON.stringify(row[key])),
    );
    const values = (keys.length > 0 ? keys : Object.keys(row)).flatMap((key) => leaves(row[key]!));
    const own = template.includes('matrix') ? evaluateText(template, { ...contexts, matrix: row }) : name;
    const isNamed = template.includes('matrix') || values.length === 0;
    const numbers = { 'fail-fast': failFast, 'job-index': index, 'job-total': total, 'max-parallel': total };
    return { name: isNamed ? own : `${own} (${values.join(', ')})`, contexts: { matrix: row, strategy: numbers } };
  });
}

function leaves(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(leaves);
  return isJsonObject(value) ? Object.values(value).flatMap(leaves) : [String(value)];
}
