import { unitsOf } from '../../run/records/unit.ts';
import type { GatelineRecord } from '../../run/records/record.ts';
import { foldRun } from '../../run/state/fold.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { ReadProblem } from '../../run/records/reading.ts';
import type { ActionInvocation } from '../invocation.ts';
import { jobSubject } from '../job/job-subject.ts';
import { observeRun } from '../job/observe-run.ts';
import type { NamedPipeline } from '../job/named-pipeline.ts';
import type { ApiRun } from '../records/earlier-runs.ts';
import { openRunRecords } from '../records/job-store.ts';

/** Another run as its records say it: every job of it could write them. */
export interface ViewedRun {
  readonly pipeline: Pipeline;
  readonly state: RunState;
  readonly records: readonly GatelineRecord[];
  readonly problems: readonly ReadProblem[];
}

/** The state of another run of a pull request, from its records. Nothing in it is verified. */
export async function viewOtherRun(
  invocation: ActionInvocation,
  { id, defined }: NamedPipeline,
  run: ApiRun,
): Promise<ViewedRun> {
  const store = await openRunRecords(invocation, run);
  const { subject } = jobSubject(invocation, defined);
  const about = { pipeline: id, subject, runNumber: run.runNumber, expected: [] };
  const observed = await observeRun(store, about);
  const pipeline = defined ?? observed.pipeline;
  const identity = { pipeline: id, subject, runNumber: run.runNumber };
  const state = foldRun(unitsOf(pipeline), observed.listing, identity, { now: invocation.world.now().toISOString() });
  return { pipeline, state, records: observed.listing.records, problems: observed.listing.problems };
}
