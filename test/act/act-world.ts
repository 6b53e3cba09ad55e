import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { layAction } from '../support/action-files.ts';
import type { ActJob } from '../support/act/act-log.ts';
import { runAct, type ActOptions, type ActReport } from '../support/act/act-run.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { startResultsService, type ResultsService } from '../support/github/results-service.ts';
import { headOf } from '../support/runner/repository.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

/** Milliseconds that runs may take where much else is going on. act is ended before. */
export const LONG = 240_000;

/** Where the worlds below keep their workflow. */
const WORKFLOW = '.github/workflows/gates.yml';

/**
 * An action that knows nothing of gates, and a program. It notes its start, and says what its file says, after all that
 * the gates before it said. A second line of the file is its score.
 */
const SAYER: Readonly<Record<string, string>> = {
  'sayer/action.yml': `
name: sayer
inputs: { file: { required: true }, copy: {}, request-file: { required: true }, output-file: { required: true } }
runs: { using: node24, main: say.cjs }
`,
  'sayer/say.cjs': `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { env } = process;
const request = JSON.parse(readFileSync(env['INPUT_REQUEST-FILE'] || env.GATELINE_REQUEST, 'utf8'));
const unit = request.leg ? request.gate + '/' + request.leg : request.gate;
appendFileSync(env.START_LOG, [unit, request.attempt, process.pid].join(' ') + '\\n');
const needs = Object.values(request.needs).flatMap((need) => (need.legs ? Object.values(need.legs) : [need]));
const file = env.INPUT_FILE || process.argv[2];
const [text, score = '100'] = readFileSync(file, 'utf8').trimEnd().split('\\n');
const said = [...new Set([...needs.flatMap(({ output }) => output.said), text])];
writeFileSync(env['INPUT_OUTPUT-FILE'] || env.GATELINE_OUTPUT, JSON.stringify({ said, score: Number(score) }));
if (env.INPUT_COPY) {
  mkdirSync(dirname(env.INPUT_COPY), { recursive: true });
  writeFileSync(env.INPUT_COPY, said.join('\\n'));
}
`,
};

/** What a run of a world may be told. */
export type ActWorldOptions = Partial<Pick<ActOptions, 'attempt' | 'env' | 'actions'>>;

/** A repository whose workflow uses the action as it is built, and GitHub's services. */
export class ActWorld implements AsyncDisposable {
  readonly service: ResultsService;
  readonly repository: ScratchWorkspace;
  readonly #action: ScratchWorkspace;

  private constructor(service: ResultsService, repository: ScratchWorkspace, action: ScratchWorkspace) {
    this.service = service;
    this.repository = repository;
    this.#action = action;
  }

  /** Committed files by path, beside a workflow. */
  static async create(workflow: string, files: Readonly<Record<string, string>>): Promise<ActWorld> {
    const repository = await ScratchWorkspace.create({ ...files, [WORKFLOW]: workflow });
    const action = await ScratchWorkspace.create({ 'README.md': 'The action.\n' });
    await layAction(action.root);
    return new ActWorld(await startResultsService(), repository, action);
  }

  /** A workflow of `workflows/`; what each gate says of itself, by the name of its file in `steps/`. */
  static async ofWorkflow(name: string, steps: Readonly<Record<string, string>>): Promise<ActWorld> {
    const workflow = await readFile(join(import.meta.dirname, 'workflows', name), 'utf8');
    const files = Object.entries(steps).map(([gate, text]) => [`steps/${gate}.txt`, `${text}\n`]);
    return ActWorld.create(workflow, { ...SAYER, ...Object.fromEntries(files) });
  }

  /** Runs the workflow as it is committed now, to its end. An id that ran before needs another attempt. */
  run(run: number, { env, actions, ...options }: ActWorldOptions = {}): Promise<ActReport> {
    const { NODE_COMPILE_CACHE = '' } = plainEnvironment();
    return runAct({
      service: this.service,
      run,
      repository: this.repository.root,
      workflow: WORKFLOW,
      actions: { 'gateline/gateline@v1': this.#action.root, ...actions },
      env: { NODE_COMPILE_CACHE, START_LOG: this.repository.startLog, ...env },
      ...options,
    });
  }

  /** Gates and legs whose agents started since the last time it was asked, in order of the alphabet, once for each start. */
  async started(): Promise<string[]> {
    const started = await this.repository.startedGates();
    await this.repository.forgetStarts();
    return started;
  }

  /** Commits another text of what a gate says. */
  async say(gate: string, text: string): Promise<void> {
    await this.repository.write(`steps/${gate}.txt`, `${text}\n`);
    await this.repository.commitAll(`${gate}: ${text}`);
  }

  /** Takes down how everything stands. What it returns brings that back: commit, artifacts, caches, runs, and who sees them. */
  async remember(): Promise<() => Promise<void>> {
    const { world, behaviour } = this.service;
    const commit = await headOf(this.repository.root);
    const artifacts = [...world.artifacts];
    const caches = [...world.caches];
    const runs = structuredClone([...world.runs]);
    const before = { ...behaviour };
    return async () => {
      await this.repository.git('reset', '-q', '--hard', commit);
      await this.started();
      world.artifacts.splice(0, Infinity, ...artifacts);
      world.caches.splice(0, Infinity, ...caches);
      world.runs.clear();
      for (const [id, run] of structuredClone(runs)) world.runs.set(id, run);
      Object.assign(behaviour, before);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#action[Symbol.asyncDispose]();
    await this.repository[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
  }
}

/** What is left to tell a re-run of all jobs of the attempt before. */
export type Witness = 'artifacts' | 'cache';

/** Leaves one witness, and removes the others. */
export function leaveOnly(witness: Witness, service: ResultsService): void {
  service.behaviour.earlierAttempts = witness === 'artifacts' ? 'visible' : 'hidden';
  if (witness === 'artifacts' && service.evictCaches() === 0) throw new Error('there was no cache entry');
}

/** What the step `gate` of each job decided. */
export function decisions(report: ActReport, jobs: readonly string[]): string[] {
  return jobs.map((name) => outputsOf(report.job(name))['decision'] ?? '');
}

/** Outputs of a step, by its id. */
export function outputsOf(job: ActJob, step = 'gate'): Readonly<Record<string, string>> {
  const found = job.steps.find(({ id, stage }) => id === step && stage === 'main');
  if (found === undefined) throw new Error(`job ${job.name} has no step ${step}`);
  return found.outputs;
}

/** Titles and texts of the errors of a job. */
export function errorsOf({ annotations }: ActJob): string[] {
  return annotations
    .filter(({ level }) => level === 'error')
    .map(({ properties: { title }, message }) => (title === undefined ? message : `${title}: ${message}`));
}

/** Jobs that began, as `<name> <result>`, in alphabetical order. */
export function resultsOf(report: ActReport): string[] {
  return [...report.jobs.values()].map(({ name, result }) => `${name} ${result}`).toSorted();
}
