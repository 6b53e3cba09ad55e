import type { Decider } from './attempt/record-decision.ts';
import type { Assignment } from './call/call.ts';
import type { ForkOrigin } from './fork.ts';
import type { EnginePorts } from './ports.ts';
import type { Resume } from './resume.ts';
import { runPipeline, type RunOptions, type RunResult } from './run-pipeline.ts';

/** How to run what is resumed or forked. */
export type ContinueOptions = Omit<RunOptions, 'resume'>;

/**
 * Continues the open run of a subject, also one that a person paused. The caller holds the workspace's lock.
 * @throws GatelineError `RUN_NOT_OPEN`, `RUN_COMPLETED`, and as {@link runPipeline}
 */
export function resume(
  ports: EnginePorts,
  assignment: Assignment,
  how: Omit<Resume, 'fork' | 'fresh' | 'lift'>,
  options: ContinueOptions,
): Promise<RunResult> {
  return runPipeline(ports, assignment, { ...options, resume: { ...how, lift: true } });
}

/**
 * Begins a run of the assignment's subject that goes its own way from a gate of an earlier run, of the same or another
 * subject. The caller holds the workspace's lock.
 * @throws GatelineError `RUN_OPEN` if the subject has an open run, which `fresh` closes; `RUN_UNKNOWN`, and as {@link runPipeline}
 */
export function fork(
  ports: EnginePorts,
  assignment: Assignment,
  { actor, reason, fresh = false, ...origin }: ForkOrigin & Decider & Pick<Resume, 'fresh'>,
  options: ContinueOptions,
): Promise<RunResult> {
  return runPipeline(ports, assignment, { ...options, resume: { actor, reason, fresh, fork: origin } });
}
