import { GatelineError } from '../../errors/gateline-error.ts';
import { RUN_GATE } from '../../run/records/record.ts';
import type { EarlierPut } from '../../workspace/workspace.ts';
import type { EnginePorts } from '../ports.ts';

/**
 * The last rollback that wrote into the folder, if it was interrupted: some files may be restored, and the run does not
 * know it. The record of the run is written last.
 * @param saved as for `rollback`: the lists of earlier calls are beside it
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function unfinishedRollback(
  { workspace, store }: Pick<EnginePorts, 'workspace' | 'store'>,
  saved: string,
): Promise<EarlierPut | undefined> {
  const last = (await workspace.earlierPuts(saved)).findLast(({ what }) => what === 'rollback');
  if (last === undefined) return undefined;
  const { records } = await store.list(last.pipeline, last.subject);
  const ofRun = records.filter(({ runNumber }) => runNumber === last.runNumber);
  const isRecorded = ofRun.some(
    (one) => one.kind === 'decided' && one.gate === RUN_GATE && one.at >= last.at && ENDS.has(one.decision),
  );
  // The records of the run may have been removed since: nothing is left to roll back.
  return isRecorded || ofRun.length === 0 ? undefined : last;
}

/** The decisions about the run that a rollback records last. */
const ENDS: ReadonlySet<string> = new Set(['rollback', 'pause']);

/** What is wrong, in a sentence. */
export function unfinishedText({ subject, runNumber }: EarlierPut): string {
  return `the rollback of run ${runNumber} of ${subject} was interrupted: your folder is partly rolled back`;
}

/**
 * Refuses what starts gates or writes files into a folder that is partly rolled back.
 * @throws GatelineError `ROLLBACK_UNFINISHED`, `STORE_READ_FAILED`
 */
export async function refuseUnfinished(ports: Pick<EnginePorts, 'workspace' | 'store'>, saved: string): Promise<void> {
  const last = await unfinishedRollback(ports, saved);
  if (last !== undefined) throw new GatelineError('ROLLBACK_UNFINISHED', unfinishedText(last));
}
