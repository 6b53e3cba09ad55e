import { filesDigest } from '../../engine/delivery/deliver.ts';
import type { PlannedUnit } from '../../run/plan/plan.ts';
import type { EndedRecord, GatelineRecord, StartedRecord } from '../../run/records/record.ts';
import { legsFrom } from '../../engine/call/settle-legs.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { NO_LEG } from '../../pipeline/data-legs.ts';
import type { Gate } from '../../pipeline/pipeline.ts';
import type { RunState, UnitState } from '../../run/state/run-state.ts';
import { graphOf, unitsOf } from '../../run/records/unit.ts';
import { annotationsOf } from '../../report/github/annotations.ts';
import { gateSummary } from '../../report/github/gate-summary.ts';
import type { JsonValue } from '../../json/json.ts';
import { readExposed, readValue } from './gate-value.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import type { Job } from '../job/job.ts';
import { linksOf } from '../event/links.ts';
import { decisionOf, reasonOf } from '../outputs.ts';
import { commentLive } from '../report/report-comment.ts';
import { restOfStep } from '../event/rest-client.ts';
import { resultOfGate } from './step-results.ts';

/** The state of the gate after a step. */
export interface GateStep {
  /** Absent for `complete`: `begin` has already reported the plan. */
  readonly planned: PlannedUnit;
  readonly state: RunState;
  readonly records: readonly GatelineRecord[];
  /** The attempt that is valid or has just ended. */
  readonly ended: EndedRecord | undefined;
  readonly started?: StartedRecord;
  /** Only the gate of the job was read, for `complete`. */
  readonly isAlone?: true;
}

/** Reports everything about a step: outputs, summary, annotations; and the result of the step. */
export async function reportGate(invocation: ActionInvocation, opened: Job, step: GateStep): Promise<StepResult> {
  // A gate that does not apply has no legs, and its job has one all the same.
  const job = { ...opened, key: step.planned.key };
  const result = resultOfGate(step.planned, step.state, step.ended);
  const value = await readValue(job.ports.store, step.ended);
  setGateOutputs(invocation, job, step);
  await exposeOutput(invocation, job, step);
  await exposeLegs(invocation, job, step);
  annotate(invocation, job, step, value, result);
  await addSummary(invocation, job, step, value);
  if (job.stateFiles !== undefined) {
    const { showStateFile } = await import('./state-file-step.ts');
    await showStateFile(invocation, job, step);
  }
  if (invocation.inputs.comment === 'always') {
    const { pipeline, subject } = job.assignment;
    await commentLive(invocation, restOfStep(invocation), { pipeline: pipeline.id, subject }, job.store.artifacts);
  }
  return result;
}

/** Outputs of every step that worked on a gate. */
export function setGateOutputs({ world: { runner } }: ActionInvocation, job: Job, step: GateStep): void {
  const { planned, ended, state } = step;
  const unit = state.units.get(job.key);
  runner.setOutput('decision', decisionOf(planned));
  runner.setOutput('reason', reasonOf(planned));
  runner.setOutput('gate', job.gate.id);
  runner.setOutput('leg', unit?.leg ?? '');
  runner.setOutput('status', unit?.status ?? 'blocked');
  runner.setOutput('passed', unit?.done ?? false);
  if (job.store.resumed !== undefined) runner.setOutput('resumed-from', String(job.store.resumed.id));
  runner.setOutput('iteration', (ended ?? step.started)?.rework?.iteration ?? 1);
  if (ended !== undefined) {
    if (ended.verdict.status !== 'not-applicable') {
      runner.setOutput('score', ended.verdict.score);
      runner.setOutput('attempt', ended.n);
    }
    if (ended.value !== undefined) runner.setOutput('digest', ended.value.digest);
    runner.setOutput('files-digest', filesDigest(ended));
    if (ended.source !== undefined) {
      const { runNumber, runAttempt, n } = ended.source;
      runner.setOutput('reused-from', `${runNumber}.${runAttempt}.${n}`);
    }
    const artifact = job.store.artifacts.artifactOf(ended).value;
    if (artifact !== undefined) runner.setOutput('artifact-id', artifact);
  }
}

async function exposeOutput({ world: { runner }, inputs }: ActionInvocation, job: Job, step: GateStep): Promise<void> {
  if (!inputs.exposeOutput || step.ended?.value === undefined || step.state.units.get(job.key)?.done !== true) return;
  const exposed = await readExposed(job.ports.store, step.ended.value);
  if ('text' in exposed) runner.setOutput('value', exposed.text);
  else runner.annotate('warning', `expose-output: ${exposed.why}`);
}

/** The legs of the gates whose matrix is in this output: their ids only. Why there are none, their own jobs show. */
async function exposeLegs({ world: { runner } }: ActionInvocation, job: Job, step: GateStep): Promise<void> {
  const state = step.state.units.get(job.key);
  const waiting = job.assignment.pipeline.gates.filter(({ legsFrom }) => legsFrom?.gate === job.gate.id);
  if (waiting.length === 0 || state?.done !== true) return;
  const legs: Record<string, string[]> = {};
  for (const gate of waiting) legs[gate.id] = await legIds(job.ports.store, gate, state);
  runner.setOutput('legs', JSON.stringify(legs));
}

async function legIds(
  store: Job['ports']['store'],
  { id, legsFrom: source }: Gate,
  state: UnitState,
): Promise<string[]> {
  try {
    return (await legsFrom(store, id, source!, state)).map((leg) => leg.id);
  } catch (error) {
    if (error instanceof GatelineError) return [NO_LEG];
    throw error;
  }
}

function annotate(
  { world: { runner }, event }: ActionInvocation,
  job: Job,
  step: GateStep,
  value: JsonValue | undefined,
  result: StepResult,
): void {
  const unit = step.state.units.get(job.key);
  if (unit === undefined) return;
  const values = value === undefined ? new Map() : new Map([[job.key, value]]);
  // A red step itself reports one error: GitHub shows ten.
  const room = result.ok ? {} : { error: 9 };
  // The step's own message is not repeated: the first error, or the notice that the gate waits.
  const expected = unit.status === 'paused' ? 'notice' : 'error';
  let isNoticed = result.ok;
  for (const one of annotationsOf({ units: [unit], values, workspace: event.workspace, room })) {
    const { level, title, message, file, line } = one;
    if (!isNoticed && level === expected && file === undefined) {
      isNoticed = true;
      continue;
    }
    const place = file === undefined ? undefined : { file, ...(line !== undefined && { line }) };
    runner.annotate(level, message, { title, ...(place && { place }) });
  }
}

async function addSummary(
  { world: { runner }, inputs, event }: ActionInvocation,
  job: Job,
  step: GateStep,
  value?: JsonValue,
): Promise<void> {
  if (!inputs.summary) return;
  const graph = graphOf(unitsOf(job.assignment.pipeline), step.state.units.values());
  const text = gateSummary(
    {
      unit: graph.get(job.key)!,
      graph,
      state: step.state,
      numbered: job.definition.pipeline !== undefined,
      records: step.records,
      planned: step.planned,
      links: linksOf(event, new Map([[job.key, artifactsOf(job, step)]])),
      workspace: event.workspace,
      ...(value !== undefined && { value }),
      // `complete` reads only its own gate: its state does not include needs.
      ...(step.ended !== undefined && { given: step.ended.needs }),
    },
    runner.summaryRoom(),
  );
  if (!(await runner.appendSummary(text)))
    runner.annotate('warning', 'The job summary of this step is full: the gate is not shown in it.');
}

function artifactsOf(job: Job, { ended }: GateStep): { readonly name: string; readonly id: number }[] {
  if (ended === undefined) return [];
  const { value, record } = job.store.artifacts.artifactOf(ended);
  return [
    ...(value === undefined ? [] : [{ name: 'output', id: value }]),
    ...(record === undefined ? [] : [{ name: 'record', id: record }]),
  ];
}
