import { subjectFilesDigest } from '../../engine/set/subject-files.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { annotationsOf } from '../../report/github/annotations.ts';
import { badgeOf } from '../../report/json/badge.ts';
import { unsatisfiedJobs, type UnsatisfiedJob } from '../../report/github/needed-jobs.ts';
import { keptSubject } from '../../history/entry.ts';
import { runReport } from '../../report/github/run-report.ts';
import { checkDefinition } from '../inputs/check-definition.ts';
import { filesDigests } from '../inputs/job-results.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { openSurroundings, type JobContext } from '../job/job.ts';
import { commentReport } from '../report/report-comment.ts';
import { acceptedWithStandIns } from '../../run/state/stand-in-states.ts';
import { keepPage } from '../report/html-page.ts';
import { keepChains } from '../report/keep-chains.ts';
import { markCommit } from '../report/commit-status.ts';
import { sendBackWork } from '../report/send-back.ts';
import { pushHistory } from '../report/history/history-branch.ts';
import { earlierRuns, historyOf, keepHistory } from '../report/history/run-history.ts';
import { neededJobs, reportInput, viewRun, type ReportedRun } from '../report/run-to-report.ts';
import { restOfStep } from '../event/rest-client.ts';
import { resultOfRun } from '../step/step-results.ts';

/** If there is a definition, such a report is incomplete and may be green. */
const NO_REPOSITORY =
  'The repository is not checked out, so there is no gateline.yml: the report takes the gates from their records and from `needs`. If your repository has a gateline.yml, check it out before this step.';

/** `command: report`: the result of the run, and whether it is good: the job that branch rules should require. */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { inputs } = invocation;
  const around = await openSurroundings(invocation);
  const { pipeline, missing: noRepository } = around.definition;
  if (noRepository !== undefined) invocation.world.runner.annotate('notice', NO_REPOSITORY, { title: 'No checkout' });
  // With a definition, none of a report's inputs may describe a gate.
  if (pipeline === undefined) checkDefinition(inputs, false);
  const view = await viewRun(invocation, around);
  const rest = restOfStep(invocation);
  const { id } = view.assignment.pipeline;
  const earlier = inputs.history === 0 ? [] : await earlierRuns(invocation, rest, id);
  // The report about a set keeps the outcomes of all its subjects.
  const own = inputs.set === undefined ? [historyOf(invocation, view)] : [];
  if (own.length > 0) await keepHistory(invocation, around.store, id, own, earlier);
  const history = earlier
    .filter(({ entry }) => entry.subject === keptSubject(view.state.subject))
    .slice(-inputs.history);
  const missing = unsatisfiedJobs(neededJobs(inputs), view.records, view.state);
  const accepted = acceptedWithStandIns(view.state, view.call.graph, new Set(inputs.standIn));
  const result = resultOfRun(view.state, missing, accepted);
  const sentBack = result.ok ? undefined : await sendBackWork(invocation, around, view, rest);
  for (const notice of await keepChains(invocation.event, around.store, view))
    invocation.world.runner.annotate('notice', notice);
  await markCommit(invocation, rest, view, { result, missing, sentBack });
  const more = { history, ...(sentBack && { sentBack }) };
  const input = reportInput(invocation, view, more);
  const badge = badgeOf(view.state, result.ok);
  invocation.world.runner.setOutput('badge', JSON.stringify(badge));
  tell(invocation, view, missing, result);
  if (result.ok && inputs.set !== undefined) tellFiles(invocation, view);
  const { resumed } = around.store;
  if (resumed !== undefined) invocation.world.runner.setOutput('resumed-from', String(resumed.id));
  if (inputs.summary) await addSummary(invocation, (bytes) => runReport(input, bytes));
  const about = { pipeline: view.state.pipeline, subject: view.state.subject };
  await commentReport(invocation, rest, about, around.store.artifacts, () => drawAgain(invocation, around, more));
  await keepPage(invocation, around.store, view, earlier.map(({ entry }) => entry).toReversed());
  if (around.stateFiles !== undefined) {
    const { keepStateFiles } = await import('../report/state-files-artifact.ts');
    await keepStateFiles(
      invocation,
      around,
      view,
      earlier.map(({ entry }) => entry),
    );
  }
  await pushHistory(invocation, own, badge);
  return result;
}

/** Draws the comment from the current records. */
async function drawAgain(
  invocation: ActionInvocation,
  around: JobContext,
  { sentBack }: Parameters<typeof reportInput>[2] = {},
): Promise<ReturnType<typeof reportInput>> {
  return reportInput(invocation, await viewRun(invocation, around), { ...(sentBack && { sentBack }) });
}

function tell(
  { world: { runner }, event }: ActionInvocation,
  { state }: ReportedRun,
  missing: readonly UnsatisfiedJob[],
  result: StepResult,
): void {
  const units = [...state.units.values()];
  const open = units.filter(({ done }) => !done).map(({ key }) => key);
  // The gates of a failed job are unknown. Its output `gate` is text from the workflow or its steps.
  const failed = new Set([...open, ...missing.map(({ id }) => id)]);
  runner.setOutput('run-status', !result.ok && state.status === 'completed' ? 'error' : state.status);
  runner.setOutput('passed', result.ok);
  runner.setOutput('iteration', 1 + (event.rework?.count ?? 0));
  runner.setOutput('failed-gates', [...failed].join(','));
  const room = result.ok ? {} : { error: 9 };
  for (const { level, title, message, file, line } of annotationsOf({ units, workspace: event.workspace, room })) {
    const place = file === undefined ? undefined : { file, ...(line !== undefined && { line }) };
    runner.annotate(level, message, { title, ...(place && { place }) });
  }
}

/** Sets the output with the digest of the subject's files, which other subjects of the set check. */
function tellFiles({ inputs, world: { runner } }: ActionInvocation, view: ReportedRun): void {
  try {
    runner.setOutput('files-digest', subjectFilesDigest(view.assignment.pipeline, view, filesDigests(inputs.needs)));
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    runner.annotate('warning', `No other subject can use the files: ${error.code}: ${error.message}`, {
      title: 'Files',
    });
  }
}

async function addSummary({ world: { runner } }: ActionInvocation, draw: (bytes: number) => string): Promise<void> {
  const drawn = draw(runner.summaryRoom());
  if (!(await runner.appendSummary(drawn)))
    runner.annotate('warning', 'The job summary of this step is full: the report is not shown in it.');
}
