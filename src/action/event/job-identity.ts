import type { ProcessPlace } from '../../engine/ports.ts';
import type { Writer } from '../../run/records/record.ts';
import { isRunningHere, processIdentity } from '../../store/filesystem/lock/process-identity.ts';
import type { WorkflowEvent } from './event.ts';

/** The numbers of a job's records are those of its run. */
export function numbersOf({ runNumber, runAttempt }: Pick<WorkflowEvent, 'runNumber' | 'runAttempt'>): {
  readonly runNumber: number;
  readonly runAttempt: number;
} {
  return { runNumber, runAttempt };
}

/**
 * The writer of this step's records. `nonce` identifies a claim of its own if its acknowledgement was lost.
 * @param nonce random text, up to 64 characters
 */
export function writerOf(event: WorkflowEvent, pid: number, nonce: string): Writer {
  return {
    host: hostOf(event),
    boot: bootOf(event),
    pid,
    pidStart: nonce,
    actor: event.actor,
    runId: event.runId,
    job: event.job,
  };
}

/**
 * Whether the job that wrote a claim is over: it belongs to another run or to an earlier attempt of this one, or GitHub
 * has reported its result.
 * @param ended ids of jobs of this run attempt that have a result
 */
export function isJobOver(event: WorkflowEvent, ended: ReadonlySet<string>, writer: Writer): boolean {
  if (writer.boot !== bootOf(event)) return true;
  return writer.job !== undefined && ended.has(writer.job);
}

/**
 * Where processes of this job run. Those of another job are never known to run, even on the same machine: the runner
 * ends what a job leaves.
 */
export async function processesOf(event: WorkflowEvent): Promise<ProcessPlace> {
  const { host, boot } = await processIdentity();
  const place = { host: hostOf(event), boot: `${bootOf(event)}/${event.job} ${boot}`.slice(0, 255) };
  return {
    place,
    isRunning: async (one) =>
      one.host === place.host && one.boot === place.boot && (await isRunningHere({ ...one, host, boot })),
  };
}

function hostOf({ repository }: WorkflowEvent): string {
  return `github/${repository}`.slice(0, 255);
}

function bootOf({ runId, runAttempt }: WorkflowEvent): string {
  return `${runId}.${runAttempt}`;
}
