import type { Subject } from '../pipeline/subjects/subject-set.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { SubjectState } from '../run/subjects/subject-states.ts';

/** One subject of a set, for views. */
export interface SetRow extends SubjectState {
  readonly subject: Subject;
  /** Its newest run; `undefined`: it was not looked at. */
  readonly run?: RunState | undefined;
  /** US dollars, as agents of that run reported; `undefined`: none reported. */
  readonly costUsd?: number | undefined;
}

/** How many gates of a subject's run there are, and how many of them are done. */
export function gatesOf({ run }: Pick<SetRow, 'run'>): { readonly done: number; readonly total: number } {
  const units = [...(run?.units.values() ?? [])];
  return { done: units.filter(({ done }) => done).length, total: units.length };
}
