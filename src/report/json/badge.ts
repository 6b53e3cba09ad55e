import type { RunState } from '../../run/state/run-state.ts';

/** What shields.io draws a badge from: https://shields.io/badges/endpoint-badge */
export interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
}

/** Name of the file of a badge on a history branch. */
export function badgeFile({ label }: Badge): string {
  return `badge-${label}.json`;
}

/**
 * The badge of a pipeline: the result of a run in a few words, without text of agents.
 * @param isOk every gate is done, and every job of the run succeeded
 */
export function badgeOf({ pipeline, status }: Pick<RunState, 'pipeline' | 'status'>, isOk: boolean): Badge {
  const badge = (message: string, color: string): Badge => ({ schemaVersion: 1, label: pipeline, message, color });
  if (isOk) return badge('passed', 'brightgreen');
  return status === 'paused' ? badge('waiting for approval', 'yellow') : badge('failed', 'red');
}
