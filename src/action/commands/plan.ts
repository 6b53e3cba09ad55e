import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planGate } from '../../engine/begin.ts';
import { planPipeline, type PlanResult } from '../../engine/plan-pipeline.ts';
import { firstNames } from '../../errors/first-names.ts';
import { GatelineError, isSystemError } from '../../errors/gateline-error.ts';
import { oneLine } from '../../report/text.ts';
import { planTable } from '../../report/terminal/plan-table.ts';
import { plannedUnit, type PlannedUnit } from '../../run/plan/plan.ts';
import { unitsOf, type Unit, type UnitGraph } from '../../run/records/unit.ts';
import { forMarkdown } from '../../untrusted/escape.ts';
import { callersInput } from '../inputs/callers-input.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { numbersOf } from '../event/job-identity.ts';
import { openJob, openSurroundings, type JobContext } from '../job/job.ts';
import { jobSubject } from '../job/job-subject.ts';
import { spentOnBranch } from '../report/history/history-branch.ts';
import { decisionOf, reasonOf } from '../outputs.ts';

/** `command: plan`: reports for each gate what its job would do and why. Writes nothing and starts nothing. */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { runner } = invocation.world;
  const { plan, graph, errors } = await planOf(invocation);
  runner.info(planTable(plan, graph));
  for (const unit of plan.units)
    for (const notice of unit.notices) runner.annotate('notice', `gate ${unit.key}: ${notice}`);
  for (const error of errors) runner.annotate('warning', error.message, { title: error.code });
  await warnOfMoving(invocation, await workflowText(invocation));
  if (invocation.inputs.summary) await runner.appendSummary(planMarkdown(plan.pipeline, plan.subject, plan.units));
  const [only] = plan.units;
  if (plan.units.length === 1 && only !== undefined) {
    runner.setOutput('decision', decisionOf(only));
    runner.setOutput('reason', reasonOf(only));
  }
  const held = plan.units.filter(({ budget }) => budget !== undefined && budget.choice !== 'start');
  // The jobs of gates do not know what other runs spent: this one keeps them from starting.
  if (invocation.inputs.historyBranch !== undefined && held.length > 0) {
    const reasons = held.map(({ key, reason }) => `${key}: ${oneLine(reason)}`);
    return { ok: false, title: 'Over budget', message: firstNames(reasons, 5) };
  }
  const runs = plan.units.filter(({ choice }) => choice === 'run' || choice === 'wait').length;
  return { ok: true, title: 'Planned', message: `${runs} of ${plan.units.length} gates would run their agents now` };
}

/** The whole pipeline if a file defines it, otherwise the gate of this job. */
async function planOf(invocation: ActionInvocation): Promise<PlanResult & { readonly graph: UnitGraph }> {
  const around = await openSurroundings(invocation);
  const { pipeline } = around.definition;
  const { inputs, event } = invocation;
  if (pipeline !== undefined) {
    const metadata = { ...pipeline.metadata, ...inputs.metadata };
    const input = await callersInput(inputs, event.workspace);
    const task = inputs.task ?? pipeline.task;
    const { rework } = event;
    const assignment = { pipeline, ...jobSubject(invocation, pipeline), task, metadata, input, rework };
    const resumedRun = around.store.resumed?.runNumber;
    const options = { numbers: numbersOf(event), ...(resumedRun !== undefined && { resumedRun }) };
    const spentSince = spentOnBranch(invocation, runsRead(invocation, around));
    const ports = { ...around.ports, ...(spentSince && { spentSince }) };
    const planned = await planPipeline(ports, assignment, options);
    return { ...planned, graph: unitsOf(pipeline) };
  }
  const job = await openJob(invocation);
  const { pipeline: described, subject } = job.assignment;
  const graph = unitsOf(described);
  const unit = await planGate(job.ports, job.assignment, job.key, job.call).catch((error: unknown) =>
    blockedBy(error, graph.get(job.key)),
  );
  const plan = { pipeline: described.id, subject, ...numbersOf(event), continues: event.runAttempt > 1, units: [unit] };
  return { plan, errors: [], graph };
}

/** Ids of the runs whose records are read here, so not to be counted by their entries. */
function runsRead({ event }: ActionInvocation, { store: { resumed } }: JobContext): ReadonlySet<string> {
  return new Set([event.runId, ...(resumed === undefined ? [] : [String(resumed.id)])]);
}

/** An error that people must fix blocks the gate but not its plan: a plan is meant to show it. */
function blockedBy(error: unknown, unit: Unit | undefined): PlannedUnit {
  if (unit === undefined || !(error instanceof GatelineError) || error.fault !== 'user') throw error;
  return plannedUnit(unit, 'blocked', `${error.code}: ${error.message}`);
}

async function warnOfMoving({ world: { runner }, event }: ActionInvocation, text: string | undefined): Promise<void> {
  const file = event.workflowFile.path;
  if (text === undefined) return;
  const { movingUses } = await import('../event/moving-uses.ts');
  for (const { uses, line } of movingUses(text, event.job)) {
    const message = `\`uses: ${uses}\` can change without a change to the workflow: pin it to a commit`;
    runner.annotate('warning', message, { title: 'Moving reference', place: { file, line } });
  }
}

async function workflowText({ event }: ActionInvocation): Promise<string | undefined> {
  try {
    return await readFile(join(event.workspace, event.workflowFile.path), 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The plan as a table; reasons contain names of files and gates. */
function planMarkdown(pipeline: string, subject: string, units: readonly PlannedUnit[]): string {
  const rows = units
    .slice(0, 1_000)
    .map(({ key, choice, reason }) => `| ${forMarkdown(key)} | ${choice} | ${forMarkdown(reason.slice(0, 300))} |`);
  return [
    `## Plan: ${forMarkdown(pipeline)} for ${forMarkdown(subject)}`,
    '',
    '| gate | would | why |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
