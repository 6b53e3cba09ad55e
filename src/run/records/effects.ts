import { z } from 'zod';
import { digestSchema } from '../../json/digest.ts';

/** Stored content: its digest and its size in bytes. */
export const contentSchema = z.strictObject({ digest: digestSchema, bytes: z.int().min(0).max(1_000_000_000) });

/** A named resource that a gate or command created, with the part of its value that others may use. */
export const createdSchema = z.strictObject({
  entity: z.string().min(1).max(200),
  instance: z.string().max(200),
  value: contentSchema.optional(),
});

/** What happened to named resources. */
export const effectsSchema = z.strictObject({
  creates: z.array(createdSchema).max(1_000),
  invalidates: z.array(createdSchema.omit({ value: true })).max(1_000),
});
