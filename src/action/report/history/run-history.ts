import { documentOf, runsInDocument } from '../../../history/document.ts';
import type { RunHistory } from '../../../history/entry.ts';
import { mergeRuns, type PastRun } from '../../../history/merge.ts';
import type { RestClient } from '../../../github/rest/rest.ts';
import { ownHistory } from '../../../report/github/own-history.ts';
import { historyArtifactName, MAX_DOCUMENTS, readHistory } from '../../../store/github/history/history-artifacts.ts';
import type { ActionInvocation } from '../../invocation.ts';
import type { JobStore } from '../../records/job-store.ts';
import { factsOf, neededJobs, type ReportedRun } from '../run-to-report.ts';

/**
 * Earlier runs of a pipeline, over all subjects, from the artifacts of their reports; the oldest first. Never throws;
 * unreadable artifacts are notices. They are shown, and never decide anything: every job of a run can write one.
 */
export async function earlierRuns(
  { world, event }: Pick<ActionInvocation, 'world' | 'event'>,
  rest: RestClient | undefined,
  pipeline: string,
): Promise<readonly PastRun[]> {
  if (rest === undefined) return [];
  const { documents, notices } = await readHistory(rest, {
    pipeline,
    currentRunId: Number(event.runId),
    runAttempt: event.runAttempt,
    runsIn: (document) => runsInDocument(document, pipeline).flatMap(({ entry }) => entry.runId ?? []),
  });
  for (const notice of notices) world.runner.annotate('notice', notice);
  const runs = documents.flatMap((document) => runsInDocument(document, pipeline));
  return mergeRuns(runs.filter(({ entry }) => entry.runId !== undefined && entry.runId !== event.runId));
}

/** The entries of the run that a report is about. @param set name of the set that the subject belongs to */
export function historyOf({ world, inputs, event }: ActionInvocation, view: ReportedRun, set?: string): RunHistory {
  const { state, records, assignment } = view;
  const facts = factsOf(event, assignment.pipeline);
  const now = world.now().toISOString();
  return ownHistory({ state, records, facts, now, jobs: neededJobs(inputs), pipeline: assignment.pipeline, set });
}

/**
 * Stores the outcome of this run for later ones, with the newest earlier entries: one document for each report.
 * Problems are notices.
 */
export async function keepHistory(
  { world, event }: Pick<ActionInvocation, 'world' | 'event'>,
  store: Pick<JobStore, 'keepDocument'>,
  pipeline: string,
  own: readonly RunHistory[],
  earlier: readonly PastRun[],
): Promise<void> {
  const document = documentOf(pipeline, own, earlier);
  for (let number = 1; number <= MAX_DOCUMENTS; number += 1) {
    const kept = await store.keepDocument(historyArtifactName(pipeline, event.runAttempt, number), document);
    if (kept === 'kept') return;
    if (kept === 'taken') continue;
    return world.runner.annotate('notice', `The history of this run was not saved: ${kept.problem}`);
  }
  const message = `${MAX_DOCUMENTS} reports of pipeline ${pipeline} have saved theirs in this run attempt`;
  world.runner.annotate('notice', `The history of this run was not saved: ${message}.`);
}
