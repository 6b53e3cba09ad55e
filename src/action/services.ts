import { resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { GatelineError } from '../errors.ts';
import { createOctokit, Github, statusOf } from '../github/octokit.ts';
import { Progress } from '../report/progress.ts';
import type { EngineEvent, UnitPlan } from '../run/events.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { Artifacts } from '../store/github/artifacts.ts';
import { createGit } from '../workspace/git.ts';
import type { DefinitionPlace } from './gate/definition.ts';
import type { Job } from './job.ts';
import type { Runner } from './runner.ts';

/** Services of a step: the runner, GitHub's clients, and its log. */
export interface Services {
  readonly environment: Environment;
  readonly runner: Runner;
  readonly artifacts: Artifacts;
  readonly github: Github;
  /** Starts to load the clients of artifacts and cache. Not during a request: loading blocks, and its time limit runs. */
  readonly loadClients: () => void;
  /** Prints events and the output of agents; keeps plans for the summary. */
  readonly observe: (event: EngineEvent) => void;
  readonly plans: ReadonlyMap<UnitKey, UnitPlan>;
}

export interface ServiceOptions {
  readonly job: Pick<Job, 'repository' | 'runId' | 'runAttempt' | 'temp'>;
  readonly token: string;
  readonly environment: Environment;
  readonly runner: Runner;
  /** Milliseconds in which calls of GitHub are tried again. */
  readonly waitMs: number;
}

const TRY_MS = 60_000;

export function createServices({ job, token, environment, runner, waitMs }: ServiceOptions): Services {
  const report = (line: string): void => runner.info(line);
  const progress = new Progress(true);
  const plans = new Map<UnitKey, UnitPlan>();
  return {
    environment,
    runner,
    plans,
    github: new Github(job.repository, () => createOctokit(token), report),
    loadClients: () => void Promise.allSettled([import('@actions/artifact'), import('@actions/cache')]),
    artifacts: new Artifacts({
      job,
      token,
      temp: job.temp,
      group: (title) => runner.group(title),
      report,
      waitMs,
      // Short enough that a call which never settles leaves time for another one.
      tryMs: Math.min(TRY_MS, Math.max(1_000, waitMs / 3)),
    }),
    observe: (event) => {
      if (event.type === 'planned') plans.set(event.plan.unit, event.plan);
      if (event.type === 'started') runner.startQuote();
      if (event.type === 'ended') runner.endQuote();
      const line = progress.apply(event);
      if (event.type === 'notice') runner.annotate('notice', [event.message, event.hint ?? ''].join('\n').trim());
      else if (line !== undefined) runner.info(line);
    },
  };
}

/** The place of the definition of a job. @param path of the checkout, relative to the workspace */
export function definitionPlace(job: Job, services: Services, path?: string): DefinitionPlace {
  return {
    checkout: resolve(job.workspace, path ?? '.'),
    git: createGit(trustCheckout(services.environment)),
    readRemote: (commit, name) => readRemoteFile(services, commit, name),
  };
}

/**
 * Lets git work in the checkout, which in a container belongs to another user. Every folder is trusted, because the
 * checkout may be above the folder that gates work in. https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory
 */
export function trustCheckout(environment: Environment): Environment {
  const count = Number(environment['GIT_CONFIG_COUNT']) || 0;
  return {
    ...environment,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'safe.directory',
    [`GIT_CONFIG_VALUE_${count}`]: '*',
  };
}

/** Reads a file of a commit over REST. */
async function readRemoteFile({ github }: Services, commit: string, path: string): Promise<Uint8Array | undefined> {
  const what = `The request for ${path} of ${commit.slice(0, 12)}`;
  const request = { path, ref: commit, mediaType: { format: 'raw' } };
  try {
    const response: unknown = await github.read(what, 'contents: read', ({ rest }, place) =>
      rest.repos.getContent({ ...place, ...request }),
    );
    // The client decodes text files; for a folder, the response is a list.
    if (typeof response === 'string') return Buffer.from(response);
    return response instanceof ArrayBuffer ? Buffer.from(response) : undefined;
  } catch (error) {
    if (error instanceof GatelineError && statusOf(error.cause) === 404) return undefined;
    throw error;
  }
}
