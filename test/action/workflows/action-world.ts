import { createHash } from 'node:crypto';
import { ARTIFACT_FORMAT } from '../../../src/store/github/records/artifact-document.ts';
import { recordSchema, unitOf, type EndedRecord, type GatelineRecord } from '../../../src/run/records/record.ts';
import { ACTION_FOLDER, ACTION_PROGRAMS } from '../../support/action-files.ts';
import { listingWhatIsAwaited } from '../../support/github/attempt-modes.ts';
import { startResultsService, type ResultsService, type ServiceOptions } from '../../support/github/results-service.ts';
import { declareWorkflow, dispatchedRun } from '../../support/runner/dispatched-runs.ts';
import { headOf } from '../../support/runner/repository.ts';
import type { JobReport } from '../../support/runner/session.ts';
import {
  workflowRun,
  type RunReport,
  type WorkflowRun,
  type WorkflowRunOptions,
} from '../../support/runner/workflow-run.ts';
import { startStepProcess } from '../../support/runner/step-process.ts';
import { ScratchWorkspace } from '../../support/scratch-workspace.ts';
import { startActionHere } from '../action-in-process.ts';
import { workflowOf, type Keys } from './workflow-text.ts';

/** Where the worlds below keep their workflow. */
export const WORKFLOW = '.github/workflows/gates.yml';

/** Ids of runs are not their numbers. */
const FIRST_RUN = 501;

const OURS: ReadonlySet<string | undefined> = new Set(Object.values(ACTION_PROGRAMS));

/** Steps of the action are in this process. Other actions are processes. */
const startOursHere: NonNullable<WorldRunOptions['startAction']> = (command) =>
  OURS.has(command.args[0]) ? startActionHere(command) : startStepProcess(command);

/** What a run of a world may be told. */
export type WorldRunOptions = Partial<WorkflowRunOptions>;

/** Steps of the action are in this process. What only a process can show asks for processes itself. */
export function startingOurs(): Pick<WorldRunOptions, 'startAction'> {
  return { startAction: startOursHere };
}

/** A repository whose workflow uses the action, and GitHub's services. Agents write their starts to the repository's start log. */
export class ActionWorld implements AsyncDisposable {
  readonly service: ResultsService;
  readonly repository: ScratchWorkspace;
  #runs = 0;
  #dispatched = 0;

  private constructor(service: ResultsService, repository: ScratchWorkspace) {
    this.service = service;
    this.repository = repository;
  }

  /** Committed files by path, the workflow among them. */
  static async create(files: Readonly<Record<string, string>>, options: ServiceOptions = {}): Promise<ActionWorld> {
    const repository = await ScratchWorkspace.create(files);
    const service = await startResultsService(options);
    service.world.git = repository.root;
    return new ActionWorld(service, repository);
  }

  /** A workflow of these jobs, and files beside it. */
  static ofJobs(
    jobs: Readonly<Record<string, Keys>>,
    files: Readonly<Record<string, string>> = {},
    options: ServiceOptions = {},
  ): Promise<ActionWorld> {
    return ActionWorld.create({ ...files, [WORKFLOW]: workflowOf(jobs) }, options);
  }

  /** A new run, with an id and a number of its own, of the workflow as it is committed now. */
  async run(options: WorldRunOptions = {}): Promise<WorkflowRun> {
    const { root, startLog } = this.repository;
    this.#runs += 1;
    const commit = options.commit ?? (await headOf(root));
    const { workflow = WORKFLOW, branch = options.about?.headBranch ?? 'main' } = options;
    await declareWorkflow(this.service, { repository: root, commit, workflow }, branch);
    return workflowRun({
      service: this.service,
      run: FIRST_RUN + this.#runs,
      repository: root,
      commit,
      workflow,
      onLine: listingWhatIsAwaited(this.service),
      ...startingOurs(),
      ...options,
      actions: { 'gateline/gateline': ACTION_FOLDER, ...options.actions },
      machine: { START_LOG: startLog, ...options.machine },
    });
  }

  /** The runs that were started over REST since the last time it was asked, in order. */
  async dispatched(options: WorldRunOptions = {}): Promise<WorkflowRun[]> {
    const { world } = this.service;
    const found = world.dispatches.slice(this.#dispatched);
    this.#dispatched = world.dispatches.length;
    const runs: WorkflowRun[] = [];
    for (const one of found) {
      const { headSha: commit } = world.runs.get(one.run)!;
      runs.push(await this.run({ commit, ...dispatchedRun(one, this.service), ...options }));
    }
    return runs;
  }

  /** Gates whose agents started since the last time it was asked, in alphabetical order, once for each start. */
  async startedGates(): Promise<string[]> {
    const started = await this.repository.startedGates();
    await this.repository.forgetStarts();
    return started;
  }

  /** Every record that is stored, of all runs. One that is not whole is an error. */
  records(): GatelineRecord[] {
    const names = this.service.world.artifacts.filter(({ name }) =>
      /\.(?:started|ended\..*|decided\..*)\.json$/.test(name),
    );
    return names.map(({ blob }) => {
      const content = this.service.world.blobs.blobs.get(blob)!.content.toString();
      const { format, record } = JSON.parse(content) as { format: string; record: unknown };
      if (format !== ARTIFACT_FORMAT) throw new Error(`${format} is not ${ARTIFACT_FORMAT}`);
      return recordSchema.parse(record);
    });
  }

  /** How attempts ended, in order: `<unit> <run number>.<run attempt>.<n> <ran or reused> <kind of the verdict>`. */
  endings(): string[] {
    const ended = this.records().filter((record): record is EndedRecord => record.kind === 'ended');
    return ended
      .map((one) => `${unitOf(one)} ${one.runNumber}.${one.runAttempt}.${one.n} ${one.how} ${one.verdict.kind}`)
      .toSorted();
  }

  /** Makes the end of a gate say another verdict, as somebody could who writes artifacts of the run: name and content agree. */
  forge(gate: string, verdict: EndedRecord['verdict']): void {
    const { artifacts, blobs } = this.service.world;
    const index = artifacts.findIndex(({ name }) => name.includes(`.${gate}.`) && name.includes('.ended.'));
    const old = artifacts[index]!;
    const document = JSON.parse(blobs.blobs.get(old.blob)!.content.toString()) as { record: EndedRecord };
    const { value } = document.record;
    Object.assign(document.record, { verdict, exports: value });
    const content = Buffer.from(JSON.stringify(document));
    const name = old.name
      .replace(/\.ended\.[a-z-]+\./, `.ended.${verdict.status}.`)
      .replace(/_\.json$/, `${value!.digest.slice(7, 19)}.json`);
    blobs.put(old.blob, content, old.mimeType, this.service.world.now());
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    artifacts[index] = { ...old, name, size: content.length, digest };
  }

  /** Removes the contents with a digest from all records of the service. */
  lose(lost: string): void {
    const { artifacts, blobs } = this.service.world;
    for (const [index, old] of artifacts.entries()) {
      const text = blobs.blobs.get(old.blob)!.content.toString();
      if (!old.name.endsWith('.json') || !text.includes(lost)) continue;
      const document = JSON.parse(text) as { contents: Record<string, string> };
      const contents = Object.fromEntries(Object.entries(document.contents).filter(([digest]) => digest !== lost));
      const content = Buffer.from(JSON.stringify({ ...document, contents }));
      blobs.put(old.blob, content, old.mimeType, this.service.world.now());
      const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
      artifacts[index] = { ...old, size: content.length, digest };
    }
  }

  /** Lets the ends of a gate hand on another file, likewise. */
  forgeFiles(gate: string): void {
    const { artifacts, blobs } = this.service.world;
    for (const stored of artifacts) {
      if (!stored.name.includes(`.${gate}.`) || !/\.ended\..*\.json$/.test(stored.name)) continue;
      const document = JSON.parse(blobs.blobs.get(stored.blob)!.content.toString()) as { record: EndedRecord };
      Object.assign(document.record.files[0]!, { path: 'forged.txt' });
      const content = Buffer.from(JSON.stringify(document));
      blobs.put(stored.blob, content, stored.mimeType, this.service.world.now());
      stored.size = content.length;
      stored.digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.repository[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
  }
}

/** Titles and texts of the errors of a job, as its annotations have them. */
export function errorsOf(job: JobReport): string[] {
  return messagesOf(job, 'error');
}

/** The same of warnings or notices. */
export function messagesOf({ annotations }: JobReport, level: 'error' | 'warning' | 'notice'): string[] {
  return annotations
    .filter((one) => one.level === level)
    .map(({ properties: { title }, message }) => (title === undefined ? message : `${title}: ${message}`));
}

/** Outputs of a step, by its id. */
export function outputsOf(job: JobReport, step = 'gate'): Readonly<Record<string, string>> {
  const report = job.steps.find(({ id, stage }) => id === step && stage === 'main');
  if (report === undefined) throw new Error(`job ${job.name} has no step ${step}`);
  return report.outputs;
}

/** Jobs of a run that are not green, with the end of their logs: none in a good run. */
export function redJobs({ jobs }: RunReport): string[] {
  const red = [...jobs.values()].filter(({ conclusion }) => conclusion !== 'success');
  return red.map(({ name, conclusion, log }) => [`${name}: ${conclusion}`, ...log.slice(-15)].join('\n'));
}
