import { createHistoryEntry } from '../../../src/history/create-history-entry.ts';
import type { HistoryEntry } from '../../../src/history/history-entry.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import type { GithubContext } from '../../../src/report/github/context.ts';
import { createRunView } from '../../../src/report/run-view.ts';
import type { RunView } from '../../../src/report/view.ts';
import { LogState } from '../../../src/run/state.ts';
import type { LogBuilder } from '../../support/log-builder.ts';

export const NOW = '2026-01-02T05:00:00.000Z';

export function contextOf(context: Partial<GithubContext> = {}): GithubContext {
  const run = { runId: 9_007, runNumber: 7, runAttempt: 2, sha: 'abc1234def', eventName: 'pull_request' };
  return { server: 'https://github.com', repository: 'octo/web', ...run, pullRequest: 42, ...context };
}

export function viewOf(pipeline: Pipeline, log: LogBuilder, history: readonly HistoryEntry[] = []): RunView {
  const { subject, entries } = log;
  return createRunView({ pipeline, subject, metadata: {}, entries, isAlive: () => true, history });
}

/** The line of the newest run of a log, as one of another workflow run. */
export function historyOf(pipeline: Pipeline, log: LogBuilder, over: Partial<HistoryEntry> = {}): HistoryEntry {
  return { ...createHistoryEntry(pipeline, new LogState(pipeline, log.subject, log.entries), NOW)!, ...over };
}
