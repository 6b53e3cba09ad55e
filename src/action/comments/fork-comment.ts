import { verifyRun } from '../../engine/verify-run.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { code } from '../../report/markdown/markdown.ts';
import type { NeededJob } from '../../report/github/needed-jobs.ts';
import type { RunReportInput } from '../../report/github/report-input.ts';
import { decisionSource } from '../decisions/decision-source.ts';
import type { WorkflowEvent } from '../event/event.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { pipelineIdOf } from '../job/describe-gate.ts';
import { openSurroundings } from '../job/job.ts';
import { jobSubject } from '../job/job-subject.ts';
import { observeRun } from '../job/observe-run.ts';
import { readRun, type ApiRun } from '../records/earlier-runs.ts';
import { openRunRecords } from '../records/job-store.ts';
import { commentReport } from '../report/report-comment.ts';
import { reportInput, withRefused } from '../report/run-to-report.ts';
import { pullOfRun, whyNotCommented } from './fork-run.ts';
import type { ApiPull } from './pull-runs.ts';

/**
 * Comments on the pull request of a run for a fork, whose own token can only read. The run wrote data only, which
 * starts nothing here: its records are judged again by the contracts of the default branch, and shown as text.
 */
export async function commentOnFork(invocation: ActionInvocation, rest: RestClient): Promise<StepResult> {
  const { event, inputs, world } = invocation;
  if (event.triggeringRun === undefined)
    throw new GatelineError('COMMENT_EVENT', 'command comment: the event names no run that has ended');
  const run = await readRun(rest, event.triggeringRun);
  const why = whyNotCommented(run, inputs.workflow!, event);
  const found = why === undefined ? await pullOfRun(rest, run) : { why };
  if ('why' in found) {
    const message = `There is no comment: ${found.why}.`;
    world.runner.annotate('notice', message);
    return { ok: true, title: 'No comment', message };
  }
  const about = `run ${run.id}: pull request ${found.pull.number}`;
  if (await writeComment(invocation, rest, run, found.pull)) return { ok: true, title: 'Commented', message: about };
  return { ok: false, title: 'No comment', message: `${about} has no comment about it` };
}

/** @returns whether it was written, or is there already */
async function writeComment(
  invocation: ActionInvocation,
  rest: RestClient,
  run: ApiRun,
  pull: ApiPull,
): Promise<boolean> {
  const asRun = { ...invocation, event: eventOfRun(invocation.event, run, pull) };
  const { definition, ports } = await openSurroundings(invocation);
  const store = await openRunRecords(invocation, run);
  const id = definition.pipeline?.id ?? invocation.inputs.pipeline ?? pipelineIdOf(run.workflowPath);
  const named = jobSubject(asRun, definition.pipeline);
  const decisions = decisionSource(asRun, {
    rest,
    resumed: undefined,
    pipeline: id,
    isWhole: definition.pipeline !== undefined,
    me: ports.me,
  });
  const draw = async (): Promise<RunReportInput> => {
    const about = { pipeline: id, subject: named.subject, runNumber: run.runNumber };
    const observed = await observeRun(store, about);
    const pipeline = definition.pipeline ?? observed.pipeline;
    const assignment = { pipeline, ...named, metadata: pipeline.metadata, input: null };
    const numbers = { runNumber: run.runNumber, runAttempt: run.runAttempt };
    const recorded = definition.pipeline === undefined ? { recorded: observed.recorded } : {};
    const job = { call: { numbers, listing: observed.listing }, ...recorded };
    const verified = await verifyRun({ ...ports, store, decisions }, assignment, job);
    const view = { ...verified, assignment, claims: [], state: withRefused(verified) };
    return { ...reportInput(asRun, view), jobs: jobsOf(run), note: noteOf(run) };
  };
  return commentReport(asRun, rest, { pipeline: id, subject: named.subject }, store, draw);
}

/** The event of that run, as far as what is shown of it depends on it. */
function eventOfRun(event: WorkflowEvent, run: ApiRun, { number, head }: ApiPull): WorkflowEvent {
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
      headSha: head.sha,
      headBranch: head.ref,
      baseSha: undefined,
    },
  };
}

/** GitHub's own word, which no record overrides. */
function jobsOf({ conclusion, runNumber }: ApiRun): NeededJob[] {
  if (conclusion === 'success') return [];
  return [{ id: `run ${runNumber}`, result: conclusion === 'cancelled' ? 'cancelled' : 'failure' }];
}

function noteOf({ conclusion }: ApiRun): string {
  return `_From a run for a fork, which ended as ${code(conclusion)}. Code of the fork wrote its records; outputs were checked again._`;
}
