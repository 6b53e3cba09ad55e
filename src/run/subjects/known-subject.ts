import { actorOf } from '../records/decisions.ts';
import { stoppedUnits } from '../plan/strategy.ts';
import { lackingUnit, type RunState, type UnitState } from '../state/run-state.ts';
import type { KnownSubject } from './subject-states.ts';

/**
 * The state of a subject by its newest run. `undefined`: it has not run, was rolled back, or was interrupted; a call
 * would start or continue it. `blocked`: a call would start nothing, since entities are not valid.
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
      return running.length === 0 ? lackIn(state) : { status: 'running', reason: `${running.join(', ')} running` };
    }
    case 'initializing':
      return lackIn(state);
    default:
      return undefined;
  }
}

function lackIn(state: RunState): KnownSubject | undefined {
  const unit = lackingUnit(state);
  return unit && { status: 'blocked', reason: `${unit.key}: ${unit.reason}` };
}

function pauseIn({ decided: { paused }, units }: RunState): string {
  if (paused !== undefined) return `paused by ${actorOf(paused)}: ${paused.reason}`;
  const waiting = [...units.values()].find(({ status, blockedBy }) => status === 'paused' || blockedBy === 'budget');
  return waiting === undefined ? '' : `${waiting.key}: ${waiting.reason}`;
}

/**
 * Whether a run has nothing but attempts that nobody let finish: their process was killed, or a person stopped them.
 * That says nothing about the work.
 */
export function isInterrupted(state: Pick<RunState, 'units'>): boolean {
  const stopped = stoppedUnits(state).map((key) => state.units.get(key)!);
  const isUnfinished = ({ status, ended }: UnitState): boolean =>
    status === 'lost' || (status === 'failed' && ended?.verdict.kind === 'cancelled');
  return stopped.length > 0 && stopped.every(isUnfinished);
}

function failureIn(state: RunState): string {
  const { closed } = state.decided;
  return closed === undefined ? stopIn(state) : `closed by ${actorOf(closed)}: ${closed.reason}`;
}

/** Why the gates of a run are not done, also if it was closed since. '' if they are. */
export function stopIn(state: Pick<RunState, 'units'>): string {
  const units = [...state.units.values()];
  const [stopped] = stoppedUnits(state);
  const cause = units.find(({ key }) => key === stopped) ?? units.find(({ done }) => !done);
  return cause === undefined ? '' : `${cause.key} ${cause.status}: ${cause.reason}`;
}
