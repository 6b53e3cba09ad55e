import { actorOf } from '../records/decisions.ts';
import { stoppedUnits } from '../plan/strategy.ts';
import type { RunState } from '../state/run-state.ts';
import type { KnownSubject } from './subject-states.ts';

/**
 * The state of a subject by its newest run. `undefined`: it has not run, was rolled back, or was interrupted; a call
 * would start or continue it.
 */
export function knownOf(state: RunState): KnownSubject | undefined {
  const units = [...state.units.values()];
  switch (state.status) {
    case 'completed':
      return { status: 'completed', reason: `run ${state.runNumber} is completed` };
    case 'paused':
      return { status: 'paused', reason: pauseIn(state) };
    case 'error':
      return { status: 'failed', reason: failureIn(state) };
    case 'executing': {
      const running = units.filter(({ status }) => status === 'running').map(({ key }) => key);
      return running.length === 0 ? undefined : { status: 'running', reason: `${running.join(', ')} running` };
    }
    default:
      return undefined;
  }
}

function pauseIn({ decided: { paused }, units }: RunState): string {
  if (paused !== undefined) return `paused by ${actorOf(paused)}: ${paused.reason}`;
  const waiting = [...units.values()].find(({ status, blockedBy }) => status === 'paused' || blockedBy === 'budget');
  return waiting === undefined ? '' : `${waiting.key}: ${waiting.reason}`;
}

function failureIn(state: RunState): string {
  const { closed } = state.decided;
  if (closed !== undefined) return `closed by ${actorOf(closed)}: ${closed.reason}`;
  const units = [...state.units.values()];
  const [stopped] = stoppedUnits(state);
  const cause = units.find(({ key }) => key === stopped) ?? units.find(({ done }) => !done);
  return cause === undefined ? '' : `${cause.key} ${cause.status}: ${cause.reason}`;
}
