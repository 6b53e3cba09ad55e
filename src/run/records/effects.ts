import { z } from 'zod';
import { digestSchema } from '../../json/digest.ts';

/** Stored content: its digest and its size in bytes. */
export const contentSchema = z.strictObject({ digest: digestSchema, bytes: z.int().min(0).max(1_000_000_000) });

const entityName = z.string().min(1).max(200);

/** A process that a command left: pid and start time identify it, `boot` contains the pid namespace. */
const processSchema = z.strictObject({
  host: z.string().max(255),
  boot: z.string().max(255),
  pid: z.int().min(1),
  pidStart: z.string().max(64),
});
export type LeftProcess = z.infer<typeof processSchema>;

/** A named resource that a gate or command created, with the part of its value that others may use. */
export const createdSchema = z.strictObject({
  entity: entityName,
  instance: z.string().max(200),
  value: contentSchema.optional(),
  /** What it lives in: processes of one machine and boot. */
  processes: z.array(processSchema).max(1_000).optional(),
});

/** Named resources. An empty instance is all of them. */
const namedSchema = z.array(createdSchema.omit({ value: true, processes: true })).max(1_000);

/** What a person did to a named resource, or recorded of a command that ran elsewhere. */
export const changedSchema = z.strictObject({
  ...createdSchema.shape,
  action: z.enum(['create', 'invalidate', 'reset']),
  /** As in {@link usesSchema}; what one change records has one place. Absent: it is in a call of its own. */
  order: z.int().min(0).max(1_000_000_000).optional(),
  /** `create`: what the command required, without which it is no longer valid. */
  from: namedSchema.optional(),
});

/** What a gate or command is about to do with named resources. */
export const usesSchema = z.strictObject({
  /** Its place among those of its call that use any. In CI only commands have one, in their job: needs order gates. */
  order: z.int().min(0).max(1_000_000_000).optional(),
  /** What it was given: instances that were valid, with their values. */
  requires: z.array(createdSchema).max(1_000),
  /** What is invalid from now on. */
  invalidates: namedSchema,
  /** What is valid if it passes; the instances are known then. */
  creates: z.array(entityName).max(1_000),
});
export type RecordedUses = z.infer<typeof usesSchema>;

/** What happened to named resources. */
export const effectsSchema = z.strictObject({ creates: z.array(createdSchema).max(1_000), invalidates: namedSchema });
