import type { RunHistory } from '../../history/entry.ts';
import { historyOfRun } from '../../history/entry-of-run.ts';
import { unsatisfiedJobs } from './needed-jobs.ts';
import type { RunReportInput } from './report-input.ts';

/** The part of a report's input that the entries of its run are made of. */
type OwnHistoryInput = Pick<RunReportInput, 'state' | 'records' | 'facts' | 'now' | 'jobs'> & {
  readonly pipeline: Pick<RunReportInput['pipeline'], 'groups'>;
  /** Name of the set that the subject belongs to. */
  readonly set?: string | undefined;
};

/** The entries of the reported run. If nothing was checked, or a job has no record, it is not completed. */
export function ownHistory({ state, records, facts, now, jobs = [], pipeline, set }: OwnHistoryInput): RunHistory {
  const { sha, iteration, ...others } = facts ?? { sha: '' };
  const isWhole = state.units.size > 0 && unsatisfiedJobs(jobs, records, state).length === 0;
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
    ...(state.status === 'completed' && !isWhole && { status: 'error' }),
  });
}
