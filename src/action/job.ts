import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { readRunnerEnvironment, type Environment, type RunnerEnvironment } from '../environment.ts';
import { GatelineError, messageOf } from '../errors.ts';
import { DISPATCH_INPUTS } from '../pipeline/pipeline.ts';
import type { JobRef } from '../store/github/document.ts';
import { trustOf, type PullRequest, type Trust } from './trust.ts';

/** The job of a step: the variables of the runner, and facts from the event. */
export interface Job extends RunnerEnvironment {
  readonly pullRequest: PullRequest | undefined;
  readonly defaultBranch: string | undefined;
  readonly trust: Trust;
  /** Our inputs of a `workflow_dispatch` that have a value. */
  readonly dispatch: Readonly<Partial<Record<keyof typeof DISPATCH_INPUTS, string>>>;
  /** The workflow's own inputs of a `workflow_dispatch`: a dispatch that continues the run repeats them. */
  readonly ownInputs: Readonly<Record<string, string>>;
  /** The event, for what few steps need. */
  readonly event: z.infer<typeof eventSchema>;
}

const repository = z.object({ full_name: z.string() });
const pullRequestSchema = z
  .object({
    number: z.int(),
    head: z.object({ sha: z.string(), ref: z.string(), repo: repository.nullable() }),
    base: z.object({ sha: z.string(), ref: z.string() }),
  })
  .transform(({ number, head, base }): PullRequest => ({
    number,
    headRepository: head.repo?.full_name,
    headSha: head.sha,
    headBranch: head.ref,
    baseSha: base.sha,
    baseBranch: base.ref,
  }));
const eventSchema = z.object({
  repository: z.object({ default_branch: z.string().optional() }).optional(),
  pull_request: pullRequestSchema.optional(),
  inputs: z.record(z.string(), z.unknown()).nullish(),
  comment: z.object({ id: z.int(), body: z.string().nullish() }).optional(),
  issue: z.object({ number: z.int(), pull_request: z.unknown().optional() }).optional(),
  action: z.string().optional(),
  workflow_run: z
    .object({
      id: z.int(),
      run_number: z.int(),
      run_attempt: z.int(),
      path: z.string(),
      event: z.string(),
      head_sha: z.string(),
      head_branch: z.string().nullable(),
      head_repository: repository.nullable(),
      conclusion: z.string().nullable(),
      actor: z.object({ login: z.string() }).nullish(),
    })
    .optional(),
});

/** Runs of this actor have only the secrets of Dependabot, and a token that reads. */
export const DEPENDABOT = 'dependabot[bot]';

/** The author of a run without secrets, for messages; undefined: the run has them. */
export function authorWithoutSecrets({ trust, actor, eventName, pullRequest }: Job): string | undefined {
  if (trust.isOutside) return pullRequest ? 'a pull request from a fork' : `the event ${eventName}`;
  return actor === DEPENDABOT ? 'Dependabot' : undefined;
}

/**
 * Reads the job of this step. Steps with an agent do so first, because the agent can change the file of the event.
 * @throws GatelineError `platform` if this is no job of GitHub, or of a server whose artifacts no client can reach
 */
export async function readJob(environment: Environment): Promise<Job> {
  const runner = readRunnerEnvironment(environment);
  const { hostname } = new URL(runner.server);
  if (hostname !== 'github.com' && !/\.(?:ghe\.com|localhost)$/.test(hostname))
    throw new GatelineError('platform', `GitHub Enterprise Server (${hostname}) is not supported`, {
      hint: "GitHub's own artifact client refuses it. `gateline run` in a `run:` step works.",
    });
  const event = await readEvent(runner.eventPath);
  const pullRequest = event.pull_request;
  const defaultBranch = event.repository?.default_branch;
  const { eventName: name, repository, sha, ref } = runner;
  // Only of a dispatch: an agent of an earlier step could have written inputs into the file of another event.
  const inputs = Object.entries(name === 'workflow_dispatch' ? (event.inputs ?? {}) : {}).map(
    ([key, value]) => [key, String(value ?? '')] as const,
  );
  const isOurs = ([key]: readonly [string, string]) => Object.hasOwn(DISPATCH_INPUTS, key);
  // `false`: the workflow has a checkbox of that name.
  const dispatch = inputs.filter((input) => isOurs(input) && input[1] !== '' && input[1] !== 'false');
  return {
    ...runner,
    pullRequest,
    defaultBranch,
    trust: trustOf({ name, repository, sha, ref, defaultBranch, pullRequest }),
    dispatch: Object.fromEntries(dispatch),
    ownInputs: Object.fromEntries(inputs.filter((input) => !isOurs(input))),
    event,
  };
}

async function readEvent(path: string): Promise<Job['event']> {
  try {
    return eventSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new GatelineError('platform', `${path} is not the event of a run: ${messageOf(error)}`, { cause: error });
  }
}

/** The job as documents name it. */
export function toJobRef({ runId, runNumber, runAttempt, job, repository, workflow, sha }: Job): JobRef {
  return { runId, runNumber, runAttempt, job, repository, workflow, sha };
}
