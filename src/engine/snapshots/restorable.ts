import { GatelineError } from '../../errors/gateline-error.ts';
import { firstNames } from '../../errors/first-names.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { ancestorsOf } from '../../run/records/unit.ts';
import type { EarlierPut } from '../../workspace/workspace.ts';
import type { Call } from '../call/call.ts';
import { databaseOf, runNamed } from './database.ts';
import { filesToPut } from './files-to-put.ts';
import { databaseBefore } from './restore-database.ts';
import { pastRuns } from './retention.ts';

/** How a rollback was asked for. */
interface RollbackAsked {
  readonly to?: string;
  /** As for `rollback`. */
  readonly saved: string;
  readonly force?: boolean;
  /** The interrupted rollback of the run. */
  readonly unfinished?: Pick<EarlierPut, 'database'>;
}

/**
 * Adds to an error with the code `SNAPSHOT_GONE` why that may be, and what can be restored instead.
 * @param how.to what cannot be restored: a gate, or the state before the first one
 */
export async function withRestorable(call: Call, error: unknown, how: RollbackAsked): Promise<unknown> {
  if (!(error instanceof GatelineError) || error.code !== 'SNAPSHOT_GONE') return error;
  const { to } = how;
  const { units } = call.journal.state();
  const done = [...units.values()].filter((unit) => unit.done && unit.key !== to).map(({ key }) => key);
  const found: string[] = [];
  for (const key of done)
    if (await canRestore(call, new Set([key, ...ancestorsOf(call.graph, key)]), how)) found.push(key);
  if (to !== undefined && (await canRestore(call, new Set(), how)))
    found.push('the state before the first gate (`--all`)');
  const hint =
    found.length === 0 ? 'No state of this run can be restored.' : `Can be restored: ${firstNames(found, 20)}.`;
  return new GatelineError('SNAPSHOT_GONE', error.message + whyRemoved(call), { hint, cause: error });
}

/** Why snapshots of the call's run are not kept, as the end of a sentence; '' if no setting says so. */
export function whyRemoved(call: Call): string {
  const { runNumber } = call.journal.state();
  if (!pastRuns(call).includes(runNumber)) return '';
  const { keep } = call.assignment.pipeline.snapshots;
  return `; \`snapshots: {keep: ${keep}}\` removed the snapshots of run ${runNumber}`;
}

/** Whether all that a rollback to these gates needs is still stored, and as it was. */
async function canRestore(call: Call, kept: ReadonlySet<UnitKey>, how: RollbackAsked): Promise<boolean> {
  try {
    const database = databaseBefore(call, kept, how);
    if (database.what === 'restored' && !(await databaseOf(call)!.has(runNamed(call), database.content))) return false;
    await filesToPut(call, kept, { ...how, force: true });
    return true;
  } catch (error) {
    if (error instanceof GatelineError) return false;
    throw error;
  }
}
