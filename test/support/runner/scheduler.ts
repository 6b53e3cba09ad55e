import type { JsonObject } from '../../../src/json/json.ts';
import { eventVariables } from '../github/job-environment.ts';
import type { Permissions } from '../github/model.ts';
import { addRun, beginJob } from '../github/workflow-runs.ts';
import type { AttemptOrder } from './attempt.ts';
import { evaluateCondition, type Contexts, type StatusAnswers } from './expressions.ts';
import { startJob, type RunningJob } from './job.ts';
import { jobLegs, type JobLeg } from './job-legs.ts';
import { places, type Places } from './places.ts';
import { withoutPrefix, type Conclusion, type JobOrder, type JobReport } from './session.ts';
import { ancestorsOf, type JobDefinition, type WorkflowDefinition } from './workflow-file.ts';
import type { RunReport } from './workflow-run.ts';

/** An attempt whose workflow was read. */
interface ScheduledAttempt {
  readonly order: AttemptOrder;
  readonly workflow: WorkflowDefinition;
  readonly earlier: RunReport | undefined;
  /** Changed from outside. */
  readonly state: { readonly isCancelled: boolean };
  readonly onBegin: (name: string, job: RunningJob) => void;
}

/** Runs the jobs of one attempt. */
export class Scheduler {
  /** Names of jobs and legs in the order in which they began. */
  readonly started: string[] = [];
  readonly #attempt: ScheduledAttempt;
  readonly #places: Places;
  readonly #jobs = new Map<string, Promise<JobReport[]>>();

  constructor(attempt: ScheduledAttempt) {
    this.#attempt = attempt;
    this.#places = places(attempt.order.options.parallel ?? 2);
  }

  async runAll(): Promise<JobReport[]> {
    const ids = Object.keys(this.#attempt.workflow.jobs);
    return (await Promise.all(ids.map((id) => this.#job(id)))).flat();
  }

  /** What all legs of a job came to. A job is begun once, whoever asks for it. */
  #job(id: string): Promise<JobReport[]> {
    const known = this.#jobs.get(id) ?? this.#run(id, this.#attempt.workflow.jobs[id]!);
    this.#jobs.set(id, known);
    return known;
  }

  async #run(id: string, definition: JobDefinition): Promise<JobReport[]> {
    await Promise.all(definition.needs.map((need) => this.#job(need)));
    const ancestors = await Promise.all(ancestorsOf(this.#attempt.workflow.jobs, id).map((one) => this.#job(one)));
    const kept = this.#keptOf(id, ancestors.flat());
    if (kept.isWhole) return kept.reports;
    const contexts = this.#contextsOf(await this.#needsOf(definition));
    const holds = () => {
      const answers = answersAfter(ancestors.flat(), this.#attempt.state.isCancelled);
      return evaluateCondition(definition.if, answers, contexts);
    };
    if (!holds()) return [this.#report(id, id, 'skipped')];
    const legs = jobLegs(id, definition, contexts).filter(({ name }) => !kept.reports.some((one) => one.name === name));
    return [
      ...kept.reports,
      ...(await this.#runLegs(legs, holds, (leg) => this.#orderOf(id, definition, leg, contexts))),
    ];
  }

  /** What of an earlier attempt still counts: nothing where anything that it needs has run again. */
  #keptOf(id: string, ancestors: readonly JobReport[]): { isWhole: boolean; reports: JobReport[] } {
    const { earlier, order } = this.#attempt;
    const before = [...(earlier?.jobs.values() ?? [])].filter((report) => report.id === id);
    if (before.length === 0 || ancestors.some(({ attempt }) => attempt === order.number)) {
      return { isWhole: false, reports: [] };
    }
    const reports = before.filter((report) => !order.isAgain(report));
    return { isWhole: reports.length === before.length, reports };
  }

  async #runLegs(legs: readonly JobLeg[], holds: () => boolean, orderOf: (leg: JobLeg) => JobOrder) {
    const running = new Set<RunningJob>();
    let hasFailed = false;
    const run = async (leg: JobLeg): Promise<JobReport> => {
      using _place = await this.#places.take();
      const order = orderOf(leg);
      if (hasFailed || !holds()) return this.#report(order.options.job, leg.name, 'cancelled');
      const job = startJob(order);
      running.add(job);
      this.started.push(leg.name);
      this.#attempt.onBegin(leg.name, job);
      const report = await job.ended;
      running.delete(job);
      if (report.conclusion !== 'success' && leg.strategy['fail-fast'] === true && !hasFailed) {
        hasFailed = true;
        await Promise.all([...running].map((other) => other.cancel()));
      }
      return report;
    };
    return Promise.all(legs.map(run));
  }

  #orderOf(id: string, definition: JobDefinition, leg: JobLeg, contexts: Contexts): JobOrder {
    const { order, workflow } = this.#attempt;
    const { options, number: attempt } = order;
    const { repository, commit, branch = 'main' } = options;
    const permissions = permissionsOf(definition.permissions ?? workflow.permissions);
    const { needs = {}, inputs = {}, vars = {} } = contexts;
    return {
      ...options,
      options: { ...options, attempt, job: id, name: leg.name, ...(permissions === undefined ? {} : { permissions }) },
      definition,
      workflow: { env: workflow.env, defaults: workflow.defaults },
      source: { repository, commit, branch },
      contexts: { needs, inputs, vars, matrix: leg.matrix, strategy: leg.strategy },
    };
  }

  /** The `needs` context. Legs share their job's outputs: the last one that has a value keeps it. */
  async #needsOf({ needs }: JobDefinition): Promise<JsonObject> {
    const entries = await Promise.all(
      needs.map(async (need) => {
        const reports = await this.#job(need);
        const filled = reports.flatMap(({ outputs }) => Object.entries(outputs)).filter(([, value]) => value !== '');
        return [need, { result: resultOf(reports), outputs: Object.fromEntries(filled) }] as const;
      }),
    );
    return Object.fromEntries(entries);
  }

  #contextsOf(needs: JsonObject): Contexts {
    const { options, number } = this.#attempt.order;
    const { inputs = {}, vars = {}, payload = {} } = options;
    const known = eventVariables(options.service.world, { ...options, attempt: number });
    const github = { ...withoutPrefix(known, 'GITHUB_'), event: payload as JsonObject };
    return { github, needs, vars: { ...vars }, inputs: { ...inputs } };
  }

  /** A job that never began; REST shows it all the same. */
  #report(id: string, name: string, conclusion: 'skipped' | 'cancelled'): JobReport {
    const { options, number: attempt } = this.#attempt.order;
    const { world } = options.service;
    const job = beginJob(world, addRun(world, { id: options.run }), name, attempt);
    Object.assign(job, { status: 'completed', conclusion, completedAt: world.now() });
    const nothing = { outputs: {}, steps: [], summary: '', annotations: [], log: [] };
    return { id, name, attempt, conclusion, lost: false, ...nothing };
  }
}

/** One result for all legs of a job. */
function resultOf(reports: readonly JobReport[]): Conclusion {
  const conclusions = reports.map(({ conclusion }) => conclusion);
  return (['failure', 'cancelled', 'skipped'] as const).find((one) => conclusions.includes(one)) ?? 'success';
}

/** What `success()` and `failure()` of a job go by: all that it needs, directly or not. */
function answersAfter(ancestors: readonly JobReport[], cancelled: boolean): StatusAnswers {
  const success = !cancelled && ancestors.every(({ conclusion }) => conclusion === 'success');
  return { success, failure: ancestors.some(({ conclusion }) => conclusion === 'failure'), cancelled };
}

/** What `permissions:` gives to a token, where it is written: what it does not name is not given. */
function permissionsOf(given: Readonly<Record<string, string>> | undefined): Permissions | undefined {
  if (given === undefined) return undefined;
  return Object.fromEntries(Object.entries(given).filter(([, level]) => level !== 'none'));
}
