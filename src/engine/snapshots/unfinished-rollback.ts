import { GatelineError } from '../../errors/gateline-error.ts';
import { RUN_GATE } from '../../run/records/record.ts';
import type { EarlierPut } from '../../workspace/workspace.ts';
import type { EnginePorts } from '../ports.ts';
import { rollbackCommand } from './folder-runs.ts';

/** What shows whether a rollback was interrupted. */
type Ports = Pick<EnginePorts, 'workspace' | 'store' | 'putLists'>;

/**
 * The last rollback that wrote into the folder, if it was interrupted: some files may be restored, and the run does not
 * know it. The list of the files is written first, the record of the run last.
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function unfinishedRollback({ workspace, store, putLists }: Ports): Promise<EarlierPut | undefined> {
  if (putLists === undefined) return undefined;
  const last = (await workspace.earlierPuts(putLists)).findLast(({ what }) => what === 'rollback');
  if (last === undefined) return undefined;
  const { records } = await store.list(last.pipeline, last.subject);
  const ofRun = records.filter(({ runNumber }) => runNumber === last.runNumber);
  const isRecorded = ofRun.some(
    (one) => one.kind === 'decided' && one.gate === RUN_GATE && one.at >= last.at && ENDS.has(one.decision),
  );
  // The records of the run may have been removed since: nothing is left to roll back.
  return isRecorded || ofRun.length === 0 ? undefined : last;
}

/** The decisions about the run that a rollback records last. While it is unfinished, nobody else can record them. */
const ENDS: ReadonlySet<string> = new Set(['rollback', 'pause']);

/** What is wrong, in a sentence. */
export function unfinishedText({ subject, runNumber }: EarlierPut): string {
  return `the rollback of run ${runNumber} of ${subject} was interrupted: your folder is partly rolled back`;
}

/** What completes it, in a sentence. */
export function howToFinish({ subject, runNumber, to }: EarlierPut): string {
  const command = rollbackCommand({ subject, runNumber, ...(to !== undefined && { to }) });
  return `\`${command}\` completes it.`;
}

/**
 * Refuses what starts gates, writes files or decides about a run while the folder is partly rolled back.
 * @throws GatelineError `ROLLBACK_UNFINISHED`, `STORE_READ_FAILED`
 */
export async function refuseUnfinished(ports: Ports): Promise<void> {
  const last = await unfinishedRollback(ports);
  if (last === undefined) return;
  throw new GatelineError('ROLLBACK_UNFINISHED', unfinishedText(last), { hint: howToFinish(last) });
}
