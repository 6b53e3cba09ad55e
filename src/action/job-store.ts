import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import type { CheckpointSource } from '../engine/ports.ts';
import { CACHE_VARIABLES, GITHUB_VARIABLES } from '../environment.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { unitOf } from '../run/record.ts';
import { openFilesystemStore } from '../store/filesystem/filesystem-store.ts';
import { createCheckpointCache } from '../store/github/cache/checkpoint-cache.ts';
import { openGithubStore, type GithubStore } from '../store/github/github-store.ts';
import { openTieredStore } from '../store/github/tiered-store.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { WaitLimits } from './awaited-records.ts';
import type { ActionInvocation } from './invocation.ts';
import type { Runner } from './runner.ts';
import { timeLimits } from './time-limits.ts';
import { openGithubArtifacts } from '../store/github/artifacts/github-artifacts.ts';
import type { ArtifactService } from '../store/github/artifact-service.ts';
import { keepCheckpoints } from './kept-checkpoints.ts';
import { pendingRecords, withWrite, type PendingRecords } from './pending-records.ts';
import { earlierRun } from './resume.ts';
import { SAVE_CACHE } from './save-cache.ts';

/** Where the records of a job's run are, and what else keeps checkpoints. */
export interface JobStore extends Pick<GithubStore, 'artifactOf' | 'statuses' | 'hiddenBy'> {
  /** Artifacts of this run, and of the one that it goes on from. Ends of attempts survive a failed upload. */
  readonly records: RecordStore;
  readonly pending: PendingRecords;
  readonly checkpoints: CheckpointSource;
  /** How long a listing may be behind what needed jobs told. */
  readonly waits: WaitLimits;
  /** Waits until what was made is kept in the cache too, and tells what went wrong with that. Never throws. */
  settled(): Promise<void>;
  /** Keeps a document as an artifact of its own. Answers why it could not be kept; a name that is taken is no trouble. */
  keepDocument(name: string, text: string): Promise<string | undefined>;
}

/**
 * Opens the stores of a job. Asks nobody, but where an earlier run is named: that it may be gone on from.
 * @throws GatelineError `ARTIFACTS_UNAVAILABLE`; for `resume` what `checkEarlierRun` throws
 */
export async function openJobStore(
  invocation: Pick<ActionInvocation, 'world' | 'inputs' | 'event'>,
): Promise<JobStore> {
  const { world, inputs, event } = invocation;
  const { environment, runner } = world;
  const folder = join(event.temp, 'gateline');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const spool = await openFilesystemStore({ root: join(folder, 'spool'), workspace: folder });
  const [url, token] = [environment[CACHE_VARIABLES.resultsUrl], environment[CACHE_VARIABLES.runtimeToken]];
  const limits = timeLimits(environment, runner);
  const common = {
    spool,
    limits: limits.artifacts,
    temporaryFolder: event.temp,
    listingLimit: inputs.maxArtifacts,
    notice: (message: string): void => runner.annotate('notice', message),
    ...(inputs.retentionDays !== undefined && { retentionDays: inputs.retentionDays }),
    ...(inputs.githubToken !== undefined && {
      rest: { url: event.apiUrl, token: inputs.githubToken, repository: event.repository },
    }),
  };
  const mine = {
    ...common,
    run: { id: event.runId, number: event.runNumber, attempt: event.runAttempt },
    ...(url !== undefined && token !== undefined && { results: { url, token } }),
  };
  const own = openGithubStore(mine);
  const earlier = inputs.resume === undefined ? undefined : await earlierRun(invocation, inputs.resume);
  const store =
    earlier === undefined ? own : openTieredStore(own, [openGithubStore({ ...common, run: earlier, readOnly: true })]);
  const cache = createCheckpointCache({
    enabled: inputs.cache === 'auto',
    mayWrite: event.trust.writesCache,
    spool,
    temp: event.temp,
    runId: event.runId,
    runAttempt: event.runAttempt,
    resultsUrl: url,
    runtimeToken: token,
    cacheMode: environment[CACHE_VARIABLES.mode],
    serverUrl: environment[GITHUB_VARIABLES.serverUrl],
    saver: [execPath, world.program, SAVE_CACHE],
    environment,
    limits: limits.cache,
  });
  const pending = pendingRecords(join(folder, 'pending'));
  const kept = keepCheckpoints(pending.guard(grouped(store, runner)), cache);
  return {
    records: kept.records,
    pending,
    artifactOf: (record) => store.artifactOf(record),
    statuses: (pipeline, subject) => store.statuses(pipeline, subject),
    hiddenBy: () => store.hiddenBy(),
    waits: limits.waits,
    checkpoints: { find: (unit, fingerprint) => cache.find(unit, fingerprint) },
    settled: async () => {
      for (const notice of await kept.settled()) runner.annotate('notice', notice);
    },
    keepDocument: (name, text) => keepDocument(openGithubArtifacts(mine), name, text),
  };
}

/** GitHub's client tells the log of each step of an upload: people open that when they need it. */
function grouped(store: RecordStore, runner: Runner): RecordStore {
  const write: RecordStore['write'] = async (record) => {
    using _group = runner.group(`Keeping a record: gate ${unitOf(record)}, ${record.kind}`);
    return await store.write(record);
  };
  return withWrite(store, write);
}

async function keepDocument(artifacts: ArtifactService, name: string, text: string): Promise<string | undefined> {
  try {
    const place = (path: string): Promise<void> => writeFile(path, text);
    await artifacts.upload({ name, form: 'raw', files: [{ name, place }], bytes: Buffer.byteLength(text) });
    return undefined;
  } catch (error) {
    if (error instanceof GatelineError && error.fault === 'platform') return error.message;
    throw error;
  }
}
