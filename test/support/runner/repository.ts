import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/json/json.ts';
import type { Github } from '../github/github.ts';
import { ACTIONS_BOT, type Comment, type PullRequest, type Repository, type User } from '../github/model.ts';
import { addComment } from '../github/rest-issues.ts';
import type { RunnerOptions } from './environment.ts';
import { createEvent, createRun, refOf } from './event.ts';
import { commitFiles, git, mergeCommits, type Files } from './git.ts';
import { typedInputs } from './legs.ts';
import { startAttempt, type Run, type RunningRun } from './run.ts';
import { parseWorkflow, type Workflow } from './workflow.ts';

export type { Run, RunningRun };

export interface RepositoryOptions extends RunnerOptions {
  /** Default: `octo/gates`. */
  readonly name?: string;
  /** First commit of `main`. */
  readonly files: Files;
  /** Beside `octocat`, who may write. */
  readonly users?: readonly Partial<User>[];
}

export interface StartOptions extends RunnerOptions {
  /** Path of the workflow file; default: the only one with the event. */
  readonly workflow?: string;
  /** Default: the default branch. */
  readonly branch?: string;
  /** Are committed to the branch before. */
  readonly files?: Files;
  /** Login; default: `octocat`. */
  readonly actor?: string;
  /** Replaces keys of the event's payload. */
  readonly payload?: JsonObject;
  /** Of a dispatch. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** For the events of a pull request and of a comment. */
  readonly pull?: PullRequest;
  readonly comment?: Comment;
}

export interface PullOptions extends Omit<StartOptions, 'pull'> {
  readonly branch: string;
  /** Branch; default: the default branch. */
  readonly base?: string;
  /** `owner/name` of the fork that it comes from. */
  readonly fork?: string;
  readonly title?: string;
  /** Default: `pull_request`. */
  readonly event?: 'pull_request' | 'pull_request_target';
}

/** A repository with one commit on `main`; its jobs' folders stay until it is disposed of. */
export async function createRepository(github: Github, options: RepositoryOptions): Promise<TestRepository> {
  const folder = await mkdtemp(join(tmpdir(), 'gateline-repository-'));
  const repository = new TestRepository(github, folder, options);
  await git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', repository.gitFolder);
  for (const key of ['allowFilter', 'allowAnySHA1InWant'])
    await git(repository.gitFolder, 'config', `uploadpack.${key}`, 'true');
  await repository.commit(options.files);
  return repository;
}

export class TestRepository implements AsyncDisposable {
  readonly github: Github;
  /** What GitHub knows of it. */
  readonly data: Repository;
  readonly gitFolder: string;
  readonly #folder: string;
  readonly #options: RunnerOptions;
  /** The newest attempt of each run. */
  readonly #runs = new Map<number, Run>();

  constructor(github: Github, folder: string, { name, users, ...options }: RepositoryOptions) {
    this.github = github;
    this.data = github.addRepository(name, users);
    this.gitFolder = join(folder, 'repository.git');
    this.data.gitFolder = this.gitFolder;
    this.#folder = folder;
    this.#options = options;
  }

  /** Commits to a branch; a new one begins at the default branch. Returns the commit. */
  async commit(files: Files, branch = this.data.defaultBranch, message = 'Change files'): Promise<string> {
    const { branches, defaultBranch, workflows } = this.data;
    const parent = branches.get(branch) ?? branches.get(defaultBranch);
    const sha = await commitFiles(this.gitFolder, `refs/heads/${branch}`, parent, files, message);
    branches.set(branch, sha);
    for (const [path, text] of Object.entries(files)) {
      if (branch !== defaultBranch || text === null || !/^\.github\/workflows\/.+\.ya?ml$/.test(path)) continue;
      const { on } = parseWorkflow(text.toString(), path);
      workflows.set(path, 'workflow_dispatch' in on ? Object.keys(on['workflow_dispatch']?.inputs ?? {}) : undefined);
    }
    return sha;
  }

  async push(options: StartOptions = {}): Promise<Run> {
    return (await this.start('push', options)).completed;
  }

  /** Opens a pull request, or updates the one of the branch, and runs its workflow. */
  async pullRequest({ files, event = 'pull_request', ...options }: PullOptions): Promise<Run> {
    const pull = await this.openPull({ files, ...options });
    return (await this.start(event, { ...options, pull })).completed;
  }

  async dispatch(options: StartOptions = {}): Promise<Run> {
    return (await this.start('workflow_dispatch', options)).completed;
  }

  /** Commits to the branch of a pull request, which is opened if there is none. */
  async openPull({ branch, files = {}, fork, actor, ...options }: PullOptions): Promise<PullRequest> {
    const { pulls, branches, name, defaultBranch } = this.data;
    const { base = defaultBranch, title = branch } = options;
    const repository = fork ?? name;
    const open = pulls.filter(
      ({ head, state }) => head.ref === branch && head.repository === repository && state === 'open',
    );
    const known = open.at(-1);
    const number = known?.number ?? 1 + pulls.length;
    const baseSha = branches.get(base)!;
    // A fork's commits are objects of this repository, but of none of its branches.
    const [ref, parent] = [`refs/pull/${number}/head`, known?.head.sha ?? baseSha];
    const isOwn = fork === undefined;
    const sha = await (isOwn
      ? this.commit(files, branch)
      : commitFiles(this.gitFolder, ref, parent, files, 'Change files'));
    await git(this.gitFolder, 'update-ref', ref, sha);
    await mergeCommits(this.gitFolder, baseSha, sha, `refs/pull/${number}/merge`);
    const sides = { head: { ref: branch, sha, repository }, base: { ref: base, sha: baseSha } };
    if (known !== undefined) return Object.assign(known, sides);
    const pull: PullRequest = { number, state: 'open', title, author: this.user(actor), ...sides };
    pulls.push(pull);
    return pull;
  }

  /** Adds a comment of a person; default author: `octocat`. */
  comment(
    issue: number,
    body: string,
    fields: Partial<Omit<Comment, 'author'>> & { readonly author?: string } = {},
  ): Comment {
    return addComment(this.github, this.data, { ...fields, issue, body, author: this.user(fields.author) });
  }

  /** Carries out the re-runs and dispatches that REST was asked for, one after the other. */
  async runOrders(options: RunnerOptions = {}): Promise<Run[]> {
    const runs: Run[] = [];
    for (const order of this.data.orders.splice(0)) {
      const { actor } = order;
      const { branch, path: workflow, inputs } = order.kind === 'dispatch' ? order : {};
      const ofDispatch = { ...options, workflow, branch, inputs, actor: actor.login };
      const run =
        order.kind === 'dispatch'
          ? this.dispatch(ofDispatch)
          : this.#runs.get(order.runId)!.rerun(order.which, { ...options, actor });
      runs.push(await run);
    }
    return runs;
  }

  /** Starts a workflow by any event; events without `pull` are on `branch`. */
  async start(name: string, { pull, comment, ...options }: StartOptions = {}): Promise<RunningRun> {
    const { branch = this.data.defaultBranch, files, inputs = {}, payload } = options;
    const { github, data: repository, gitFolder } = this;
    const before = repository.branches.get(branch) ?? '0'.repeat(40);
    if (files !== undefined) await this.commit(files, branch);
    const actor = this.user(options.actor ?? comment?.author.login);
    const occasion = { name, branch, pull: name.startsWith('pull_request') ? pull : undefined, comment, actor };
    const sha = await git(gitFolder, 'rev-parse', refOf(occasion));
    const { path, workflow } = await this.#workflowOf(name, sha, options.workflow);
    const typed = name === 'workflow_dispatch' ? typedInputs(workflow.on[name]?.inputs ?? {}, inputs, path) : {};
    const event = createEvent(github, repository, occasion, { sha, before, inputs: typed, payload });
    const run = createRun(github, repository, occasion, { path, name: workflow.name ?? path, sha });
    const place = { github, repository, gitFolder, folder: this.#folder, options: { ...this.#options, ...options } };
    const onEnd = (end: Run): unknown => this.#runs.set(run.id, end);
    return startAttempt({ ...place, run, event, workflow, onEnd }, actor, []);
  }

  /** A user of the repository, or a bot. */
  user(login = 'octocat'): User {
    const bots: User[] = [ACTIONS_BOT, { login: 'dependabot[bot]', id: 49_699_333, type: 'Bot', permission: 'none' }];
    const user = this.data.users.get(login) ?? bots.find((bot) => bot.login === login);
    if (user === undefined) throw new Error(`there is no user ${login}`);
    return user;
  }

  async #workflowOf(
    event: string,
    sha: string,
    path: string | undefined,
  ): Promise<{ path: string; workflow: Workflow }> {
    const show = (file: string): Promise<string> => git(this.gitFolder, 'show', `${sha}:${file}`);
    const read = async (file: string) => ({ path: file, workflow: parseWorkflow(await show(file), file) });
    if (path !== undefined) return read(path);
    const list = await git(this.gitFolder, 'ls-tree', '--name-only', sha, '.github/workflows/');
    const all = await Promise.all(list.split('\n').filter(Boolean).map(read));
    const [only, second] = all.filter(({ workflow }) => event in workflow.on);
    if (only === undefined || second !== undefined)
      throw new Error(`${event} starts ${second ? 'several workflows' : 'none'}`);
    return only;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
