import { verifyRun } from '../../engine/verify-run.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { code } from '../../report/markdown/markdown.ts';
import type { NeededJob } from '../../report/github/needed-jobs.ts';
import type { RunReportInput } from '../../report/github/report-input.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { readRun, type ApiRun } from '../records/earlier-runs.ts';
import { commentReport } from '../report/report-comment.ts';
import { reportInput, withRefused } from '../report/run-to-report.ts';
import { pullOfRun, whyNotCommented } from './fork-run.ts';
import type { ApiPull } from './pull-runs.ts';
import { openOtherRun } from './run-view.ts';

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
  const { asRun, store, ports, pipeline, subject, read } = await openOtherRun(invocation, rest, run, pull);
  const draw = async (): Promise<RunReportInput> => {
    const { assignment, job } = await read();
    const verified = await verifyRun(ports, assignment, job);
    const view = { ...verified, assignment, claims: [], state: withRefused(verified) };
    return { ...reportInput(asRun, view), jobs: jobsOf(run), note: noteOf(run) };
  };
  return commentReport(asRun, rest, { pipeline, subject }, store, draw);
}

/** GitHub's own word, which no record overrides. */
function jobsOf({ conclusion, runNumber }: ApiRun): NeededJob[] {
  if (conclusion === 'success') return [];
  return [{ id: `run ${runNumber}`, result: conclusion === 'cancelled' ? 'cancelled' : 'failure' }];
}

function noteOf({ conclusion }: ApiRun): string {
  return `_From a run for a fork, which ended as ${code(conclusion)}. Code of the fork wrote its records; outputs were checked again._`;
}
