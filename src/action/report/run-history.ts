import {
  historyEntryOf,
  mergeHistory,
  parseHistoryEntry,
  type HistoryEntry,
} from '../../report/github/history-entry.ts';
import { scopeOf } from '../../store/github/records/artifact-names.ts';
import { historyArtifactName, readHistory } from '../../store/github/history/history-artifacts.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { JobStore } from '../records/job-store.ts';
import { factsOf, neededJobs, type ReportedRun } from './run-to-report.ts';

/**
 * The history of earlier runs of this pipeline and subject, from the artifacts of their reports. Never throws;
 * unreadable artifacts are notices. An entry that names a different run than GitHub does is left out.
 */
export async function earlierRuns(
  { world, inputs, event }: ActionInvocation,
  rest: RestClient | undefined,
  view: ReportedRun,
): Promise<readonly HistoryEntry[]> {
  if (rest === undefined || inputs.history === 0) return [];
  const { pipeline, subject } = view.state;
  const { entries, notices } = await readHistory(rest, {
    prefix: scopeOf(pipeline, subject),
    currentRunId: Number(event.runId),
    runAttempt: event.runAttempt,
    runs: inputs.history,
  });
  for (const notice of notices) world.runner.annotate('notice', notice);
  const read = entries.flatMap(({ runId, entry }) => {
    const parsed = parseHistoryEntry(entry);
    if (parsed.state !== 'present') return [];
    const { value } = parsed;
    return value.runId === String(runId) && value.pipeline === pipeline && value.subject === subject ? [value] : [];
  });
  return mergeHistory(read);
}

/** Stores the result of this run for later ones: one small artifact per run attempt. Problems are notices. */
export async function keepHistory(
  { world, inputs, event }: ActionInvocation,
  store: JobStore,
  view: ReportedRun,
): Promise<void> {
  const { state, records } = view;
  const jobs = neededJobs(inputs);
  const facts = factsOf(event, view.assignment.pipeline);
  const entry = historyEntryOf({ state, records, jobs, facts, now: world.now().toISOString() });
  const name = historyArtifactName(scopeOf(state.pipeline, state.subject), event.runAttempt);
  const trouble = await store.keepDocument(name, JSON.stringify(entry));
  if (trouble !== undefined) world.runner.annotate('notice', `The history of this run was not saved: ${trouble}`);
}
