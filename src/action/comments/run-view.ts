import { openCall, type Assignment } from '../../engine/call/call.ts';
import { dryRunPorts } from '../../engine/plan/dry-run.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import type { JobCall } from '../../engine/upstream/job-call.ts';
import { learnAll } from '../../engine/verify-run.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { GatelineRecord } from '../../run/records/record.ts';
import type { ReadProblem } from '../../run/records/reading.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { GithubStore } from '../../store/github/records/github-store.ts';
import { decisionSource } from '../decisions/decision-source.ts';
import type { WorkflowEvent } from '../event/event.ts';
import { underReview } from '../event/head-commit.ts';
import type { ActionInvocation } from '../invocation.ts';
import { pipelineIdOf } from '../job/describe-gate.ts';
import { openSurroundings } from '../job/job.ts';
import { jobSubject } from '../job/job-subject.ts';
import { observeRun } from '../job/observe-run.ts';
import type { ApiRun } from '../records/earlier-runs.ts';
import { openRunRecords } from '../records/job-store.ts';
import type { ApiPull } from './pull-runs.ts';

/** A run of a pull request, and what to read it with. */
interface OtherRun {
  /** This job, with the event of that run. */
  readonly asRun: ActionInvocation;
  readonly store: GithubStore;
  /** Read from that store, and the decisions about that run. */
  readonly ports: EnginePorts;
  /** Id of its pipeline. */
  readonly pipeline: string;
  readonly subject: string;
  /** Reads its records as they are now. */
  readonly read: () => Promise<{ readonly assignment: Assignment; readonly job: JobCall }>;
}

/** Opens another run of a pull request: its gates are those of the definition of this job, or of its records. */
export async function openOtherRun(
  invocation: ActionInvocation,
  rest: RestClient,
  run: ApiRun,
  pull: ApiPull,
): Promise<OtherRun> {
  const asRun = { ...invocation, event: eventOfRun(invocation.event, run, pull) };
  const around = await openSurroundings(invocation);
  const { pipeline: defined } = around.definition;
  const id = defined?.id ?? invocation.inputs.pipeline ?? pipelineIdOf(run.workflowPath);
  const { me } = around.ports;
  // The definition of that run may have other gates, which people may have decided about.
  const decisions = decisionSource(asRun, { rest, resumed: undefined, pipeline: id, isWhole: false, me });
  const store = await openRunRecords(invocation, run);
  const ports = { ...around.ports, store, decisions, underReview: () => underReview(asRun.event, rest) };
  const named = jobSubject(asRun, defined);
  const { runNumber, runAttempt } = run;
  const read = async (): ReturnType<OtherRun['read']> => {
    const observed = await observeRun(store, { pipeline: id, subject: named.subject, runNumber });
    const pipeline = defined ?? observed.pipeline;
    const call = { numbers: { runNumber, runAttempt }, listing: observed.listing };
    return {
      assignment: { pipeline, ...named, metadata: pipeline.metadata, input: null },
      job: { call, ...(defined === undefined && { recorded: observed.recorded }) },
    };
  };
  return { asRun, store, ports, pipeline: id, subject: named.subject, read };
}

/** Another run as its records say it, every job of which could write them, and as people decided about it. */
export interface ViewedRun {
  readonly pipeline: Pipeline;
  readonly graph: UnitGraph;
  readonly state: RunState;
  readonly records: readonly GatelineRecord[];
  readonly problems: readonly ReadProblem[];
}

/** The state of another run of a pull request. Its outputs are not judged again. */
export async function viewOtherRun(
  invocation: ActionInvocation,
  rest: RestClient,
  run: ApiRun,
  pull: ApiPull,
): Promise<ViewedRun> {
  const { ports, read } = await openOtherRun(invocation, rest, run, pull);
  const { assignment, job } = await read();
  const call = await openCall(dryRunPorts(ports), assignment, () => undefined, { ...job.call, shows: true });
  await learnAll(call);
  const { pipeline } = assignment;
  const { graph, journal } = call;
  return { pipeline, graph, state: journal.state(), records: journal.records(), problems: job.call.listing!.problems };
}

/** The event of that run, as far as what is shown of it depends on it. */
function eventOfRun(event: WorkflowEvent, run: ApiRun, { number, head, user }: ApiPull): WorkflowEvent {
  return {
    ...event,
    name: run.event,
    runId: String(run.id),
    runNumber: run.runNumber,
    runAttempt: run.runAttempt,
    sha: run.headSha,
    startedFile: run.workflowPath,
    subject: `pr-${number}`,
    pullRequest: {
      number,
      headRepository: run.headRepository,
      headSha: run.headSha,
      headBranch: head.ref,
      author: user?.login,
      baseSha: undefined,
    },
  };
}
