import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { readRunnerEnvironment } from '../../../src/environment.ts';
import { createOctokit, Github as GithubClient } from '../../../src/github/octokit.ts';
import { digestOfJson, type Digest } from '../../../src/json/digest.ts';
import type { JsonValue } from '../../../src/json/json.ts';
import { Artifacts, type ArtifactsOptions } from '../../../src/store/github/artifacts.ts';
import type { AttemptDocument } from '../../../src/store/github/document.ts';
import type { Contract } from '../../../src/verdict/contract.ts';
import type { Verdict } from '../../../src/verdict/verdict.ts';
import { startGithub, type Github } from '../../support/github/github.ts';
import { ACTIONS_BOT, type Repository, type WorkflowRun } from '../../support/github/model.ts';
import { prepareMachine, type Machine } from '../../support/runner/environment.ts';

type Limits = Pick<ArtifactsOptions, 'tryMs' | 'waitMs'>;

/** A step of a job that works with the real clients, which read the variables of this process. */
export interface Step extends Machine {
  readonly artifacts: Artifacts;
  artifactsWithin(limits: Limits): Artifacts;
  readonly github: GithubClient;
  readonly runId: number;
  readonly runAttempt: number;
  /** What the step reported. */
  readonly lines: string[];
}

export interface StepOptions {
  /** Default: a new run of a push to main. */
  readonly runId?: number;
  readonly runAttempt?: number;
  readonly job?: string;
  /** What is special about a new run. */
  readonly run?: Partial<WorkflowRun>;
  /** Default: all. */
  readonly permissions?: Record<string, 'read' | 'write'>;
}

/** GitHub for the tests of a file: the REST client keeps the first address that it is told. */
export function useGithub() {
  let github: Github | undefined;
  let repository: Repository | undefined;
  let folder = '';
  beforeAll(async () => {
    github = await startGithub();
    repository = github.addRepository();
    folder = await mkdtemp(join(tmpdir(), 'gateline-store-'));
  });
  afterAll(async () => {
    await github?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  function runOf({ runId, run }: StepOptions): WorkflowRun {
    const earlier = repository!.runs.find(({ id }) => id === runId);
    if (earlier !== undefined) return earlier;
    const id = 1_000 + repository!.runs.length;
    const ofMain = { path: '.github/workflows/gates.yml', name: 'gates', event: 'push', headBranch: 'main' };
    const commit = { headSha: '1'.repeat(40), headRepository: repository!.name, displayTitle: 'a change' };
    const created = { id, number: id, actor: ACTIONS_BOT, pullRequests: [], createdAt: github!.now(), attempts: [] };
    repository!.runs.push({ ...ofMain, ...commit, ...created, ...run });
    return repository!.runs.at(-1)!;
  }

  return {
    get github() {
      return github!;
    },
    get repository() {
      return repository!;
    },
    plant: (runId: number, name: string, content: string | Uint8Array, digest?: Digest) =>
      github!.plantArtifact(repository!.name, runId, name, content, digest === undefined ? {} : { digest }),
    /** From here on this process is a step of that job. */
    async enter(options: StepOptions = {}, limits: Limits = {}): Promise<Step> {
      const run = runOf(options);
      const { runAttempt = 1, job = 'plan' } = options;
      const now = github!.now();
      const attempt = { status: 'in_progress', conclusion: null, startedAt: now, updatedAt: now } as const;
      while (run.attempts.length < runAttempt) run.attempts.push({ ...attempt, actor: ACTIONS_BOT, jobs: [] });
      const { event: name, headBranch, headSha: sha, pullRequests } = run;
      const isPull = name === 'pull_request';
      const ref = isPull ? `refs/pull/${pullRequests[0] ?? 1}/merge` : `refs/heads/${headBranch}`;
      const branches = isPull ? { headRef: headBranch, baseRef: 'main' } : { headRef: '', baseRef: '' };
      const event = { name, ref, sha, actor: ACTIONS_BOT, ...branches, payload: {}, inputs: {}, isRestricted: false };
      const place = { github: github!, repository: repository!, gitFolder: '', folder, options: {} };
      const context = { ...place, run, runAttempt, event };
      const machine = await prepareMachine(context, { id: job, name: job, permissions: options.permissions });
      Object.assign(process.env, machine.env);
      const { repository: owner, runId, temp } = readRunnerEnvironment(machine.env);
      const { token } = machine;
      const lines: string[] = [];
      const report = (line: string): void => void lines.push(line);
      const artifactsWithin = (limits: Limits): Artifacts => {
        let groups = 0;
        const group = () => {
          groups += 1;
          // The runner knows no groups in groups.
          if (groups > 1) throw new Error('a group is open already');
          return { [Symbol.dispose]: () => void (groups -= 1) };
        };
        return new Artifacts({ job: { repository: owner, runId, runAttempt }, token, temp, group, report, ...limits });
      };
      const client = new GithubClient(owner, () => createOctokit(token), report);
      return {
        ...machine,
        github: client,
        artifacts: artifactsWithin(limits),
        artifactsWithin,
        runId,
        runAttempt,
        lines,
      };
    },
  };
}

/** For documents without files. */
export const noBytes = async (): Promise<Uint8Array> => new Uint8Array();

interface Attempt extends Pick<AttemptDocument, 'files'> {
  readonly unit: string;
  readonly output: JsonValue;
  readonly fingerprint: Digest;
}

/** The document of an attempt that passed. */
export function documentOf(step: Pick<Step, 'env'>, attempt: Partial<Attempt> = {}): AttemptDocument {
  const { unit = 'plan', output = { ok: true }, fingerprint = digestOfJson('request'), files = [] } = attempt;
  const { repository, runId, runNumber, runAttempt, job: jobId, workflow, sha } = readRunnerEnvironment(step.env);
  const lists = { checks: [], exports: [''], redact: [] };
  const contract: Contract = { format: 'gateline-contract/1', threshold: 0, partial: 'block', ...lists };
  const verdict: Verdict = { status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' };
  const head = { v: 1, pipeline: 'ci', subject: 'main', run: runNumber, unit, n: 1, iteration: 1 } as const;
  const entry: AttemptDocument['entry'] = {
    ...{ ...head, kind: 'ended', how: 'ran', at: '2026-01-01T00:00:01.000Z', verdict, fingerprint },
    ...{ contract: digestOfJson({ ...contract }), files: {}, changes: [], undeclared: [], rework: false, ms: 1_000 },
    output: { digest: digestOfJson(output), bytes: JSON.stringify(output).length },
  };
  const spent = { costOfOutput: { ms: 1_000 }, costSoFar: { [unit]: { ms: 1_000 } } };
  const job = { repository, runId, runNumber, runAttempt, job: jobId, workflow, sha };
  const startedAt = '2026-01-01T00:00:00.000Z';
  return {
    format: 'gateline-attempt/1',
    job,
    startedAt,
    entry,
    failedTries: [],
    legs: [],
    contract,
    output,
    files,
    ...spent,
  };
}
