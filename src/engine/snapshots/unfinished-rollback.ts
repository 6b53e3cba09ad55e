import { GatelineError } from '../../errors/gateline-error.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import { RUN_GATE, type GatelineRecord } from '../../run/records/record.ts';
import { newestRun } from '../../run/state/fold.ts';
import type { EarlierPut } from '../../workspace/workspace.ts';
import type { EnginePorts } from '../ports.ts';
import type { Assignment } from '../call/call.ts';
import { rollbackCommand } from './folder-runs.ts';
import { isOfPipeline } from './wanted-files.ts';

/** The data that shows whether a rollback was interrupted. */
type Ports = Pick<EnginePorts, 'workspace' | 'putLists'>;

/**
 * The last rollback that wrote into the folder, if it was interrupted: some files may be restored, and the run does not
 * know it. The list of the files is written first, the record of the run last. It may be one of another definition: the
 * folder is the same.
 * @throws GatelineError `STORE_READ_FAILED`
 */
export async function unfinishedRollback({ workspace, putLists }: Ports): Promise<EarlierPut | undefined> {
  if (putLists === undefined) return undefined;
  const last = (await workspace.earlierPuts(putLists.folder)).findLast(({ what }) => what === 'rollback');
  if (last === undefined) return undefined;
  const { records } = await putLists.recordsOf(last);
  const ofRun = records.filter(({ runNumber }) => runNumber === last.runNumber);
  const { call } = last;
  // Not by the clock, which may have been set back. Lists of earlier versions name no call.
  const isLater = (one: GatelineRecord): boolean => (call === undefined ? one.at >= last.at : one.runAttempt > call);
  const isRecorded = ofRun.some(
    (one) => one.kind === 'decided' && one.gate === RUN_GATE && isLater(one) && ENDS.has(one.decision),
  );
  // The records of the run may have been removed since: nothing is left to roll back.
  return isRecorded || ofRun.length === 0 ? undefined : last;
}

/** The decisions about the run that a rollback records last. While it is unfinished, nobody else can record them. */
const ENDS: ReadonlySet<string> = new Set(['rollback', 'pause']);

/** The problem, in one sentence. */
export function unfinishedText({ pipeline, subject, runNumber, database }: EarlierPut): string {
  const what = database === true ? 'your folder or the database' : 'your folder';
  return `the rollback of run ${runNumber} of ${pipeline} for ${subject} was interrupted: ${what} is partly rolled back`;
}

/** The command that completes the rollback, in one sentence. */
export function howToFinish(put: EarlierPut): string {
  return `\`${rollbackCommand(put)}\` completes it.`;
}

/**
 * Refuses what starts gates, writes files or decides about a run while the folder is partly rolled back.
 * @throws GatelineError `ROLLBACK_UNFINISHED`, `STORE_READ_FAILED`
 */
export async function refuseUnfinished(ports: Ports): Promise<void> {
  const last = await unfinishedRollback(ports);
  if (last !== undefined) throw unfinishedError(last);
}

/** The error while a rollback is unfinished. */
function unfinishedError(put: EarlierPut): GatelineError {
  return new GatelineError('ROLLBACK_UNFINISHED', unfinishedText(put), { hint: howToFinish(put) });
}

/** The result of {@link runToRollBack}. */
export interface RunToRollBack {
  /** 0: the newest. */
  readonly runNumber: number;
  /** Its interrupted rollback. */
  readonly unfinished: EarlierPut | undefined;
}

/**
 * The run that a rollback is about. Repeating an interrupted one is about the same run, even if that is not the newest.
 * @throws GatelineError `ROLLBACK_UNFINISHED` if the rollback of another run was interrupted; `STORE_READ_FAILED`
 */
export async function runToRollBack(
  ports: Ports,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
  { runNumber, to }: { readonly runNumber?: number; readonly to?: string },
  { records, problems }: RecordListing,
): Promise<RunToRollBack> {
  const open = await unfinishedRollback(ports);
  if (open === undefined) return { runNumber: runNumber ?? 0, unfinished: undefined };
  const isOfSubject = isOfPipeline({ ports, assignment }, open) && open.subject === assignment.subject;
  const asked = runNumber ?? (open.to === to ? open.runNumber : newestRun(records, problems));
  if (!isOfSubject || asked !== open.runNumber) throw unfinishedError(open);
  return { runNumber: asked, unfinished: open };
}
