import { startResultsService, type ResultsService, type ServiceOptions } from '../../support/github/results-service.ts';
import { startJob, type RunningJob } from '../../support/runner/job.ts';
import { headOf } from '../../support/runner/repository.ts';
import type { JobOrder } from '../../support/runner/session.ts';
import { parseWorkflow } from '../../support/runner/workflow-file.ts';
import { workflowRun, type WorkflowRun, type WorkflowRunOptions } from '../../support/runner/workflow-run.ts';
import { ScratchWorkspace } from '../../support/scratch-workspace.ts';

/** Where the worlds below keep their workflow. */
export const WORKFLOW = '.github/workflows/gates.yml';

/** An action that writes down what it sees, into `$DUMP/<stage>.json`, and does what its inputs ask for. */
const SPY: Readonly<Record<string, string>> = {
  'spy/action.yml': `
name: spy
inputs:
  who: { default: nobody }
  Big Name: { default: '\${{ github.repository }}' }
  with-hyphen: { default: '\${{ job.status }}' }
  old: { deprecationMessage: use who }
  do: { default: '' }
runs:
  using: node24
  main: index.js
  post: index.js
`,
  'spy/index.js': `
const fs = require('node:fs');
const stage = process.env.STATE_isPost ? 'post' : 'main';
const append = (name, text) => fs.appendFileSync(process.env[name], text);
append('GITHUB_STATE', 'isPost=true\\n');
if (process.env.DUMP) {
  fs.writeFileSync(process.env.DUMP + '/' + process.env.INPUT_WHO + '.' + stage + '.json', JSON.stringify(process.env));
}
append('GITHUB_STEP_SUMMARY', process.env.INPUT_WHO + ' ' + stage + '\\n');
console.log(stage + ' of ' + process.env.INPUT_WHO);
eval(process.env.INPUT_DO);
`,
};

/** A repository with a workflow in it, and a service. */
export class RunnerWorld implements AsyncDisposable {
  readonly service: ResultsService;
  readonly repository: ScratchWorkspace;

  private constructor(service: ResultsService, repository: ScratchWorkspace) {
    this.service = service;
    this.repository = repository;
  }

  /** `workflow` is the text of the workflow file; the action `./spy` is there too. */
  static async create(
    workflow: string,
    options: ServiceOptions & { readonly files?: Readonly<Record<string, string>> } = {},
  ): Promise<RunnerWorld> {
    const { files, ...behaviour } = options;
    const repository = await ScratchWorkspace.create({ ...SPY, ...files, [WORKFLOW]: workflow });
    return new RunnerWorld(await startResultsService(behaviour), repository);
  }

  /** A run of the workflow as it is committed now. */
  async run(options: Partial<WorkflowRunOptions> = {}): Promise<WorkflowRun> {
    const { root } = this.repository;
    const commit = await headOf(root);
    return workflowRun({ service: this.service, run: 1, repository: root, commit, workflow: WORKFLOW, ...options });
  }

  /** Starts one job of the workflow, of run 1. */
  async start(id: string, options: Partial<JobOrder> = {}): Promise<RunningJob> {
    const { root } = this.repository;
    const { jobs, env, defaults } = parseWorkflow(await this.repository.read(WORKFLOW), WORKFLOW);
    const definition = jobs[id];
    if (definition === undefined) throw new Error(`there is no job ${id}`);
    const source = { repository: root, commit: await headOf(root) };
    const order = {
      service: this.service,
      options: { run: 1, job: id },
      definition,
      source,
      workflow: { env, defaults },
    };
    return startJob({ ...order, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.repository[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
  }
}
