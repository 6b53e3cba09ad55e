import { z } from 'zod';
import type { JsonValue } from '../../json/json.ts';

const name = z.string().min(1).max(200);
/** Names an instance: `resource_7`. */
const instance = z.string().max(200);

/** An instance of an entity is valid from now on, or invalid, or as if it had never existed. */
export const entityChangeSchema = z.strictObject({
  entity: name,
  /** Empty: the entity itself. */
  instance,
  to: z.enum(['valid', 'invalid', 'absent']),
  /** An invalid one without a value keeps that from before. A schema would drop a key `__proto__`. */
  value: z.custom<JsonValue>().optional(),
  expiresAt: z.iso.datetime({ precision: 3 }).optional(),
  /** Why it is invalid. */
  cause: z.string().max(1_000).optional(),
});
export type EntityChange = z.infer<typeof entityChangeSchema>;

/** What a gate or command uses: one instance, or, without a name, all of an entity. */
export const entityTargetSchema = z.strictObject({ entity: name, instance: instance.optional() });
export type EntityTarget = z.infer<typeof entityTargetSchema>;

/** `resource/resource_7`, or `session` for the entity itself: names of entities hold no `/`. */
export function entityKey({ entity, instance = '' }: EntityTarget): string {
  return instance === '' ? entity : `${entity}/${instance}`;
}
