import { z } from 'zod';
import { POINTER_PATTERN } from '../json/pointer.ts';

const pointer = z.string().regex(POINTER_PATTERN, 'must be a JSON pointer: empty, or /key/0/key');

/**
 * What an output must meet, with the schema file read: everything that judging needs, as plain JSON. The digest of its
 * canonical form identifies it.
 */
export const contractSchema = z.strictObject({
  format: z.literal('gateline-contract/1'),
  /** JSON Schema, draft 2020-12 or draft-07. Absent: any value is valid. */
  schema: z.json().optional(),
  /** JSON pointer to a score of 0-100. Absent: 100. */
  score: pointer.optional(),
  threshold: z.number().min(0).max(100),
  partial: z.enum(['block', 'continue', 'pause']),
  checks: z.array(z.string()),
  exports: z.array(pointer),
  /** JSON pointers to lists that other gates take their legs from. */
  lists: z.array(pointer).optional(),
  result: z.strictObject({ pointer, pass: z.array(z.string()).min(1) }).optional(),
  message: pointer.optional(),
  redact: z.array(pointer),
  extract: z.literal('json').optional(),
});
export type Contract = z.infer<typeof contractSchema>;
