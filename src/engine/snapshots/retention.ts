import { GatelineError } from '../../errors/gateline-error.ts';
import { newestRun } from '../../run/state/fold.ts';
import { runDecisions } from '../../run/records/decisions.ts';
import {
  RUN_GATE,
  comparePositions,
  unitOf,
  type DecidedRecord,
  type GatelineRecord,
} from '../../run/records/record.ts';
import type { TreeId } from '../../workspace/workspace.ts';
import type { Call } from '../call/call.ts';
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
 * the one before it is over, so only the newest can be open.
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
  return over.slice(keep).filter((run) => {
    const made = records.filter(
      (one): one is DecidedRecord => one.kind === 'decided' && one.runNumber === run && one.gate === RUN_GATE,
    );
    return runDecisions(made).pinned === undefined;
  });
}

function isOver(status: string, isClosed: boolean): boolean {
  return status === 'completed' || status === 'rollback' || isClosed;
}

/** Removes the versions that only these runs have recorded. */
async function removeOldTrees(call: Call, runs: ReadonlySet<number>): Promise<void> {
  const { assignment, ports, journal } = call;
  if (runs.size === 0 || ports.everyRecord === undefined) return;
  const { pipeline, subject } = assignment;
  const isOld = (one: GatelineRecord): boolean =>
    one.pipeline === pipeline.id && one.subject === subject && runs.has(one.runNumber);
  const [old, ours] = [true, false].map((which) => treesOf(journal.records().filter((one) => isOld(one) === which)));
  await ports.workspace.prune(old!.difference(ours!), async () => {
    const { records, problems } = await ports.everyRecord!();
    // A record that cannot be read may name any version, and an agent may be reading one.
    const isUnread = problems.some(({ quarantine }) => quarantine === undefined);
    if (isUnread || agentsWork(records, ports.now().toISOString())) return undefined;
    return treesOf(records.filter((one) => !isOld(one))).add((await call.snapshot()).tree);
  });
}

/** The versions of the workspace that records name. */
function treesOf(records: readonly GatelineRecord[]): Set<TreeId> {
  const named = records.flatMap((one) => {
    if (one.kind === 'decided') return [];
    return one.kind === 'started' ? [one.base] : [one.base, one.snapshot?.from, one.snapshot?.tree];
  });
  return new Set(named.filter((tree) => tree !== undefined));
}

/** Whether an agent that runs by itself may be at work, for any pipeline and subject. @param now ISO 8601 */
function agentsWork(records: readonly GatelineRecord[], now: string): boolean {
  const keyOf = (one: GatelineRecord): string => JSON.stringify([one.pipeline, one.subject, unitOf(one)]);
  const ended = Map.groupBy(
    records.filter((one) => one.kind === 'ended'),
    keyOf,
  );
  return records.some(
    (one) =>
      one.kind === 'started' &&
      one.holder === 'open' &&
      (one.deadline ?? now) >= now &&
      !ended.get(keyOf(one))?.some((end) => comparePositions(end, one) === 0),
  );
}
