import { newestRun } from '../../run/state/fold.ts';
import { runDecisions } from '../../run/records/decisions.ts';
import { RUN_GATE, type DecidedRecord } from '../../run/records/record.ts';
import type { Call } from '../call/call.ts';
import { databaseOf } from './database.ts';

/**
 * Removes the snapshots of the database that old runs have left. Open and pinned runs keep theirs; what else the runs
 * have recorded stays. A later run begins only when the one before it is over, so only the newest can be open.
 */
export async function removeOldSnapshots(call: Call): Promise<void> {
  const { keep } = call.assignment.pipeline.snapshots;
  const database = databaseOf(call);
  if (keep === undefined || database === undefined) return;
  const { journal, assignment } = call;
  const records = journal.records();
  const newest = newestRun(records, []);
  const isOpen = !isOver(journal.state().status, journal.state().decided.closed !== undefined);
  const over = [...new Set(records.map(({ runNumber }) => runNumber))]
    .filter((run) => run !== newest || !isOpen)
    .toSorted((a, b) => b - a);
  for (const runNumber of over.slice(keep)) {
    const decided = records.filter(
      (one): one is DecidedRecord => one.kind === 'decided' && one.runNumber === runNumber && one.gate === RUN_GATE,
    );
    if (runDecisions(decided).pinned !== undefined) continue;
    await database.drop({ pipeline: assignment.pipeline.id, subject: assignment.subject, runNumber });
  }
}

function isOver(status: string, isClosed: boolean): boolean {
  return status === 'completed' || status === 'rollback' || isClosed;
}
