import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/json/json.ts';
import type { Github } from '../github/github.ts';
import type { Comment, Conclusion, Order, PullRequest, Repository, User, WorkflowRun } from '../github/model.ts';
import { addComment, commentJson, pullJson, repositoryJson } from '../github/rest-issues.ts';
import { userJson } from '../github/rest-actions.ts';
import { Attempt, typedInputs } from './attempt.ts';
import { runVariables, withoutPrefix, type RunContext, type RunEvent, type RunnerOptions } from './environment.ts';
import { evaluateText } from './expressions.ts';
import { commitFiles, git, type Files } from './git.ts';
import type { Job, JobReport } from './job.ts';
import { parseWorkflow, type Workflow } from './workflow.ts';

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
}

export interface PullOptions extends StartOptions {
  readonly branch: string;
  /** Branch; default: the default branch. */
  readonly base?: string;
  /** `owner/name` of the fork that it comes from. */
  readonly fork?: string;
  readonly title?: string;
  /** Default: `pull_request`. */
  readonly event?: 'pull_request' | 'pull_request_target';
}

/** A run attempt that is under way. */
export interface RunningRun {
  readonly run: WorkflowRun;
  readonly completed: Promise<Run>;
  /** A job by its name, as soon as it has begun: `logged(pattern)`, `cancel()`, `lose()`. */
  job(name: string): Promise<Job>;
  /** As "Cancel workflow" does. */
  cancel(): Promise<void>;
}

/** A run attempt that has ended. */
export interface Run {
  readonly id: number;
  readonly runAttempt: number;
  readonly conclusion: Conclusion;
  /** Those of earlier attempts too where they still count. */
  readonly jobs: readonly JobReport[];
  /** Names of the jobs of this attempt in the order in which they began. */
  readonly started: readonly string[];
  /** By name or, if it is unique, by id. @throws Error if there is none */
  job(name: string): JobReport;
  /** "Re-run failed jobs" or "Re-run all jobs". */
  rerun(which: 'failed' | 'all', options?: RunnerOptions & { readonly actor?: string }): Promise<Run>;
  startRerun(which: 'failed' | 'all', options?: RunnerOptions & { readonly actor?: string }): Promise<RunningRun>;
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
  /** Of all runs, by id: the newest attempt. */
  readonly #runs = new Map<number, Run>();

  constructor(github: Github, folder: string, { name, users, ...options }: RepositoryOptions) {
    this.github = github;
    this.data = github.addRepository(name, users);
    this.#folder = folder;
    this.gitFolder = join(folder, 'repository.git');
    this.data.gitFolder = this.gitFolder;
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
  async pullRequest(options: PullOptions): Promise<Run> {
    const pull = await this.openPull(options);
    const { files: _, ...rest } = options;
    return (await this.start(options.event ?? 'pull_request', { ...rest, pull })).completed;
  }

  async dispatch(options: StartOptions & { readonly inputs?: Readonly<Record<string, string>> } = {}): Promise<Run> {
    return (await this.start('workflow_dispatch', options)).completed;
  }

  /** Commits to the branch of a pull request, which is opened if there is none. */
  async openPull({
    branch,
    base = this.data.defaultBranch,
    fork,
    files = {},
    title,
    actor,
  }: PullOptions): Promise<PullRequest> {
    const { pulls, branches, name } = this.data;
    const repository = fork ?? name;
    const isOpen = (other: PullRequest): boolean => other.head.ref === branch && other.head.repository === repository;
    const known = pulls.find((other) => isOpen(other) && other.state === 'open');
    const number = known?.number ?? 1 + pulls.length;
    const baseSha = branches.get(base)!;
    // A fork's commits are objects of this repository, but no branch of it.
    const headSha =
      fork === undefined
        ? await this.commit(files, branch)
        : await commitFiles(
            this.gitFolder,
            `refs/pull/${number}/head`,
            known?.head.sha ?? baseSha,
            files,
            'Change files',
          );
    const tree = await git(this.gitFolder, 'merge-tree', '--write-tree', baseSha, headSha);
    const merge = await git(
      this.gitFolder,
      'commit-tree',
      tree,
      '-p',
      baseSha,
      '-p',
      headSha,
      '-m',
      `Merge ${headSha} into ${baseSha}`,
    );
    await git(this.gitFolder, 'update-ref', `refs/pull/${number}/head`, headSha);
    await git(this.gitFolder, 'update-ref', `refs/pull/${number}/merge`, merge);
    const head = { ref: branch, sha: headSha, repository };
    if (known !== undefined) return Object.assign(known, { head, base: { ref: base, sha: baseSha } });
    const author = this.user(actor);
    const pull: PullRequest = {
      number,
      state: 'open',
      title: title ?? branch,
      author,
      head,
      base: { ref: base, sha: baseSha },
    };
    pulls.push(pull);
    return pull;
  }

  /** Adds a comment of a person; default author: `octocat`. */
  comment(
    issue: number,
    body: string,
    { author, ...fields }: Partial<Omit<Comment, 'author'>> & { readonly author?: string } = {},
  ): Comment {
    return addComment(this.github, this.data, { issue, body, author: this.user(author), ...fields });
  }

  /** Carries out the re-runs and dispatches that REST was asked for, one after the other. */
  async runOrders(options: RunnerOptions = {}): Promise<Run[]> {
    const runs: Run[] = [];
    for (const order of this.data.orders.splice(0)) runs.push(await (await this.#startOrder(order, options)).completed);
    return runs;
  }

  #startOrder(order: Order, options: RunnerOptions): Promise<RunningRun> {
    const actor = order.actor.login;
    if (order.kind === 'rerun') return this.#runs.get(order.runId)!.startRerun(order.which, { ...options, actor });
    const { branch, path: workflow, inputs } = order;
    return this.start('workflow_dispatch', { ...options, workflow, branch, inputs, actor });
  }

  /**
   * Starts a workflow by any event. Events of a pull request take `pull`, those of a comment `comment`; all others are
   * on `branch`.
   */
  async start(
    name: string,
    options: StartOptions & {
      readonly pull?: PullRequest;
      readonly comment?: Comment;
      readonly inputs?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<RunningRun> {
    const { branch = this.data.defaultBranch, files, pull, inputs = {} } = options;
    const before = this.data.branches.get(branch);
    if (files !== undefined) await this.commit(files, branch);
    const base = await this.#event(name, options, branch, before);
    const { path, workflow } = await this.#workflowOf(base, options.workflow);
    const isDispatch = name === 'workflow_dispatch';
    const declared = workflow.on[name]?.inputs ?? {};
    const event = isDispatch ? { ...base, inputs: typedInputs(declared, inputs, path) } : base;
    const isPull = pull !== undefined && name.startsWith('pull_request');
    const isFork = isPull && pull.head.repository !== this.data.name;
    const run: WorkflowRun = {
      id: 30_000_000_000 + this.github.nextNumber(),
      number: this.data.runs.filter((other) => other.path === path).length + 1,
      path,
      name: workflow.name ?? path,
      displayTitle: pull?.title ?? workflow.name ?? path,
      event: name,
      headBranch: isPull ? pull.head.ref : branch,
      headSha: isPull ? pull.head.sha : event.sha,
      headRepository: isPull ? pull.head.repository : this.data.name,
      actor: event.actor,
      pullRequests: isPull && !isFork ? [pull.number] : [],
      createdAt: this.github.now(),
      attempts: [],
    };
    this.data.runs.push(run);
    return this.#startAttempt(
      run,
      event,
      workflow,
      undefined,
      () => true,
      { ...this.#options, ...options },
      event.actor,
    );
  }

  user(login = 'octocat'): User {
    const bots = ['github-actions[bot]', 'dependabot[bot]'].includes(login);
    const user =
      this.data.users.get(login) ?? [...this.github.tokens.values()].find((token) => token.user.login === login)?.user;
    if (user === undefined && !bots) throw new Error(`there is no user ${login}`);
    return user ?? { login, id: 49_699_333, type: 'Bot', permission: 'none' };
  }

  async #event(
    name: string,
    { actor: login, payload, pull, comment, inputs }: Parameters<TestRepository['start']>[1] & {},
    branch: string,
    before: string | undefined,
  ): Promise<RunEvent> {
    const { data, github } = this;
    const actor = this.user(login ?? comment?.author.login);
    const isMerge = pull !== undefined && ['pull_request', 'pull_request_review'].includes(name);
    const target = isMerge
      ? `refs/pull/${pull.number}/merge`
      : `refs/heads/${name === 'pull_request_target' ? pull?.base.ref : branch}`;
    const sha = await git(this.gitFolder, 'rev-parse', target);
    const of: Record<string, object> = {
      push: { ref: target, before: before ?? '0'.repeat(40), after: sha },
      workflow_dispatch: { ref: target, inputs: inputs ?? {} },
    };
    const json = {
      ...of[name],
      ...(pull && { action: 'synchronize', number: pull.number, pull_request: pullJson(data, pull) }),
      ...(comment && {
        action: 'created',
        issue: {
          number: comment.issue,
          pull_request: data.pulls.some(({ number }) => number === comment.issue) ? {} : undefined,
        },
        comment: commentJson(github, data, comment),
      }),
      repository: repositoryJson(data),
      sender: userJson(actor),
      ...payload,
    };
    const isFork = isMerge && pull.head.repository !== data.name;
    const isRestricted = isFork || (isMerge && actor.login === 'dependabot[bot]');
    const refs = { ref: target, headRef: pull?.head.ref ?? '', baseRef: pull?.base.ref ?? '' };
    return {
      name,
      sha,
      actor,
      ...refs,
      payload: JSON.parse(JSON.stringify(json)) as JsonObject,
      inputs: {},
      isRestricted,
    };
  }

  async #workflowOf({ name, sha }: RunEvent, path: string | undefined): Promise<{ path: string; workflow: Workflow }> {
    const read = async (file: string) => ({
      path: file,
      workflow: parseWorkflow(await git(this.gitFolder, 'show', `${sha}:${file}`), file),
    });
    if (path !== undefined) return read(path);
    const list = await git(this.gitFolder, 'ls-tree', '--name-only', sha, '.github/workflows/');
    const all = await Promise.all(list.split('\n').filter(Boolean).map(read));
    const [only, second] = all.filter(({ workflow }) => name in workflow.on);
    if (only === undefined || second !== undefined)
      throw new Error(`which workflow? ${name} starts ${second ? 'several' : 'none'}`);
    return only;
  }

  #startAttempt(
    run: WorkflowRun,
    event: RunEvent,
    workflow: Workflow,
    earlier: Run | undefined,
    isAgain: (report: JobReport) => boolean,
    options: RunnerOptions,
    actor: User,
  ): RunningRun {
    const { github, gitFolder, data: repository } = this;
    const startedAt = github.now();
    const record = {
      status: 'in_progress' as const,
      conclusion: null,
      actor,
      startedAt,
      updatedAt: startedAt,
      jobs: [],
    };
    const runAttempt = run.attempts.push(record);
    const folder = join(this.#folder, `${run.id}-${runAttempt}`);
    const context: RunContext = { github, repository, gitFolder, folder, run, runAttempt, event, options };
    if (workflow['run-name'] !== undefined) {
      const contexts = {
        github: withoutPrefix(runVariables(context), 'GITHUB_'),
        inputs: event.inputs,
        vars: { ...options.vars },
      };
      run.displayTitle = evaluateText(workflow['run-name'], {
        ...contexts,
        github: { ...contexts.github, event: event.payload },
      });
    }
    const attempt = new Attempt(context, earlier?.jobs ?? [], isAgain);
    const complete = async (): Promise<Run> => {
      const jobs = await attempt.run(workflow);
      const conclusions = jobs.map(({ conclusion }) => conclusion);
      const conclusion = (['cancelled', 'failure'] as const).find((worst) => conclusions.includes(worst)) ?? 'success';
      Object.assign(record, { status: 'completed', conclusion, updatedAt: github.now() });
      const startRerun: Run['startRerun'] = async (which, { actor: login, ...changes } = {}) => {
        const again = ({ conclusion: end }: JobReport): boolean =>
          which === 'all' || end === 'failure' || end === 'cancelled';
        return this.#startAttempt(run, event, workflow, result, again, { ...options, ...changes }, this.user(login));
      };
      const result: Run = {
        ...{ id: run.id, runAttempt, conclusion, jobs, started: attempt.started, startRerun },
        job: (name) => jobNamed(jobs, name),
        rerun: async (...args) => (await startRerun(...args)).completed,
      };
      this.#runs.set(run.id, result);
      return result;
    };
    const completed = complete();
    completed.catch(() => undefined);
    return { run, completed, job: (name) => attempt.job(name, completed), cancel: () => attempt.cancel() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function jobNamed(jobs: readonly JobReport[], name: string): JobReport {
  const ofId = jobs.filter(({ id }) => id === name);
  const job = jobs.find((other) => other.name === name) ?? (ofId.length === 1 ? ofId[0] : undefined);
  if (job === undefined) throw new Error(`there is no job ${name}, but ${jobs.map((other) => other.name).join(', ')}`);
  return job;
}
