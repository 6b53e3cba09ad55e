import type { GatelineRecord } from '../../run/records/record.ts';
import type { RunState } from '../../run/state/run-state.ts';

/** A job that the reporting job needs, as `toJSON(needs)` tells of it. */
export interface NeededJob {
  /** Its id in the workflow file. */
  readonly id: string;
  /** `success`, `failure`, `cancelled` or `skipped`. */
  readonly result: string;
  /** The gate that it says it worked on, by its output `gate`. Default: the one of its name. */
  readonly gate?: string;
}

/**
 * The needed jobs of which this run has no record of an attempt that could be read: none was written by them, and none is about a gate of
 * their name, or about the one that they say. GitHub counts such a job as passed when it was skipped, so nothing was
 * checked.
 */
export function jobsWithoutRecord(
  jobs: readonly NeededJob[],
  records: readonly GatelineRecord[],
  run: Pick<RunState, 'pipeline' | 'subject' | 'runNumber'>,
): NeededJob[] {
  const known = new Set<string>();
  for (const { kind, pipeline, subject, runNumber, gate, by } of records) {
    // A decision says nothing of what a job did, and every job of the run can write one about any gate.
    if (kind === 'decided') continue;
    if (pipeline !== run.pipeline || subject !== run.subject || runNumber !== run.runNumber) continue;
    known.add(gate);
    if (by.job !== undefined) known.add(by.job);
  }
  return jobs.filter(({ id, gate }) => !known.has(id) && !(gate !== undefined && known.has(gate)));
}

/** A needed job that keeps a report from being green. */
export interface UnsatisfiedJob extends NeededJob {
  /** Nothing of it was checked: it left no record. Else it failed or was cancelled, whatever its records say. */
  readonly isSilent: boolean;
}

/**
 * The needed jobs that left no record, and those that GitHub calls failed or cancelled: a leg or a second gate may have
 * died before it left one. Jobs whose gates are not done are left out: those are told by their own names.
 */
export function unsatisfiedJobs(
  jobs: readonly NeededJob[],
  records: readonly GatelineRecord[],
  state: RunState,
): UnsatisfiedJob[] {
  const silent = new Set(jobsWithoutRecord(jobs, records, state));
  const open = new Set([...state.units.values()].filter(({ done }) => !done).map(({ gate }) => gate));
  return jobs
    .map((job) => ({ ...job, isSilent: silent.has(job) }))
    .filter(({ isSilent, result }) => isSilent || result === 'failure' || result === 'cancelled')
    .filter(({ id, gate }) => !open.has(gate ?? id));
}

/**
 * What is wrong with such a job, as untrusted text: `left no record`. Only a job that never ran has certainly left none: a
 * listing may be behind.
 */
export function jobTroubleText({ isSilent, result }: UnsatisfiedJob): string {
  if (!isSilent) return 'did not succeed, but its gates are done';
  const record = result === 'skipped' ? 'no record' : 'no visible record';
  return `left ${record}: not checked`;
}
