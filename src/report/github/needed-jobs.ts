import type { GatelineRecord } from '../../run/record.ts';
import type { RunState } from '../../run/run-state.ts';

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
 * The needed jobs of which this run has no record of an attempt: none was written by them, and none is about a gate of
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
