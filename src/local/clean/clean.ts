import { join } from 'node:path';
import { removeAttempts } from '../../agent/process/attempt-directory.ts';
import { rebuildHistory } from '../../engine/history/rebuild-history.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import { removeVersionsOf } from '../../engine/snapshots/retention.ts';
import { refuseUnfinished } from '../../engine/snapshots/unfinished-rollback.ts';
import { keptSubject, runKeyOf, type HistoryEntry } from '../../history/entry.ts';
import type { GatelineRecord } from '../../run/records/record.ts';
import { runKey } from '../../run/retention/needs.ts';
import type { KeptRun, OldRun, RetentionRules } from '../../run/retention/retention.ts';
import { contentsNamedBy } from '../../run/state/named-contents.ts';
import { atomicWrite } from '../../store/filesystem/atomic-write.ts';
import { openFilesystemStore, type FilesystemRecordStore } from '../../store/filesystem/filesystem-store.ts';
import type { CompressedContents } from '../../store/filesystem/contents/packed-content.ts';
import type { RemovedContents } from '../../store/filesystem/removed-runs.ts';
import { removePuts } from '../../workspace/folder/put-lists.ts';
import type { LoadedPipeline } from '../load-pipeline.ts';
import { putListsOf, stateRoot, type Durable } from '../local-ports.ts';
import { planClean, type CleanPlan } from './plan-clean.ts';

/** Name of the file that says when old runs were last removed. */
export const CLEANED_FILE = 'cleaned';

/** Contents that were stored within this time stay: a command may be about to record them. Milliseconds. */
const FRESH_MS = 10 * 60_000;

/** Contents that were not stored again for this long are compressed. Milliseconds. */
const COLD_MS = 7 * 24 * 60 * 60_000;

/** Options of {@link clean}. */
export interface CleanOptions extends Durable {
  readonly loaded: LoadedPipeline;
  /** Opened for writing. */
  readonly ports: EnginePorts;
  readonly rules: Omit<RetentionRules, 'contracts'>;
  /** Entries of the history of runs that ended before this time are removed, too. Default: none. */
  readonly historyBefore?: Date | undefined;
  /** Aborted when the time is over: what is left is removed the next time. */
  readonly signal?: AbortSignal;
}

/** The result of {@link clean}. */
export interface Cleaned {
  readonly removed: readonly OldRun[];
  readonly kept: readonly KeptRun[];
  readonly contents: RemovedContents;
  readonly compressed: CompressedContents;
  /** How many entries of the history were removed. */
  readonly entries: number;
  /** Why something that could be removed was not: a sentence each. */
  readonly notices: readonly string[];
}

/**
 * Removes old runs of a pipeline whole, then everything that only they needed: contents, versions of files, attempts,
 * snapshots of the database, copies of replaced files. Records go first, so that an interrupted call leaves things that
 * nobody names, and never a record whose contents are gone; the next call removes those. The caller holds the
 * workspace's lock. Contents that stay and are old are compressed.
 * @throws GatelineError `STORE_READ_FAILED`, `STORE_WRITE_FAILED`, `RECORD_TOO_NEW`, `GIT_FAILED`,
 *   `ROLLBACK_UNFINISHED`
 */
export async function clean(options: CleanOptions): Promise<Cleaned> {
  const { loaded, ports, rules, signal } = options;
  // Nothing would say any more that the folder is partly rolled back.
  await refuseUnfinished(ports);
  const store = await openStore(options);
  const now = ports.now();
  const plan = await planClean(store, ports, loaded.pipeline, rules, { now, signal });
  const notices: string[] = [];
  for (const { subject, runNumber, reason } of plan.keep.filter(({ why }) => why === 'processes'))
    notices.push(
      `run ${runNumber} of ${subject} stays: ${reason}. \`gateline entities reset NAME --reason TEXT\` ends what was left for an entity`,
    );
  const hasEntries = await haveEntries(options, plan);
  const removed = hasEntries ? await removeRuns(store, plan, signal) : [];
  if (!hasEntries) notices.push('old runs have no entry in the history: `gateline clean` makes it, and removes them');
  else if (removed.length < plan.remove.flat().length && !signal?.aborted)
    notices.push('old runs are left for the next time: one of them has a new record');
  const contents = await removeContents(store, plan, { removed, now, signal, notices });
  if (!signal?.aborted) await removeTraces(options, store);
  const compressed = await store.packContents(new Date(now.getTime() - COLD_MS), signal);
  const entries = signal?.aborted ? 0 : await forgetEntries(options, notices);
  if (!signal?.aborted) await noteTime(options, now);
  return { removed, kept: plan.keep, contents, compressed, entries, notices };
}

function openStore({ loaded, onDurable }: CleanOptions): Promise<FilesystemRecordStore> {
  return openFilesystemStore({ root: stateRoot(loaded), workspace: loaded.root, ...(onDurable && { onDurable }) });
}

/**
 * An entry of the history outlives its run: no run is removed without one. Where they are missing they are made, unless
 * the time is limited.
 */
async function haveEntries({ loaded, ports, signal }: CleanOptions, { remove }: CleanPlan): Promise<boolean> {
  const old = remove.flat();
  if (old.length === 0 || ports.history === undefined) return true;
  const known = new Set((await ports.history.all()).map(runKeyOf));
  const { id: pipeline } = loaded.pipeline;
  const lacks = ({ subject, runNumber }: OldRun): boolean =>
    !known.has(runKeyOf({ pipeline, subject: keptSubject(subject), run: runNumber }));
  if (!old.some(lacks)) return true;
  if (signal !== undefined) return false;
  await rebuildHistory(ports, loaded);
  return true;
}

async function removeRuns(
  { removedRuns }: FilesystemRecordStore,
  { remove }: CleanPlan,
  signal: AbortSignal | undefined,
): Promise<OldRun[]> {
  const removed: OldRun[] = [];
  for (const runs of remove) {
    if (signal?.aborted || !(await removedRuns.remove(runs.map(({ records }) => records)))) break;
    removed.push(...runs);
  }
  return removed;
}

async function removeContents(
  store: FilesystemRecordStore,
  { listing: { records, problems } }: CleanPlan,
  about: {
    readonly removed: readonly OldRun[];
    readonly now: Date;
    readonly signal: AbortSignal | undefined;
    readonly notices: string[];
  },
): Promise<RemovedContents> {
  const { removed, now, signal, notices } = about;
  if (problems.length > 0) {
    notices.push('no content is removed: records that cannot be read may name any. `gateline doctor` lists them');
    return { contents: 0, bytes: 0 };
  }
  const gone = new Set(removed.flatMap((run) => run.records));
  const named = new Set(records.flatMap((record) => (gone.has(record) ? [] : contentsNamedBy(record))));
  return store.removedRuns.removeContents(named, new Date(now.getTime() - FRESH_MS), signal);
}

/** Removes other files of removed runs, besides records and contents, including those of killed calls. */
async function removeTraces(
  { loaded, ports, signal, onDurable = () => undefined }: CleanOptions,
  { removedRuns, checkpoints }: FilesystemRecordStore,
): Promise<void> {
  const records = await removedRuns.records();
  if (records.length === 0) return removedRuns.forget();
  await checkpoints.index.remake();
  // What removed records name is known as long as they are there: the next call tries again.
  if (!(await removeVersionsOf(ports, loaded.pipeline, records)) || signal?.aborted) return;
  const keyOf = (run: Pick<GatelineRecord, 'pipeline' | 'subject' | 'runNumber'>): string =>
    `${run.pipeline} ${runKey(run)}`;
  const runs = new Map(records.map((record) => [keyOf(record), record]));
  for (const run of runs.values()) {
    await removeAttempts(ports.attempts.root, run);
    if (ports.commands !== undefined) await removeAttempts(ports.commands.root, run);
    await ports.database?.drop(run);
  }
  onDurable('attempts removed');
  await removePuts(putListsOf(loaded.root), (put) => runs.has(keyOf(put)));
  onDurable('copies removed');
  await removedRuns.forget();
}

/** Entries of runs that have records stay: `gateline history --rebuild` would make them again. */
async function forgetEntries(
  { ports: { history, everyRecord }, historyBefore }: CleanOptions,
  notices: string[],
): Promise<number> {
  if (historyBefore === undefined || history === undefined || everyRecord === undefined) return 0;
  const { records } = await everyRecord();
  const there = new Set(
    records.map(({ pipeline, subject, runNumber }) =>
      runKeyOf({ pipeline, subject: keptSubject(subject), run: runNumber }),
    ),
  );
  const isOld = (entry: HistoryEntry): boolean =>
    Date.parse(entry.ended) < historyBefore.getTime() && !there.has(runKeyOf(entry));
  const forgotten = await history.forget(isOld);
  if (forgotten === 0 && (await history.all()).some(isOld))
    notices.push('no entry of the history is removed: it has lines that cannot be read. See `gateline doctor`');
  return forgotten;
}

async function noteTime({ loaded, onDurable }: CleanOptions, now: Date): Promise<void> {
  const root = stateRoot(loaded);
  const path = join(root, CLEANED_FILE);
  await atomicWrite(path, `${now.toISOString()}\n`, { onDurable, temporaryFolder: join(root, 'tmp') });
}
