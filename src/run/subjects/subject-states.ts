import { firstNames } from '../../errors/first-names.ts';
import type { SubjectGraph } from '../../pipeline/subjects/subject-set.ts';

/** Names in a reason. */
const SHOWN = 5;

/** Every status that a subject of a set can have. */
export const SUBJECT_STATUSES = [
  'pending',
  'ready',
  'blocked',
  'running',
  'interrupted',
  'paused',
  'failed',
  'completed',
] as const;

export type SubjectStatus = (typeof SUBJECT_STATUSES)[number];

/**
 * The state of a subject without regard to other subjects. `left-out`: it is not completed, and is not selected to run.
 * A subject without a state has not been started.
 */
export interface KnownSubject {
  readonly status: Exclude<SubjectStatus, 'pending' | 'ready'> | 'left-out';
  /** One sentence. */
  readonly reason: string;
}

/** The status of a subject, derived from what is known of it and of those that it needs. */
export interface SubjectState {
  readonly status: SubjectStatus;
  /** One sentence; '' if there is nothing to say. */
  readonly reason: string;
}

/** How a need keeps a subject from starting. */
const STOPS: ReadonlyMap<SubjectStatus, string> = new Map([
  ['failed', 'which failed'],
  ['interrupted', 'which was interrupted'],
  ['paused', 'which is paused'],
  ['blocked', 'which is blocked'],
]);

/**
 * Which subjects of a set may start, and why the others may not: a subject is ready when all that it needs are
 * completed. One that failed blocks only those that need it.
 */
export function subjectStates(
  subjects: SubjectGraph,
  known: ReadonlyMap<string, KnownSubject>,
): Map<string, SubjectState> {
  const states = new Map<string, SubjectState>();
  for (const { id, needs } of subjects.values()) states.set(id, stateOf(known.get(id), needs, states, known));
  return states;
}

function stateOf(
  own: KnownSubject | undefined,
  needs: readonly string[],
  states: ReadonlyMap<string, SubjectState>,
  known: ReadonlyMap<string, KnownSubject>,
): SubjectState {
  if (own !== undefined && own.status !== 'left-out') return { status: own.status, reason: own.reason };
  if (own !== undefined) return { status: 'pending', reason: own.reason };
  const stopped = needs.flatMap((id) => {
    const why = known.get(id)?.status === 'left-out' ? known.get(id)!.reason : STOPS.get(states.get(id)!.status);
    return why === undefined ? [] : [`${id}, ${why}`];
  });
  if (stopped.length > 0) return { status: 'blocked', reason: `needs ${inOneLine(stopped)}` };
  const open = needs.filter((id) => states.get(id)!.status !== 'completed');
  if (open.length > 0) return { status: 'pending', reason: `waits for ${inOneLine(open)}` };
  return { status: 'ready', reason: '' };
}

/** Few names in full, of many the first ones. */
export function inOneLine(names: readonly string[]): string {
  return names.length > SHOWN ? firstNames(names, SHOWN) : names.join(' and ');
}

/** The subjects that may start now, at most so many, in the order of the set. */
export function startable(states: ReadonlyMap<string, SubjectState>, room: number): string[] {
  const ready = [...states].filter(([, { status }]) => status === 'ready').map(([id]) => id);
  return ready.slice(0, Math.max(0, room));
}
