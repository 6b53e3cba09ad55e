import { ACTION_FOLDER } from '../support/action-files.ts';
import { listingWhatIsAwaited } from '../support/github/attempt-modes.ts';
import { startResultsService, type ResultsService, type ServiceOptions } from '../support/github/results-service.ts';
import { declareWorkflow, dispatchedRun } from '../support/runner/dispatched-runs.ts';
import { headOf } from '../support/runner/repository.ts';
import {
  workflowRun,
  type RunReport,
  type WorkflowRun,
  type WorkflowRunOptions,
} from '../support/runner/workflow-run.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { startingOurs } from '../action/workflows/action-world.ts';
import { packagesOf } from './page-packages.ts';
import { unprinted, type Block } from './page.ts';

/** What pages call the action. */
export const ACTION = 'gateline/gateline';

/** Ids of runs are not their numbers. */
const FIRST_RUN = 900;

/** What a page shows of a run: how it is started, by whom, and how it ends. */
const SHOWS =
  /^(?<what>new run|started run|re-run all jobs|re-run failed jobs)(?<of> of a pull request| of a fork's pull request| with resume)?: (?<end>success|failure)$/;

/** The coding agent that pages speak of: it reads the prompt, and does as it says. */
const CODING_AGENT: Readonly<Record<string, string>> = {
  'action.yml': 'name: agent\ninputs: { prompt: {} }\nruns: { using: node24, main: index.cjs }\n',
  'index.cjs': `const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
const [request, output] = process.env.INPUT_PROMPT.match(/\\/[^\\s]+\\.json/g);
const { gate } = JSON.parse(readFileSync(request, 'utf8'));
appendFileSync('notes.md', gate + '\\n');
writeFileSync(output, JSON.stringify({ summary: 'done', critical: 0 }));
`,
};

/** Somebody's repository on GitHub, in which a page's files are, and its workflows are run. */
export class PageRepository implements AsyncDisposable {
  readonly #service: ResultsService;
  readonly #repository: ScratchWorkspace;
  readonly #agent: ScratchWorkspace;
  #workflow: string | undefined;
  #run: WorkflowRun | undefined;
  #runs = 0;
  /** Runs that others started, and that a page has shown. */
  #started = 0;
  /** The last commit that was not only a pull request's. */
  #base: string | undefined;

  private constructor(service: ResultsService, repository: ScratchWorkspace, agent: ScratchWorkspace) {
    this.#service = service;
    this.#repository = repository;
    this.#agent = agent;
  }

  static async open(options: ServiceOptions = {}): Promise<PageRepository> {
    const repository = await ScratchWorkspace.create({ 'README.md': 'A project\n' });
    return new PageRepository(
      await startResultsService(options),
      repository,
      await ScratchWorkspace.create(CODING_AGENT),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent[Symbol.asyncDispose]();
    await this.#repository[Symbol.asyncDispose]();
    await this.#service[Symbol.asyncDispose]();
  }

  /** Whether a block is one that {@link follow} does something with beside writing a file. */
  static runs({ says }: Block): boolean {
    return SHOWS.test(says);
  }

  /** Does what a block says. Answers what is wrong: nothing, when the page tells the truth. */
  async follow({ says, text }: Block): Promise<string[]> {
    const [what, path = ''] = says.split(/: (.*)/s);
    if (what === 'file' || what === 'workflow') {
      await this.#repository.write(path, text);
      if (what === 'workflow') this.#workflow = path;
      return [];
    }
    if (what === 'packages')
      for (const [name, content] of Object.entries(packagesOf(text))) await this.#repository.write(name, content);
    const shows = SHOWS.exec(says)?.groups;
    if (shows === undefined) return [];
    const report = await this.start(shows['what']!, shows['of']);
    const told = this.#told(report);
    const end = report.conclusion === shows['end'] ? [] : [`ends with ${report.conclusion}:\n${told}`];
    return [...end, ...unprinted(text, told)];
  }

  /** Starts the page's workflow, or again, and waits for its end. */
  async start(what: string, of?: string): Promise<RunReport> {
    if (what === 're-run all jobs') return this.#run!.rerunAll().ended;
    if (what === 're-run failed jobs') return this.#run!.rerunFailed().ended;
    const { root } = this.#repository;
    if ((await this.#repository.git('status', '--porcelain')) !== '')
      await this.#repository.commitAll('as the page says');
    const commit = await headOf(root);
    if (of === undefined) this.#base = commit;
    this.#runs += 1;
    await declareWorkflow(this.#service, { repository: root, commit, workflow: this.#workflow! }, 'main');
    const { dispatches } = this.#service.world;
    const started = what === 'started run' ? dispatches[this.#started++] : undefined;
    if (what === 'started run' && started === undefined) throw new Error('no run was started');
    this.#run = workflowRun({
      service: this.#service,
      run: FIRST_RUN + this.#runs,
      repository: root,
      commit,
      workflow: this.#workflow!,
      onLine: listingWhatIsAwaited(this.#service),
      ...startingOurs(this.#service),
      actions: { [ACTION]: ACTION_FOLDER, 'your-org/coding-agent': this.#agent.root },
      ...eventOf(of, commit, this.#base ?? commit, FIRST_RUN + this.#runs - 1),
      ...(started && dispatchedRun(started, this.#service)),
    });
    return this.#run.start().ended;
  }

  /** What people see: log, annotations and summary of each job as the workflow lists them, then the comments. */
  #told({ jobs }: RunReport): string {
    const parts = [...jobs.values()].flatMap(({ log, annotations, summary }) => [
      ...log,
      ...annotations.map(({ properties: { title }, message }) => `${title}: ${message}`),
      summary,
    ]);
    return [...parts, ...this.#service.world.comments.map(({ body }) => body)].join('\n');
  }
}

/** What a push, a start by hand or a pull request is to a run. A fork's has no secrets. */
function eventOf(of: string | undefined, sha: string, base: string, last: number): Partial<WorkflowRunOptions> {
  const secrets = { API_KEY: 'a-key-for-the-agent' };
  const ours = { full_name: 'octo/gates', default_branch: 'main' };
  const payload = { repository: ours };
  if (of === undefined) return { secrets, payload };
  if (of.includes('resume'))
    return { secrets, payload, about: { event: 'workflow_dispatch' }, inputs: { resume: String(last) } };
  const isFork = of.includes('fork');
  const headRepository = isFork ? 'somebody/gates' : ours.full_name;
  const head = { sha, ref: 'feature', repo: { full_name: headRepository } };
  return {
    ...(isFork ? {} : { secrets }),
    about: { event: 'pull_request', pullRequests: [7], headBranch: 'feature', headRepository },
    payload: { ...payload, pull_request: { number: 7, head, base: { sha: base, ref: 'main', repo: ours } } },
  };
}
