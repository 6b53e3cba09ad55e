import { GatelineError } from '../../errors/gateline-error.ts';
import { newestRun } from '../../run/state/fold.ts';
import { runDecisions } from '../../run/records/decisions.ts';
import { RUN_GATE, type DecidedRecord, type GatelineRecord } from '../../run/records/record.ts';
import { claimsAtWork } from '../../run/retention/retention.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { TreeId } from '../../workspace/workspace.ts';
import { namedGlobs, type Call } from '../call/call.ts';
import type { EnginePorts } from '../ports.ts';
import { databaseOf } from './database.ts';

/**
 * Removes the snapshots that old runs have left: of the database, and of files. What else the runs have recorded stays.
 * The caller holds the workspace's lock, and no agent of the call works any more.
 */
export async function removeOldSnapshots(call: Call): Promise<void> {
  const runs = pastRuns(call);
  const { pipeline, subject } = call.assignment;
  for (const runNumber of runs) await databaseOf(call)?.drop({ pipeline: pipeline.id, subject, runNumber });
  try {
    await removeOldTrees(call, new Set(runs));
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    // What the run did is recorded; the next call tries again.
    await call.observe({ type: 'notice', message: `old snapshots could not be removed: ${error.message}` });
  }
}

/**
 * The runs of the subject whose snapshots are not kept. Those of open and pinned runs are. A later run begins only when
 * the one before it is over, so only the newest can be open. A run that only reused outputs takes no place among those
 * that are kept: there is nothing in it to roll back.
 */
export function pastRuns({ assignment, journal }: Pick<Call, 'assignment' | 'journal'>): number[] {
  const { keep } = assignment.pipeline.snapshots;
  if (keep === undefined) return [];
  const records = journal.records();
  const newest = newestRun(records, []);
  const { status, decided } = journal.state();
  const isOpen = !isOver(status, decided.closed !== undefined);
  const over = [...new Set(records.map(({ runNumber }) => runNumber))]
    .filter((run) => run !== newest || !isOpen)
    .toSorted((a, b) => b - a);
  const worked = new Set(records.flatMap((one) => (one.kind === 'started' ? [one.runNumber] : [])));
  const kept = over.filter((run) => worked.has(run)).slice(0, keep);
  const oldest = kept.length < keep ? 0 : (kept.at(-1) ?? Infinity);
  return over.filter((run) => run < oldest && !isPinned(records, run));
}

function isPinned(records: readonly GatelineRecord[], run: number): boolean {
  const made = records.filter(
    (one): one is DecidedRecord => one.kind === 'decided' && one.runNumber === run && one.gate === RUN_GATE,
  );
  return runDecisions(made).pinned !== undefined;
}

function isOver(status: string, isClosed: boolean): boolean {
  return status === 'completed' || status === 'rollback' || isClosed;
}

/** Removes the versions that only these runs have recorded. */
async function removeOldTrees(call: Call, runs: ReadonlySet<number>): Promise<void> {
  const { assignment, ports, journal } = call;
  if (runs.size === 0) return;
  const { pipeline, subject } = assignment;
  const isOld = (one: GatelineRecord): boolean =>
    one.pipeline === pipeline.id && one.subject === subject && runs.has(one.runNumber);
  const [old, ours] = [true, false].map((which) => treesOf(journal.records().filter((one) => isOld(one) === which)));
  await removeVersions(ports, old!.difference(ours!), { isOld, current: async () => (await call.snapshot()).tree });
}

/**
 * Removes versions that only removed records named. The caller holds the workspace's lock.
 * @param removed records that are no longer in a store
 * @returns false if nothing can be removed now: an agent may be reading a version, or a record cannot be read
 */
export async function removeVersionsOf(
  ports: EnginePorts,
  pipeline: Pick<Pipeline, 'gates'>,
  removed: readonly GatelineRecord[],
): Promise<boolean> {
  const current = async (): Promise<TreeId> => (await ports.workspace.snapshot(namedGlobs(pipeline))).tree;
  return removeVersions(ports, treesOf(removed), { isOld: () => false, current });
}

/** @param kept.isOld records whose versions are not kept; `current`: the version of the folder as it is */
async function removeVersions(
  { everyRecord, workspace, now }: EnginePorts,
  versions: ReadonlySet<TreeId>,
  kept: { readonly isOld: (one: GatelineRecord) => boolean; readonly current: () => Promise<TreeId> },
): Promise<boolean> {
  if (everyRecord === undefined) return true;
  let mayRemove = true;
  await workspace.prune(versions, async () => {
    const { records, problems } = await everyRecord();
    // A record that cannot be read may name any version, and an agent may be reading one.
    const isUnread = problems.some(({ quarantine }) => quarantine === undefined);
    mayRemove = !isUnread && claimsAtWork(records, now().toISOString()).length === 0;
    if (!mayRemove) return undefined;
    return treesOf(records.filter((one) => !kept.isOld(one))).add(await kept.current());
  });
  return mayRemove;
}

/** The versions of the workspace that records name. */
function treesOf(records: readonly GatelineRecord[]): Set<TreeId> {
  const named = records.flatMap((one) => {
    if (one.kind === 'decided') return [];
    return one.kind === 'started' ? [one.base] : [one.base, one.snapshot?.from, one.snapshot?.tree];
  });
  return new Set(named.filter((tree) => tree !== undefined));
}
