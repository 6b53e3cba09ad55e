import { z } from 'zod';

/**
 * What an output must meet, with the schema file read: everything that judging needs, as plain JSON. The digest of its
 * canonical form identifies it.
 */
export const contractSchema = z.strictObject({
  format: z.literal('gateline-contract/1'),
  /** JSON Schema, draft 2020-12 or draft-07. Absent: any value is valid. */
  schema: z.json().optional(),
  /** JSON pointer to a score of 0-100. Absent: 100. */
  score: z.string().optional(),
  threshold: z.number().min(0).max(100),
  partial: z.enum(['block', 'continue', 'pause']),
  checks: z.array(z.string()),
  exports: z.array(z.string()),
  result: z.strictObject({ pointer: z.string(), pass: z.array(z.string()).min(1) }).optional(),
  message: z.string().optional(),
  redact: z.array(z.string()),
  extract: z.literal('json').optional(),
});
export type Contract = z.infer<typeof contractSchema>;
