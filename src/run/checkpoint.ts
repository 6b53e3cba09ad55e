import { z } from 'zod';
import { digestSchema } from '../json/digest.ts';
import { verdictSchema } from '../verdict/verdict.ts';
import { attemptRefSchema, contentSchema, type EndedEntry } from './entry.ts';
import { gateFilesSchema } from './files.ts';

/** An output that is remembered under the fingerprint of a request that it holds for: a place to continue from. */
export const checkpointSchema = z.strictObject({
  v: z.literal(1),
  /** The attempt that made the output. */
  attempt: attemptRefSchema,
  /** Of the request that its agent got: approvals name it. */
  fingerprint: digestSchema,
  how: z.enum(['ran', 'adopted', 'skipped']),
  /** Absent for `skipped`. */
  output: contentSchema.optional(),
  exports: contentSchema.optional(),
  /** The verdict under the contract with this digest; another contract judges the stored output again. */
  verdict: verdictSchema,
  contract: digestSchema,
  files: gateFilesSchema,
  /** When the agent started: `max-age` counts from here. */
  startedAt: z.iso.datetime({ precision: 3 }),
  /** Milliseconds and US dollars that making it took: what using it saves. */
  ms: z.int().min(0),
  costUsd: z.number().min(0).optional(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** How the output of an attempt was made: one that is used again was made by an agent. */
export function originHow(how: EndedEntry['how']): Checkpoint['how'] {
  return how === 'adopted' || how === 'skipped' ? how : 'ran';
}
