import type { GatelineRecord } from '../../run/records/record.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { code, said } from '../markdown/markdown.ts';

/** A job that the reporting job needs, from `toJSON(needs)`. */
export interface NeededJob {
  /** Its id in the workflow file. */
  readonly id: string;
  /** `success`, `failure`, `cancelled` or `skipped`. */
  readonly result: string;
  /** The gate of the job, from its output `gate`. Default: the gate with the job's name. */
  readonly gate?: string;
  /** The gates of a job that has several, as a wave has. */
  readonly gates?: readonly string[];
}

/** The gates that a job is about, as far as it is known. */
function gatesOf({ id, gate, gates }: NeededJob): readonly string[] {
  return gates ?? [gate ?? id];
}

/**
 * The needed jobs without a readable record of an attempt in this run: they wrote none, and none is about a gate with
 * their name, or about the gate that they name. GitHub treats a skipped job as passed, although nothing was checked.
 */
export function jobsWithoutRecord(
  jobs: readonly NeededJob[],
  records: readonly GatelineRecord[],
  run: Pick<RunState, 'pipeline' | 'subject' | 'runNumber'>,
): NeededJob[] {
  const known = new Set<string>();
  for (const { kind, pipeline, subject, runNumber, gate, by } of records) {
    // A decision does not show what a job did, and every job of the run can write one about any gate.
    if (kind === 'decided') continue;
    if (pipeline !== run.pipeline || subject !== run.subject || runNumber !== run.runNumber) continue;
    known.add(gate);
    if (by.job !== undefined) known.add(by.job);
  }
  return jobs.filter((job) => !known.has(job.id) && !gatesOf(job).some((gate) => known.has(gate)));
}

/** A needed job that prevents a green report. */
export interface UnsatisfiedJob extends NeededJob {
  /** It left no record, so nothing was checked. Otherwise it failed or was cancelled, whatever its records say. */
  readonly isSilent: boolean;
}

/**
 * The needed jobs that left no record, and those that GitHub reports as failed or cancelled: a leg or a second gate may
 * have ended before it left one. Jobs whose gates are not done are left out: those gates are reported themselves.
 */
export function unsatisfiedJobs(
  jobs: readonly NeededJob[],
  records: readonly GatelineRecord[],
  state: RunState,
): UnsatisfiedJob[] {
  const units = [...state.units.values()];
  const skipped = new Set(units.filter(({ done, status }) => done && status === 'skipped').map(({ gate }) => gate));
  // The job of a gate that a person skipped leaves no record.
  const isSkip = (job: NeededJob): boolean =>
    job.result === 'success' && gatesOf(job).every((gate) => skipped.has(gate));
  const silent = new Set(jobsWithoutRecord(jobs, records, state).filter((job) => !isSkip(job)));
  const open = new Set(units.filter(({ done }) => !done).map(({ gate }) => gate));
  return jobs
    .map((job) => ({ ...job, isSilent: silent.has(job) }))
    .filter(({ isSilent, result }) => isSilent || result === 'failure' || result === 'cancelled')
    .filter((job) => !gatesOf(job).some((gate) => open.has(gate)));
}

/**
 * Such a job as a list item. Only a job that never ran has certainly left no record: a listing may be behind.
 */
export function jobItem({ id, isSilent, result }: UnsatisfiedJob): string {
  const record = result === 'skipped' ? 'no record' : 'no visible record';
  const trouble = isSilent ? `left ${record}: not checked` : 'did not succeed, but its gates are done';
  return `- ❌ ${code(id, 120)} (${said(result, 50)}) ${trouble}`;
}
