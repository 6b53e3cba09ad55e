import type { Assignment } from '../../engine/call/call.ts';
import type { JobCall } from '../../engine/upstream/job-call.ts';
import { verifyRun, type VerifiedRun } from '../../engine/verify-run.ts';
import type { RunFacts, RunIteration, RunReportInput } from '../../report/github/report-input.ts';
import type { NeededJob } from '../../report/github/needed-jobs.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { iterationLimitOf, loopsOf } from '../../run/plan/loop.ts';
import type { DecidedRecord, GatelineRecord } from '../../run/records/record.ts';
import type { RunState, UnitState } from '../../run/state/run-state.ts';
import { numbersOf } from '../event/job-identity.ts';
import { pipelineIdOf } from '../job/describe-gate.ts';
import type { ActionInputs } from '../inputs/inputs.ts';
import type { ActionInvocation } from '../invocation.ts';
import { linksOf } from '../event/links.ts';
import type { JobContext } from '../job/job.ts';
import { jobSubject } from '../job/job-subject.ts';
import { observeRun } from '../job/observe-run.ts';
import { outputDigests } from '../inputs/job-results.ts';
import type { WorkflowEvent } from '../event/event.ts';

/** A run as the report shows it. */
export interface ReportedRun extends VerifiedRun {
  readonly assignment: Assignment;
  /** Decisions of this run that send work back. Every job can write one: they are not part of the view. */
  readonly claims: readonly DecidedRecord[];
}

/**
 * The run's current state from its records, with every output judged again. A gate whose output does not pass is shown
 * as failed, whatever its record says.
 */
export async function viewRun(
  invocation: ActionInvocation,
  { definition, store, ports }: JobContext,
): Promise<ReportedRun> {
  const { inputs, event } = invocation;
  const numbers = numbersOf(event);
  const named = jobSubject(invocation, definition.pipeline);
  const pipelineId = definition.pipeline?.id ?? inputs.pipeline ?? pipelineIdOf(event.startedFile);
  const about = {
    pipeline: pipelineId,
    subject: named.subject,
    runNumber: event.runNumber,
    expected: expectedGates(inputs),
  };
  const observed = definition.pipeline === undefined ? await observeRun(store.records, about) : undefined;
  const pipeline = definition.pipeline ?? observed!.pipeline;
  const listed = observed?.listing ?? (await store.records.list(pipeline.id, named.subject));
  const isClaim = (record: GatelineRecord): record is DecidedRecord =>
    record.kind === 'decided' && record.rework !== undefined && record.runNumber === event.runNumber;
  const listing = { ...listed, records: listed.records.filter((record) => !isClaim(record)) };
  const call: JobCall = {
    call: { numbers, listing },
    ...(observed && { recorded: observed.recorded }),
    digests: outputDigests(inputs.needs),
  };
  const assignment: Assignment = { pipeline, ...named, metadata: pipeline.metadata, input: null };
  const verified = await verifyRun(ports, assignment, call);
  const claims = listed.records.filter(isClaim);
  return { ...verified, assignment, claims, state: withRefused(verified) };
}

/** All gates of a list are expected; for jobs that GitHub lists, missing records are reported separately. */
function expectedGates({ needs }: Pick<ActionInputs, 'needs'>): readonly string[] {
  return needs === undefined || needs.results !== undefined ? [] : needs.gates;
}

/** A gate whose output does not pass is shown as failed, whatever its record says. */
export function withRefused({ state, refused }: VerifiedRun): RunState {
  if (refused.size === 0) return state;
  const units = new Map<string, UnitState>(
    [...state.units].map(([key, unit]) => {
      const error = refused.get(key);
      return [
        key,
        error === undefined
          ? unit
          : { ...unit, status: 'failed', done: false, ended: undefined, reason: `${error.code}: ${error.message}` },
      ];
    }),
  );
  return { ...state, units, status: 'error' };
}

/** The input for the reports of a run. */
export function reportInput(
  { inputs, event, world }: ActionInvocation,
  view: ReportedRun,
  { history = [], sentBack }: Pick<RunReportInput, 'history' | 'sentBack'> = {},
): RunReportInput {
  return {
    pipeline: view.assignment.pipeline,
    state: view.state,
    records: view.records,
    now: world.now().toISOString(),
    facts: factsOf(event, view.assignment.pipeline),
    history,
    ...(sentBack && { sentBack }),
    links: linksOf(event),
    jobs: neededJobs(inputs),
    problems: view.problems,
    workspace: event.workspace,
  };
}

/** Jobs that GitHub lists, with their results. */
export function neededJobs({ needs }: Pick<ActionInputs, 'needs'>): readonly NeededJob[] {
  return [...(needs?.results ?? [])].map(([id, { result, outputs }]) => ({
    id,
    result,
    ...(outputs['gate'] && { gate: outputs['gate'] }),
    ...(needs?.waves?.has(id) && { gates: needs.waves.get(id)! }),
  }));
}

/** What GitHub knows about the run. */
export function factsOf(event: WorkflowEvent, pipeline: Pipeline): RunFacts {
  const { runId, sha, refName, name, pullRequest, actor, trust, startedFile } = event;
  const iteration = iterationOf(event, pipeline);
  return {
    runId,
    sha: pullRequest?.headSha ?? sha,
    branch: pullRequest?.headBranch ?? refName,
    event: name,
    actor,
    trust: trust.row,
    workflowFile: startedFile,
    ...(iteration && { iteration }),
  };
}

function iterationOf({ rework }: WorkflowEvent, pipeline: Pipeline): RunIteration | undefined {
  const number = rework?.iterations[rework.target];
  if (rework === undefined || number === undefined) return undefined;
  const of = iterationLimitOf(loopsOf(pipeline), rework.target);
  return { gate: rework.target, number, ...(of !== undefined && { of }) };
}
