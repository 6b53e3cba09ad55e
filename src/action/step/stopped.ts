import type { Completion } from '../../engine/complete.ts';
import type { ActionInputs } from '../inputs/inputs.ts';

/** How the agent's step ended, independent of its output. `undefined`: it ended well, or its outcome is unknown. */
export function stoppedBy(outcome: ActionInputs['outcome']): Completion['stopped'] {
  switch (outcome) {
    case undefined:
    case 'success':
      return undefined;
    case 'cancelled':
      return { kind: 'cancelled', advice: 'The step of the agent was cancelled. Re-run the failed jobs to continue.' };
    case 'failure':
      return { kind: 'agent-error', advice: 'The step of the agent failed. Its log shows why.' };
    case 'skipped':
      return { kind: 'agent-error', advice: 'The step of the agent was skipped, so there is no output.' };
  }
}

/**
 * The result of a claim that was never completed, for the post step.
 * @param status `${{ job.status }}`, evaluated at the end of the job
 */
export function leftBy(status: ActionInputs['jobStatus']): NonNullable<Completion['stopped']> {
  switch (status) {
    case 'cancelled':
      return { kind: 'cancelled', advice: 'The job was cancelled. Re-run the failed jobs to continue.' };
    case 'failure':
      return { kind: 'agent-error', advice: 'The job failed before the gate was completed. Its log shows why.' };
    case 'success':
    case undefined:
      return {
        kind: 'agent-error',
        advice:
          'The job ended without completing the gate: a step with `command: complete` is missing, or was skipped.',
      };
  }
}
