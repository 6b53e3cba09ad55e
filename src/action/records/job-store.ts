import { documentKeeper, type DocumentKeeper } from './keep-document.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import type { ClaimToken } from '../../engine/attempt/claim-token.ts';
import type { CheckpointSource } from '../../engine/ports.ts';
import { CACHE_VARIABLES, GITHUB_VARIABLES } from '../../environment.ts';
import { systemClock } from '../../github/clock.ts';
import { OutageBudget } from '../../github/outage-budget.ts';
import type { Wait } from '../../github/patient-calls.ts';
import { durationText } from '../../report/wording.ts';
import { unitOf, type EndedRecord, type GatelineRecord } from '../../run/records/record.ts';
import { openFilesystemStore } from '../../store/filesystem/filesystem-store.ts';
import {
  createCheckpointCache,
  type CheckpointCache,
  type CheckpointCacheOptions,
} from '../../store/github/cache/checkpoint-cache.ts';
import { GithubStore, type GithubStoreOptions } from '../../store/github/records/github-store.ts';
import type { RecordStore, Written } from '../../store/record-store.ts';
import type { ActionInputs } from '../inputs/inputs.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { Runner } from '../runner.ts';
import { DEFAULT_OUTAGE_MINUTES, timeLimits, type TimeLimits, type WaitLimits } from '../inputs/time-limits.ts';
import { openGithubArtifacts } from '../../store/github/artifacts/github-artifacts.ts';
import { KeptClaims } from './kept-claims.ts';
import { earlierRun, type ApiRun } from './earlier-runs.ts';
import { allSources, namedOutputs, resumedSubjects } from './resumed-subjects.ts';
import { SAVE_CACHE } from './save-cache.ts';

/** The records of a job's run, and the other stores of checkpoints. */
export interface JobStore extends DocumentKeeper {
  /**
   * Artifacts of this run, and of the run that it resumes from. Claims and ends of attempts are also stored on the
   * runner.
   */
  readonly records: RecordStore;
  /** The run that this one resumes from. */
  readonly resumed: ApiRun | undefined;
  /** Other facts from the artifacts of this run, besides records. */
  readonly artifacts: Pick<GithubStore, 'artifactOf' | 'statuses' | 'listedStatuses' | 'hiddenBy'>;
  readonly claims: KeptClaims;
  readonly checkpoints: CheckpointSource;
  /** How long a listing may be behind the needed jobs' outputs. */
  readonly listingLimits: WaitLimits;
  /** Waits until new checkpoints are also in the cache, and reports problems with that. Never throws. */
  settled(): Promise<void>;
  /**
   * Puts records in the place of what the cache has for a fingerprint. The contents may be those of any listed record.
   * Never throws; problems are notices.
   */
  supersede: CheckpointCache['supersede'];
}

/** For a step that ends an attempt: no gate builds on its records, and it waits for GitHub. */
export interface ClaimEnding {
  readonly token: ClaimToken;
  /**
   * `unhurried`: as long as the budget lasts. `cancelled`: briefly, since people wait for the job to end. `once`: a
   * later step waits.
   */
  readonly waits: 'unhurried' | 'cancelled' | 'once';
}

/**
 * Opens the stores of a job. Unless a claim is ended, it sends the request for the first listing, and the first caller
 * that lists waits for it. If an earlier run is named, it asks GitHub whether the job may resume from it.
 * @throws GatelineError `ARTIFACTS_UNAVAILABLE`; for `resume` the errors of `checkEarlierRun`
 */
export async function openJobStore(
  invocation: Pick<ActionInvocation, 'world' | 'inputs' | 'event'>,
  ending?: ClaimEnding,
): Promise<JobStore> {
  const { world, event } = invocation;
  const { environment, runner } = world;
  const { common, folder, groups, limits } = await storeBasics(invocation, ending);
  const { spool, outage } = common;
  const [url, token] = [environment[CACHE_VARIABLES.resultsUrl], environment[CACHE_VARIABLES.runtimeToken]];
  const mine = {
    ...common,
    run: { id: event.runId, number: event.runNumber, attempt: event.runAttempt },
    ...(url !== undefined &&
      token !== undefined && { results: { url, token, ...(world.listed && { listed: world.listed }) } }),
    listsAtOnce: ending === undefined,
  };
  const resume = ending === undefined ? resumedRun(invocation) : undefined;
  const earlier = resume === undefined ? undefined : await earlierRun(invocation, resume, limits.ending);
  const resumed = earlier && openEarlier(common, earlier);
  const isNamedOnly = earlier?.use === 'named';
  const store = new GithubStore({
    ...mine,
    ...(resumed && { earlier: isNamedOnly ? hooked(resumed, NO_RECORDS) : resumed }),
  });
  const copyTo: RecordStore['copyTo'] = (digest, path, mode) => store.copyTo(digest, path, mode);
  const cache = cacheOfJob(invocation, {
    spool: { put: (content) => spool.put(content), copyTo },
    limits: limits.cache,
  });
  const claims = new KeptClaims(join(folder, 'claims'), outage);
  if (ending !== undefined) await claims.resume(ending.token);
  if (ending?.waits === 'unhurried' && invocation.inputs.command === 'complete') cache.prepare();
  const keeping: Promise<readonly string[]>[] = [];
  const write = (record: GatelineRecord): Promise<Written> => {
    if (record.kind === 'started' && invocation.inputs.command === 'run') cache.prepare();
    if (isWorthKeeping(record)) keeping.push(cache.keep(claims.claimOf(record), record));
    return claims.write(record, () => groups.within(record, () => store.write(record)));
  };
  const list: RecordStore['list'] = async (...about) => {
    const listing = await store.list(...about);
    claims.listed(listing.records);
    return listing;
  };
  const elsewhere = resumed && (isNamedOnly ? namedOutputs(resumed) : resumedSubjects(resumed));
  return {
    resumed: earlier,
    records: hooked(store, { write, list }),
    artifacts: store,
    claims,
    listingLimits: limits.listing,
    checkpoints: allSources([...(elsewhere === undefined ? [] : [elsewhere]), cacheAsSource(cache)]),
    settled: async () => {
      for (const notice of (await Promise.all(keeping)).flat()) runner.annotate('notice', notice);
      await cache.close();
    },
    supersede: (fingerprint, records) => cache.supersede(fingerprint, records),
    ...documentKeeper(() => openGithubArtifacts(mine)),
  };
}

/** Parts that all stores of this job share, whichever run they belong to. */
async function storeBasics(invocation: Pick<ActionInvocation, 'world' | 'inputs' | 'event'>, ending?: ClaimEnding) {
  const { world, inputs, event } = invocation;
  const { environment, runner } = world;
  const folder = join(event.temp, 'gateline');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const spool = await openFilesystemStore({ root: join(folder, 'spool'), workspace: folder });
  const limits = timeLimits(environment, runner);
  const outage = outageBudget(inputs, limits, ending);
  const groups = logGroups(runner);
  const common = {
    spool,
    outage,
    patience: ending === undefined ? ('seconds' as const) : ('minutes' as const),
    signal: world.signal,
    waiting: (wait: Wait): void => groups.outside(waitText(wait)),
    limits: limits.artifacts,
    temporaryFolder: event.temp,
    listingLimit: inputs.maxArtifacts,
    notice: (message: string): void => runner.annotate('notice', message),
    ...(inputs.retentionDays !== undefined && { retentionDays: inputs.retentionDays }),
    ...(inputs.githubToken !== undefined && {
      rest: { apiUrl: event.apiUrl, token: inputs.githubToken, repository: event.repository },
    }),
  };
  return { common, folder, groups, limits };
}

/** The records of another run, to look at. */
export async function openRunRecords(invocation: ActionInvocation, run: ApiRun): Promise<GithubStore> {
  const { common } = await storeBasics(invocation);
  return openEarlier(common, run);
}

/**
 * Id of the run that this one resumes from: the input brings its records, and so does the event of the run. Work that
 * was sent back continues from the run that the event names.
 */
function resumedRun({ inputs, event }: Pick<ActionInvocation, 'inputs' | 'event'>): string | undefined {
  const dispatched = event.dispatch?.resume;
  // A report needs it for decisions about its outputs, but none of the work that was sent back.
  if (inputs.command === 'report') return event.rework === undefined ? dispatched : undefined;
  return event.rework === undefined ? (inputs.resume ?? dispatched) : dispatched;
}

function openEarlier(common: Omit<GithubStoreOptions, 'run'>, { id, runNumber, runAttempt }: ApiRun): GithubStore {
  return new GithubStore({
    ...common,
    run: { id: String(id), number: runNumber, attempt: runAttempt },
    readOnly: true,
  });
}

function cacheOfJob(
  { world, inputs, event }: Pick<ActionInvocation, 'world' | 'inputs' | 'event'>,
  own: Pick<CheckpointCacheOptions, 'spool' | 'limits'>,
): CheckpointCache {
  const { environment, program } = world;
  return createCheckpointCache({
    ...own,
    enabled: inputs.cache === 'auto',
    mayWrite: event.trust.writesCache,
    temp: event.temp,
    runId: event.runId,
    runAttempt: event.runAttempt,
    resultsUrl: environment[CACHE_VARIABLES.resultsUrl],
    runtimeToken: environment[CACHE_VARIABLES.runtimeToken],
    cacheMode: environment[CACHE_VARIABLES.mode],
    serverUrl: environment[GITHUB_VARIABLES.serverUrl],
    saver: [execPath, program, SAVE_CACHE],
    environment,
  });
}

/** Of a run whose contents alone are used. */
const NO_RECORDS: Pick<RecordStore, 'list' | 'subjects'> = {
  list: async () => ({ records: [], problems: [] }),
  subjects: async () => [],
};

/** The same store with some methods replaced. */
function hooked(store: RecordStore, own: Partial<RecordStore>): RecordStore {
  return {
    write: (record) => store.write(record),
    list: (pipeline, subject, selection) => store.list(pipeline, subject, selection),
    subjects: (pipeline) => store.subjects(pipeline),
    put: (content) => store.put(content),
    putStream: (chunks) => store.putStream(chunks),
    get: (digest) => store.get(digest),
    check: (digest) => store.check(digest),
    copyTo: (digest, path, mode) => store.copyTo(digest, path, mode),
    ...own,
  };
}

/**
 * Whether to store an agent's result in the cache, for later runs, while its record is uploaded: neither waits for the
 * other. An entry whose record never arrives does no harm: any reader judges it like any other. A reused result is
 * already stored, and a failed one cannot be reused.
 */
function isWorthKeeping(record: GatelineRecord): record is EndedRecord {
  if (record.kind !== 'ended' || record.how !== 'ran') return false;
  return record.verdict.status === 'passed' || record.verdict.status === 'partial';
}

/** Records in the cache were written by jobs, and no decision is among them. */
function cacheAsSource(cache: CheckpointCache): CheckpointSource {
  return {
    find: async (unit, fingerprint) => {
      const { records, notices } = await cache.find(unit, fingerprint);
      const listings = records.length === 0 ? [] : [{ records, problems: [], unprovenDecisions: true as const }];
      return { listings, notices };
    },
  };
}

function outageBudget(
  { outageMinutes }: ActionInputs,
  { outage }: TimeLimits,
  ending: ClaimEnding | undefined,
): OutageBudget {
  const totalMs = outage.totalMs * (outageMinutes / DEFAULT_OUTAGE_MINUTES);
  const atMostMs = { unhurried: undefined, cancelled: outage.cancelledMs, once: 0 }[ending?.waits ?? 'unhurried'];
  return new OutageBudget({ clock: systemClock, totalMs, atMostMs });
}

interface LogGroups {
  /**
   * Writes a record in a log group: GitHub's client logs each step of an upload, which people only need after a
   * problem.
   */
  within(record: GatelineRecord, write: () => Promise<Written>): Promise<Written>;
  /** Prints a line outside groups: the open group ends before it. */
  outside(line: string): void;
}

function logGroups(runner: Runner): LogGroups {
  let open: Disposable | undefined;
  const close = (): void => {
    open?.[Symbol.dispose]();
    open = undefined;
  };
  return {
    within: async (record, write) => {
      open = runner.group(`Storing a record: gate ${unitOf(record)}, ${record.kind}`);
      try {
        return await write();
      } finally {
        close();
      }
    },
    outside: (line) => {
      close();
      runner.info(line);
    },
  };
}

function waitText({ message, pauseMs, spentMs, totalMs }: Wait): string {
  const spent = `${durationText(spentMs)} of at most ${durationText(totalMs)}`;
  return `Waiting for GitHub: ${message}. The next try is in ${durationText(pauseMs)}; waited so far: ${spent}.`;
}
