import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError, messageOf } from '../../errors.ts';
import { repositoryParameters } from '../../github/octokit.ts';
import { createHistoryEntry } from '../../history/create-history-entry.ts';
import { annotationsOf } from '../../report/github/annotations.ts';
import { renderComment } from '../../report/github/comment.ts';
import type { GithubContext, UnitDetails } from '../../report/github/context.ts';
import { renderBadge, reportOutputs } from '../../report/github/outcome.ts';
import { renderRunSummary } from '../../report/github/run-summary.ts';
import { createRunView } from '../../report/run-view.ts';
import type { RunView } from '../../report/view.ts';
import { FolderState } from '../../run/state.ts';
import { parseArtifactName } from '../../store/github/document.ts';
import { mergeHistory, readHistory, saveHistory } from '../../store/github/history.ts';
import { collectRun, type CollectedRun } from './collect-run.ts';
import { readTrustedDefinition } from '../gate/definition.ts';
import { parseApprovals } from '../comment/decisions.ts';
import { approvalLine } from '../gate/gate-report.ts';
import type { Inputs } from '../inputs.ts';
import type { Job } from '../job.ts';
import { parseNeeds, readNeeds, type NeededJob } from '../gate/needs.ts';
import { sendBack } from './next-round.ts';
import { uploadStateFiles } from './state-files.ts';
import { definitionPlace, type Services } from '../services.ts';
import { writeStickyComment } from './sticky-comment.ts';

/** Reports a run: the check to require. @returns whether every gate has a result that counts */
export async function reportRun(job: Job, inputs: Inputs<'report'>, services: Services): Promise<boolean> {
  const { runner } = services;
  const now = new Date().toISOString();
  const jobs = parseNeeds(inputs.needs);
  const definition = await findDefinition(job, inputs, services);
  const pipelineId = definition?.pipeline.id;
  const [documents, earlier, artifacts] = await Promise.all([
    readNeeds(services.artifacts, jobs, { pipeline: pipelineId, runId: job.runId }),
    pipelineId === undefined ? [] : readHistory(services, job.repository, job.trust.usesFrom, pipelineId),
    pipelineId === undefined ? services.artifacts.list(job.runId) : [],
  ]);
  const { subject: named, 'allow-skipped': allowSkipped } = inputs;
  const run = collectRun({
    run: job.runNumber,
    pipeline: definition?.pipeline,
    jobs,
    documents,
    artifactGates: (artifacts ?? []).flatMap(({ name }) => parseArtifactName(name)?.gate ?? []),
    allowSkipped,
    subject: named,
    now,
  });
  const { pipeline, subject, entries } = run;
  const metadata = pipeline.metadata;
  const view = createRunView({ pipeline, subject, metadata, entries, isAlive: () => true, history: earlier });
  const problems = [...run.problems, ...findFailedSteps(jobs, run, view)];
  const approvals = parseApprovals(job.dispatch['approve']);
  const details = [...run.documents].map(([key, { document, reference }]): [string, UnitDetails] => [
    key,
    {
      output: document.output,
      learnings: document.learnings,
      ...(document.output !== undefined &&
        canOpen(view.units.find((unit) => unit.key === key)?.status) && {
          approval: approvalLine(key, document, reference, { ...job, approvals }),
        }),
    },
  ]);
  const context: GithubContext = {
    ...job,
    pullRequest: job.pullRequest?.number,
    // An earlier attempt of this run is nothing to compare with.
    baseline: earlier.find(({ status, runId }) => status === 'completed' && runId !== String(job.runId)),
    problems,
    units: new Map(details),
  };
  if (!runner.addSummary(renderRunSummary(view, context)))
    runner.annotate('warning', 'The summary of the step is full: that of the run is left out.');
  for (const { level, message, title, place } of annotationsOf(
    view.units.filter(({ done }) => !done),
    context,
  ))
    runner.annotate(level, message, { title, place });
  for (const problem of problems) runner.annotate('error', problem, { title: 'Not everything was checked' });
  const outputs = reportOutputs(view, context);
  for (const [name, value] of Object.entries(outputs)) runner.setOutput(name, value);
  const viewFile = join(job.temp, 'gateline-view.json');
  await writeFile(viewFile, JSON.stringify(view));
  runner.setOutput('view-file', viewFile);
  runner.setOutput('badge', JSON.stringify(renderBadge(view, context)));
  const state = new FolderState(pipeline, subject, entries);
  const entry = createHistoryEntry(pipeline, state, now);
  if (entry && !job.trust.isFork)
    await saveHistory(
      services,
      pipeline.id,
      mergeHistory([{ ...entry, runId: String(job.runId) }], earlier),
      inputs['retention-days'],
    );
  await uploadStateFiles(services, run, view, inputs['retention-days']);
  if (inputs.comment && job.pullRequest) await comment(job, services, renderComment(view, context));
  if (inputs.dispatch) await sendBack(job, services, run);
  return problems.length === 0 && view.units.every(({ done }) => done);
}

/** Jobs that failed although their gates passed: a step after the gate failed, or one of its legs has no result. */
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

/** A person may open what waits, and what is below its threshold. */
function canOpen(status: string | undefined): boolean {
  return status === 'paused' || status === 'partial';
}

/** Without a definition in the repository the steps describe their gates. */
async function findDefinition(job: Job, { file, path }: Inputs<'report'>, services: Services) {
  try {
    return await readTrustedDefinition(job, file, definitionPlace(job, services, path), false);
  } catch (error) {
    if (file === undefined && error instanceof GatelineError && error.code === 'no-definition') return undefined;
    throw error;
  }
}

async function comment(job: Job, { octokit, runner, report }: Services, body: string): Promise<void> {
  const { owner, repo } = repositoryParameters(job.repository);
  const place = { owner, repo, issue_number: job.pullRequest!.number };
  const written = await writeStickyComment(await octokit(), place, body, report);
  if (written.choice !== 'failed') return runner.info(`The comment was ${written.choice}: ${written.url}`);
  const { message, hint } = written.error;
  runner.annotate('warning', [messageOf(message), hint ?? ''].join('\n').trim(), { title: 'No comment' });
}
