import { GatelineError } from '../../errors/gateline-error.ts';
import { firstNames } from '../../errors/first-names.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { ancestorsOf } from '../../run/records/unit.ts';
import type { Call } from '../call/call.ts';
import { databaseOf, runNamed } from './database.ts';
import { databaseBefore } from './restore-database.ts';
import { pastRuns } from './retention.ts';
import { inPlaceOf } from './wanted-files.ts';

/**
 * Adds to an error with the code `SNAPSHOT_GONE` why that may be, and what can be restored instead.
 * @param to what cannot be restored: a gate, or the state before the first one
 */
export async function withRestorable(call: Call, error: unknown, to: string | undefined): Promise<unknown> {
  if (!(error instanceof GatelineError) || error.code !== 'SNAPSHOT_GONE') return error;
  const { units } = call.journal.state();
  const done = [...units.values()].filter((unit) => unit.done && unit.key !== to).map(({ key }) => key);
  const found: string[] = [];
  for (const key of done) if (await canRestore(call, new Set([key, ...ancestorsOf(call.graph, key)]))) found.push(key);
  if (to !== undefined && (await canRestore(call, new Set()))) found.push('the state before the first gate (`--all`)');
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

/** Whether all that a rollback to these gates needs is still stored. */
async function canRestore(call: Call, kept: ReadonlySet<UnitKey>): Promise<boolean> {
  const { workspace } = call.ports;
  try {
    const database = databaseBefore(call, kept);
    if (database.what === 'restored' && !(await databaseOf(call)!.has(runNamed(call), database.content.digest)))
      return false;
    const trees = inPlaceOf(call, kept).flatMap(({ ended }) => ended?.snapshot ?? []);
    for (const { from, tree } of trees) await workspace.differences(from, tree);
    return true;
  } catch (error) {
    if (error instanceof GatelineError) return false;
    throw error;
  }
}
