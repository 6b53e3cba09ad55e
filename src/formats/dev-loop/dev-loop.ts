import type { HistoryEntry } from '../../history/history-entry.ts';
import type { JsonValue } from '../../json/json.ts';
import type { RunStatus } from '../../report/view.ts';
import { sumOf } from '../../run/figures.ts';
import { jsonText, type Format, type Source, type WrittenFiles } from '../format.ts';
import { phasesOf } from '../phases.ts';
import { FILES, isLoopFile, NODE_GATES, readDevLoop, type LoopState } from './read.ts';

/** The state files of dev-loop, in `.devloop/`. Steps of its graph are files of the LangGraph saver. */
export const devLoop: Format = {
  name: 'dev-loop',
  folder: '.devloop',
  isStateFile: isLoopFile,
  write: writeLoopState,
  writeHistory: writeLoopHistory,
  read: readDevLoop,
};

/** The status of a task by that of its run. */
const TASK_WORDS: Readonly<Record<RunStatus, string>> = {
  initializing: 'pending',
  executing: 'in-progress',
  paused: 'review',
  error: 'failed',
  completed: 'done',
  closed: 'cancelled',
  rollback: 'cancelled',
};

/** The state of the graph, and the documents for the next iteration. */
function writeLoopState(source: Source): WrittenFiles {
  const { documents } = source;
  return {
    [FILES.state]: jsonText(loopStateOf(source)),
    [FILES.progress]: documents['progress'] ?? null,
    [FILES.patterns]: documents['learned-patterns'] ?? null,
    [FILES.handoff]: documents['handoff'] ?? null,
  };
}

function loopStateOf(source: Source): LoopState {
  const { view, documents } = source;
  const phases = phasesOf(source);
  const outputOf = (gate: string): JsonValue => phases.find(({ id }) => id === gate)?.output ?? null;
  const failed = phases.find(({ done, status }) => !done && (status === 'failed' || status === 'lost'));
  const task = { id: view.subject, title: view.task ?? view.subject, status: TASK_WORDS[view.status] };
  return {
    threadId: view.subject,
    task: outputOf(NODE_GATES.fetchTask) ?? task,
    context: Object.keys(view.metadata).length === 0 ? null : view.metadata,
    changes: outputOf(NODE_GATES.generateChanges),
    testResults: outputOf(NODE_GATES.runTests),
    status: TASK_WORDS[view.status],
    error: view.status === 'error' ? failed?.message || 'the run stopped' : null,
    retryCount: retriesOf(source).get(view.subject) ?? 0,
    handoffContext: documents['handoff'] === undefined ? {} : { document: documents['handoff'] },
  };
}

/** Retries by task, tasks with their status, and sums of all runs. dev-loop defines no content of the last two files. */
function writeLoopHistory(source: Source): WrittenFiles {
  const history = historyOf(source);
  const count = (status: HistoryEntry['status']): number => history.filter((entry) => entry.status === status).length;
  const newest = new Map(history.toReversed().map((entry) => [entry.subject, entry]));
  const wordOf = ({ status }: HistoryEntry) => (status === 'executing' ? 'running' : TASK_WORDS[status]);
  const tasks = [...newest].map(([id, entry]) => [id, { status: wordOf(entry), run: entry.run }] as const);
  return {
    [FILES.retries]: jsonText(Object.fromEntries(retriesOf(source))),
    [FILES.execution]: jsonText({ activePrdSetId: null, prds: Object.fromEntries(tasks) }),
    [FILES.metrics]: jsonText({
      runs: history.length,
      completed: count('completed'),
      failed: count('error'),
      durationMs: sumOf(history.map(({ ms }) => ms)) ?? 0,
      costUsd: Math.round((sumOf(history.map(({ costUsd }) => costUsd)) ?? 0) * 1e6) / 1e6,
      tokens: sumOf(history.map(({ tokens }) => tokens)) ?? 0,
    }),
  };
}

function historyOf({ view, history }: Source): readonly HistoryEntry[] {
  return history.filter(({ pipeline }) => pipeline === view.pipeline);
}

/**
 * Retries by task, without tasks that have none: failed runs that another run followed, and attempts of this run after the
 * first.
 */
function retriesOf(source: Source): ReadonlyMap<string, number> {
  const { view } = source;
  const history = historyOf(source);
  const retries = new Map<string, number>();
  const subjects = new Set([view.subject, ...history.map(({ subject }) => subject)]);
  for (const subject of subjects) {
    const runs = history.filter((entry) => entry.subject === subject);
    const isViewed = subject === view.subject;
    const newest = Math.max(isViewed ? view.run : 0, ...runs.map(({ run }) => run));
    const failed = runs.filter(({ run, status }) => run < newest && status === 'error').length;
    const attempts = isViewed ? phasesOf(source).reduce((sum, phase) => sum + phase.retries, 0) : 0;
    if (failed + attempts > 0) retries.set(subject, failed + attempts);
  }
  return retries;
}
