import type { RunHistory } from '../../history/entry.ts';
import { historyOfRun } from '../../history/entry-of-run.ts';
import type { RunStatus } from '../../run/state/run-state.ts';
import { unsatisfiedJobs } from './needed-jobs.ts';
import type { RunReportInput } from './report-input.ts';

/** In these a run continues by itself, as long as its jobs do. */
const NOT_OVER: ReadonlySet<RunStatus> = new Set(['initializing', 'executing']);

/** The part of a report's input that the entries of its run are made of. */
type OwnHistoryInput = Pick<RunReportInput, 'state' | 'records' | 'facts' | 'now' | 'jobs'> & {
  readonly pipeline: Pick<RunReportInput['pipeline'], 'groups'>;
  /** Name of the set that the subject belongs to. */
  readonly set?: string | undefined;
};

/**
 * The entries of the reported run. If nothing was checked, or a job has no record, it is not completed. If it waits for
 * a job that has ended otherwise, nothing continues it: it has failed.
 */
export function ownHistory({ state, records, facts, now, jobs = [], pipeline, set }: OwnHistoryInput): RunHistory {
  const { sha, iteration, ...others } = facts ?? { sha: '' };
  const isWhole = state.units.size > 0 && unsatisfiedJobs(jobs, records, state).length === 0;
  const isStopped = NOT_OVER.has(state.status) && jobs.some(({ result }) => result !== 'success');
  return historyOfRun({
    state,
    records,
    groups: pipeline.groups,
    now,
    facts: {
      ...others,
      ...(sha !== '' && { commit: sha }),
      ...(iteration && { iteration: iteration.number }),
      ...(set !== undefined && { set }),
    },
    ...((isStopped || (state.status === 'completed' && !isWhole)) && { status: 'error' }),
  });
}
