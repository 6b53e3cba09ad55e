import { readFile, rm } from 'node:fs/promises';
import { parseDocument } from '../../src/store/github/records/artifact-document.ts';
import { parseArtifactName, recordArtifactName } from '../../src/store/github/records/artifact-names.ts';
import type { GatelineRecord } from '../../src/run/records/record.ts';
import { startActionHere } from './action-in-process.ts';
import { ACTION_FOLDER } from '../support/action-files.ts';
import { startResultsService, type ResultsService, type ServiceOptions } from '../support/github/results-service.ts';
import { startJob, type RunningJob } from '../support/runner/job.ts';
import { headOf } from '../support/runner/repository.ts';
import type { JobOrder, JobReport, StepReport } from '../support/runner/session.ts';
import { parseWorkflow } from '../support/runner/workflow-file.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { IS_FULL, TEST_SIZE } from '../support/test-size.ts';

/** What workflows call the action. */
export const ACTION = 'gateline/gateline@v1';
export const WORKFLOW = '.github/workflows/gates.yml';

/** The only run of a world. Ids of runs are not their numbers. */
export const RUN = 501;

/** A job that is to be run. */
export interface JobCall {
  /** Default 1. */
  readonly attempt?: number;
  /** Outputs of the jobs that it needs, by job. */
  readonly needs?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly machine?: Readonly<Record<string, string>>;
  readonly order?: Partial<JobOrder>;
}

/**
 * How programs of the action run: as processes, in this one, or in this one but for every eighth fork of a `full` run and
 * every fork of a soak.
 */
export type How = 'processes' | 'here' | 'mostly here';

/** What a test says of a world. */
interface GateJobsOptions extends ServiceOptions {
  /** Default: processes; of a fork: as where it was forked from. */
  readonly how?: How;
}

/** Forks of a world that run mostly here: each so many takes processes. */
const EACH = 8;

/** One run of a workflow whose jobs are started one by one, as the runner starts them, against services of its own. */
export class GateJobs implements AsyncDisposable {
  readonly service: ResultsService;
  readonly repository: ScratchWorkspace;
  /** Where agents write a line when they start: in `$START_LOG`. */
  readonly startLog: string;
  readonly #owned: boolean;
  readonly #how: How;
  #forks = 0;

  private constructor(
    service: ResultsService,
    repository: ScratchWorkspace,
    is: { readonly startLog: string; readonly owned: boolean; readonly how: How },
  ) {
    this.service = service;
    this.repository = repository;
    this.startLog = is.startLog;
    this.#owned = is.owned;
    this.#how = is.how;
  }

  /** Committed files by path, the workflow among them. */
  static async create(
    files: Readonly<Record<string, string>>,
    { how = 'processes', ...options }: GateJobsOptions = {},
  ): Promise<GateJobs> {
    const repository = await ScratchWorkspace.create(files);
    const { startLog } = repository;
    return new GateJobs(await startResultsService(options), repository, { startLog, owned: true, how });
  }

  /** The same repository with services that begin with all that is stored by now. */
  async fork(name: string, { how = this.#howOfFork(), ...options }: GateJobsOptions = {}): Promise<GateJobs> {
    const service = await startResultsService(options);
    const [from, to] = [this.service.world, service.world];
    to.artifacts.push(...structuredClone(from.artifacts));
    to.caches.push(...structuredClone(from.caches));
    for (const [key, blob] of from.blobs.blobs) to.blobs.blobs.set(key, blob);
    for (const [id, run] of from.runs) to.runs.set(id, structuredClone(run));
    for (const last = from.nextNumber(); to.nextNumber() < last;);
    const startLog = this.repository.beside(`${name}.starts`);
    return new GateJobs(service, this.repository, { startLog, owned: false, how });
  }

  #howOfFork(): How {
    if (this.#how !== 'mostly here') return this.#how;
    this.#forks += 1;
    return TEST_SIZE === 'soak' || (IS_FULL && this.#forks % EACH === 1) ? 'processes' : 'here';
  }

  async start(job: string, { attempt = 1, needs = {}, machine = {}, order = {} }: JobCall = {}): Promise<RunningJob> {
    const { root } = this.repository;
    const [text, commit] = await Promise.all([this.repository.read(WORKFLOW), headOf(root)]);
    const workflow = parseWorkflow(text, WORKFLOW);
    const results = Object.entries(needs).map(([name, outputs]) => [name, { result: 'success', outputs }]);
    return startJob({
      service: this.service,
      options: { run: RUN, job, attempt, about: { path: WORKFLOW, headSha: commit }, ...order.options },
      definition: workflow.jobs[job]!,
      workflow,
      source: { repository: root, commit, branch: 'main' },
      actions: { 'gateline/gateline': ACTION_FOLDER },
      contexts: { needs: Object.fromEntries(results) },
      machine: { START_LOG: this.startLog, ...machine },
      ...(this.#how === 'processes' ? {} : { startAction: startActionHere }),
      ...order,
    });
  }

  async run(job: string, call: JobCall = {}): Promise<JobReport> {
    return (await this.start(job, call)).ended;
  }

  /** Records that anybody can read, of all attempts. */
  records(): GatelineRecord[] {
    return this.service.world.artifacts.flatMap(({ name, finalized, blob }) => {
      if (!finalized || parseArtifactName(name)?.holds !== 'record') return [];
      const parsed = parseDocument(this.service.world.blobs.blobs.get(blob)!.content);
      return 'record' in parsed && isNamed(parsed.record, name) ? [parsed.record] : [];
    });
  }

  /** Lines that agents wrote when they started. */
  async starts(): Promise<string[]> {
    const text = await readFile(this.startLog, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    return text.split('\n').filter((line) => line !== '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    if (this.#owned) await this.repository[Symbol.asyncDispose]();
    else await rm(this.startLog, { force: true });
  }
}

function isNamed(record: GatelineRecord, name: string): boolean {
  return [1, 2, 3, 4].some((upload) => recordArtifactName(record, upload) === name);
}

/** A step of a job by its id. Throws where there is none. */
export function stepOf(report: JobReport, id: string, stage: StepReport['stage'] = 'main'): StepReport {
  const step = report.steps.find((one) => one.id === id && one.stage === stage);
  if (step === undefined)
    throw new Error(`there is no ${stage} of ${id}, but ${report.steps.map((one) => one.id).join(', ')}`);
  return step;
}

/** What a job told as annotations: `error Title: message`. */
export function messagesOf({ annotations }: Pick<JobReport, 'annotations'>): string[] {
  return annotations.map(({ level, message, properties }) => `${level} ${properties['title'] ?? ''}: ${message}`);
}
