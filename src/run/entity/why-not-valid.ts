import type { Entity } from '../../pipeline/entities/entities.ts';
import { isValidAt, LAST_TIME, type EntityState } from './entity-state.ts';
import type { Asking } from './resolve-use.ts';

/** When the life of an instance ends; `undefined`: never, or that is not known. */
export function endOf({ until }: Pick<EntityState, 'until'>): string | undefined {
  return Math.abs(until) <= LAST_TIME ? new Date(until).toISOString() : undefined;
}

/** Why an instance is not valid now, as a clause; `undefined`: it is. */
export function whyNotValid(
  state: EntityState,
  { entities, now }: Pick<Asking, 'entities' | 'now'>,
): string | undefined {
  const { margin = 0, lifetime } = entities.find(({ name }) => name === state.entity) ?? {};
  if (!state.valid) return state.reason;
  return isValidAt(state, now, margin) ? undefined : whyExpired(lifetime, endOf(state), state.until <= now);
}

function whyExpired(lifetime: Entity['lifetime'], end: string | undefined, isPast: boolean): string {
  if (end !== undefined)
    return isPast ? `its life ended at ${end}` : `its life ends at ${end}, which is within its margin`;
  if (lifetime === 'machine') return 'none of its processes runs';
  return typeof lifetime === 'string'
    ? `no time can be read at ${lifetime} of its value, or what it was created from is over`
    : 'what it was created from is over';
}
