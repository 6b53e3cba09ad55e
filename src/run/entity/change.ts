import { z } from 'zod';
import type { JsonValue } from '../../json/json.ts';

const name = z.string().min(1).max(200);
/** Names an instance: `resource_7`. */
const instance = z.string().max(200);

/** An instance of an entity becomes valid, invalid, or absent, as if it had never existed. */
export const entityChangeSchema = z.strictObject({
  entity: name,
  /** Empty: the entity itself. */
  instance,
  to: z.enum(['valid', 'invalid', 'absent']),
  /** An invalid instance without a value keeps its last one. Not `z.json()`, which would drop a key `__proto__`. */
  value: z.custom<JsonValue>().optional(),
  expiresAt: z.iso.datetime({ precision: 3 }).optional(),
  /** Why it is invalid. */
  cause: z.string().max(1_000).optional(),
});
export type EntityChange = z.infer<typeof entityChangeSchema>;

/** The entity that a gate or command uses: one instance, or all of them if `instance` is absent. */
export const entityTargetSchema = z.strictObject({ entity: name, instance: instance.optional() });
export type EntityTarget = z.infer<typeof entityTargetSchema>;

/** `resource/resource_7`, or `session` for the entity itself: names of entities hold no `/`. */
export function entityKey({ entity, instance = '' }: EntityTarget): string {
  return instance === '' ? entity : `${entity}/${instance}`;
}
