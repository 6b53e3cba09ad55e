import type { Entity } from '../../pipeline/entities/entities.ts';
import { isValidAt, type EntityStates } from '../../run/entity/entity-state.ts';

/** The state of the entities of a skill, as UASP's `get_status()` returns it: by name. */
export type UaspStatus = Readonly<Record<string, { readonly valid: boolean; readonly has_value: boolean }>>;

/** UASP's manifest of the loaded skills. */
export interface UaspManifest {
  readonly loaded_skills: readonly { readonly name: string; readonly state: UaspStatus }[];
}

/**
 * The status of each entity in UASP's shape. An entity with several instances is valid if one of them is.
 * @param now milliseconds since 1970
 */
export function uaspStatus(entities: readonly Entity[], states: EntityStates, now: number): UaspStatus {
  const status = entities.map(({ name, margin }) => {
    const own = [...states.values()].filter((state) => state.entity === name);
    const valid = own.some((state) => isValidAt(state, now, margin));
    return [name, { valid, has_value: own.some(({ value }) => value !== undefined) }] as const;
  });
  return Object.fromEntries(status);
}
