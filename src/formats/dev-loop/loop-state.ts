import { z } from 'zod';
import type { RunStatus } from '../../run/state/run-state.ts';

/** The nodes of seed 003's graph, and the gates that take their places in the template `dev-loop`. */
export const NODE_GATES = {
  fetchTask: 'fetch-task',
  generateChanges: 'generate-changes',
  applyChanges: 'apply-changes',
  runTests: 'run-tests',
  analyzeResults: 'analyze-results',
  handleSuccess: 'handle-success',
  handleFailure: 'handle-failure',
} as const;

/** The words for a task, whose run has these statuses. */
const TASK_WORDS: Readonly<Record<RunStatus, string>> = {
  initializing: 'pending',
  executing: 'in-progress',
  paused: 'review',
  error: 'failed',
  completed: 'done',
  rollback: 'cancelled',
};

/** The word for a task whose run has this status. */
export function taskWord(status: RunStatus): string {
  return TASK_WORDS[status];
}

/** The word for a PRD whose newest run has this status: the seed has one of its own for the PRD that runs. */
export function prdWord(status: RunStatus): string {
  return status === 'executing' ? 'running' : taskWord(status);
}

/** Seed 003's `WorkflowState`, in the order of its fields. The seed leaves the types of most of them open. */
export const loopStateSchema = z.looseObject({
  threadId: z.string(),
  task: z.json(),
  context: z.json(),
  changes: z.json(),
  testResults: z.json(),
  status: z.string(),
  error: z.string().nullable(),
  retryCount: z.int().min(0),
  handoffContext: z.json(),
});
export type LoopState = z.infer<typeof loopStateSchema>;

/** Version of `execution-state.json`: the seed names the file, and not what it contains. */
export const EXECUTION_STATE_FORMAT = 'gateline-dev-loop-execution-state/1';

/** Version of `metrics.json`. */
export const METRICS_FORMAT = 'gateline-dev-loop-metrics/1';

/** `retry-counts.json`: task → retries. */
export const retryCountsSchema = z.record(z.string(), z.int().min(0));
