import type { Content } from '../records/record.ts';
import type { LeftProcess } from '../records/effects.ts';

/** One instance of an entity that was created at least once. */
export interface EntityState {
  readonly entity: string;
  /** Empty: the entity has one instance. */
  readonly instance: string;
  /** Its life may be over all the same: {@link isValidAt}. */
  readonly valid: boolean;
  /** Also of an entity that is no longer valid. */
  readonly value: Content | undefined;
  /** When its life ends, in milliseconds since 1970: its own, and that of what it was created from. */
  readonly until: number;
  /** What created it, or made it invalid: the unit, the command, or who decided. */
  readonly by: string;
  /** What created it last. */
  readonly creator: string;
  /** Instances that were created together have one birth, and become invalid together: the references of a page. */
  readonly birth: string;
  /** ISO 8601. */
  readonly at: string;
  /** Why it is invalid, as a clause. */
  readonly reason: string;
  /** Keys of what was required when it was created. */
  readonly from: readonly string[];
}

/** An instance of an entity; an empty one is all of them. */
export type NamedEntity = Pick<EntityState, 'entity' | 'instance'>;

/** The instances of all entities, by {@link entityKey}. Those that never existed, or were reset, are not in it. */
export type EntityStates = ReadonlyMap<string, EntityState>;

/** The last time that there is, in milliseconds since 1970: a later one is no time. */
export const LAST_TIME = 8.64e15;

/** The name of an instance. */
export function entityKey({ entity, instance }: Pick<EntityState, 'entity' | 'instance'>): string {
  return instance === '' ? entity : `${entity}/${instance}`;
}

/** A process as a lookup key. */
export function processKey({ host, boot, pid, pidStart }: LeftProcess): string {
  return JSON.stringify([host, boot, pid, pidStart]);
}

/** Whether something may start now that requires it. @param now milliseconds since 1970 */
export function isValidAt(state: EntityState | undefined, now: number, margin = 0): boolean {
  return state !== undefined && state.valid && state.until - margin > now;
}

/** What was required and is not used up: what was created from it is valid no longer than it is. */
export function keptOf<T extends NamedEntity>(requires: readonly T[], invalidates: readonly NamedEntity[]): T[] {
  const isSpent = (one: T): boolean =>
    invalidates.some((gone) => gone.entity === one.entity && covers(gone.instance, one.instance));
  return requires.filter((one) => !isSpent(one));
}

/** Whether one of two names of instances may be about the other: an empty one is all of them. */
export function covers(a: string, b: string): boolean {
  return a === '' || b === '' || a === b;
}
