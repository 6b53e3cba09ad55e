import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageWithHint } from '../../errors.ts';
import { createHistoryEntry } from '../../history/create-history-entry.ts';
import { renderComment } from '../../report/github/comment.ts';
import type { GithubContext, UnitDetails } from '../../report/github/context.ts';
import { githubStep } from '../../report/github/next-step.ts';
import { outcomeOf, renderBadge, reportOutputs } from '../../report/github/outcome.ts';
import { renderRunSummary } from '../../report/github/run-summary.ts';
import { createRunView } from '../../report/run-view.ts';
import type { RunView } from '../../report/view.ts';
import { LogState } from '../../run/state.ts';
import { gateOf } from '../../run/units.ts';
import { parseArtifactName } from '../../store/github/document.ts';
import { mergeHistory, readHistory, saveHistory } from '../../store/github/history.ts';
import { collectRun, pipelineOf, type CollectedRun } from './collect-run.ts';
import { describedPipelineId, findTrustedDefinition } from '../gate/definition.ts';
import { parseApprovals } from '../dispatch-decisions.ts';
import { approvalLine } from '../gate/gate-report.ts';
import { applyJudgement, createJudge } from '../gate/judge-need.ts';
import { subjectOf } from '../gate/prepare-gate.ts';
import type { Inputs } from '../inputs.ts';
import type { Job } from '../job.ts';
import { parseNeeds, readNeeds, type NeededJob } from '../gate/needs.ts';
import { sendBack } from './next-iteration.ts';
import { uploadPage, uploadStateFiles } from './state-files.ts';
import { definitionPlace, type Services } from '../services.ts';
import { writeStickyComment } from './sticky-comment.ts';
import { findUnknownGates } from './unknown-gates.ts';

/** Reports a run: the check to require. @returns whether all gates are done and nothing is missing */
export async function reportRun(job: Job, inputs: Inputs<'report'>, services: Services): Promise<boolean> {
  const { 'retention-days': retentionDays } = inputs;
  const now = new Date().toISOString();
  const { run, jobs, earlier } = await readJobs(job, inputs, services, now);
  const { pipeline, subject, entries } = run;
  const { metadata } = pipeline;
  const unknown = await findUnknownGates(job, services, pipeline);
  const view = createRunView({ pipeline, subject, metadata, entries, isAlive: () => true, history: earlier });
  const context: GithubContext = {
    ...job,
    pullRequest: job.pullRequest?.number,
    // Not an earlier attempt of this run.
    baseline: earlier.find(({ status, runId }) => status === 'completed' && runId !== String(job.runId)),
    problems: [...run.problems, ...findFailedSteps(jobs, run, view), ...unknown],
    units: detailsOf(job, run, view),
  };
  const page = inputs.html ? await uploadPage(services, run, view, context, retentionDays) : undefined;
  await showView(job, services, view, { ...context, page });
  const entry = createHistoryEntry(pipeline, new LogState(pipeline, subject, entries), now);
  if (entry && !job.trust.isOutside) {
    const history = mergeHistory([{ ...entry, runId: String(job.runId) }], earlier);
    await saveHistory(services, pipeline.id, history, retentionDays);
  }
  await uploadStateFiles(services, run, view, retentionDays);
  if (inputs.comment && job.pullRequest)
    await writeComment(job.pullRequest.number, services, renderComment(view, context));
  if (inputs.dispatch) await sendBack(job, services, run);
  return context.problems?.length === 0 && areDone(view);
}

/** Reads the documents that the jobs hand on, judged as later gates judge them. */
async function readJobs(job: Job, inputs: Inputs<'report'>, services: Services, now: string) {
  const { artifacts } = services;
  const jobs = parseNeeds(inputs.needs);
  const definition = await findTrustedDefinition(job, inputs.file, definitionPlace(job, services, inputs.path));
  const pipelineId = definition?.pipeline.id;
  const [documents, earlier, listed] = await Promise.all([
    readNeeds(artifacts, jobs, { pipeline: pipelineId, runId: job.runId }),
    readHistory(services, job.trust.usesFrom, pipelineId ?? describedPipelineId(job)),
    pipelineId === undefined ? artifacts.list(job.runId) : [],
  ]);
  const pipeline = definition?.pipeline ?? pipelineOf(documents, describedPipelineId(job));
  const described = documents.map(({ document }) => [gateOf(document.entry.unit), document.contract] as const);
  const judge = createJudge(job, services, pipeline, definition?.contracts ?? new Map(described));
  const run = collectRun({
    run: job.runNumber,
    pipeline,
    jobs,
    documents: await Promise.all(documents.map((need) => applyJudgement(need, judge))),
    artifactGates: (listed ?? []).flatMap(({ name }) => {
      const parsed = parseArtifactName(name);
      return parsed?.pipeline === pipeline.id ? parsed.gate : [];
    }),
    allowSkipped: inputs['allow-skipped'],
    subject: inputs.subject ?? documents[0]?.document.entry.subject ?? pipeline.subject ?? subjectOf(job),
    now,
  });
  return { run, jobs, earlier };
}

function detailsOf(job: Job, { documents }: CollectedRun, { units }: RunView): GithubContext['units'] {
  const approvals = parseApprovals(job.dispatch.approve);
  const details = [...documents].map(([key, { document, reference }]): [string, UnitDetails] => {
    const { output, learnings } = document;
    const canApprove = output !== undefined && isApprovable(units.find((unit) => unit.key === key)?.status);
    const approval = canApprove ? approvalLine(key, document, reference, { ...job, approvals }) : undefined;
    return [key, { output, learnings, approval }];
  });
  return new Map(details);
}

const areDone = ({ units }: RunView) => units.every(({ done }) => done);

/** Shows the run in summary, annotations and outputs of the step. Jobs of gates have annotated their own issues. */
async function showView({ temp }: Job, { runner }: Services, view: RunView, context: GithubContext): Promise<void> {
  if (!runner.addSummary(renderRunSummary(view, context)))
    runner.annotate('warning', 'The summary of the step is full: that of the run is left out.');
  const { problems = [] } = context;
  for (const problem of problems) runner.annotate('error', problem, { title: 'Not everything was checked' });
  if (problems.length === 0 && !areDone(view))
    runner.annotate('error', githubStep(view, context).text, { title: outcomeOf(view, context).text });
  for (const [name, value] of Object.entries(reportOutputs(view, context))) runner.setOutput(name, value);
  const viewFile = join(temp, 'gateline-view.json');
  await writeFile(viewFile, JSON.stringify(view));
  runner.setOutput('view-file', viewFile);
  runner.setOutput('badge', JSON.stringify(renderBadge(view, context)));
}

/** Jobs that failed although their gates passed: another step failed, or a leg has no result. */
export function findFailedSteps(
  jobs: readonly NeededJob[],
  { documents }: CollectedRun,
  { units }: Pick<RunView, 'units'>,
): string[] {
  return jobs.flatMap(({ id, result }) => {
    if (result === 'success' || result === 'skipped') return [];
    const keys = [...documents].filter(([, { job }]) => job.id === id).map(([key]) => key);
    const isPassed = keys.length > 0 && keys.every((key) => units.find((unit) => unit.key === key)?.done);
    return isPassed ? [`job ${id}: ${result}, although ${keys.join(', ')} passed: look at its other steps`] : [];
  });
}

/** Whether a person may approve the output of a unit with this status. */
function isApprovable(status: string | undefined): boolean {
  return status === 'paused' || status === 'partial';
}

/** Writes the comment. A failure is only a warning. */
async function writeComment(pullRequest: number, { github, runner }: Services, body: string): Promise<void> {
  try {
    const { choice, url } = await writeStickyComment(github, pullRequest, body);
    runner.info(`The comment was ${choice}: ${url}`);
  } catch (error) {
    runner.annotate('warning', messageWithHint(error), { title: 'No comment' });
  }
}
