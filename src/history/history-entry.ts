import { z } from 'zod';

const count = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

/** A unit of an imported run whose system counts units and does not name them: no gate has statistics of it. */
export const UNNAMED_UNIT = '';

/** The state of a run when a call of it ended. If a run has several entries, the last one counts. */
export const historyEntrySchema = z.object({
  v: z.literal(1),
  pipeline: z.string(),
  subject: z.string(),
  run: count,
  /** GitHub only. */
  runId: z.string().optional(),
  status: z.enum(['completed', 'error', 'paused', 'closed', 'rollback', 'executing']),
  started: time,
  ended: time,
  /** Milliseconds that agents worked. */
  ms: count,
  costUsd: z.number().min(0).optional(),
  tokens: count.optional(),
  savedMs: count.optional(),
  savedUsd: z.number().min(0).optional(),
  iteration: count.optional(),
  task: z.string().optional(),
  /** What agents said that they used. */
  plugins: z.array(z.string()).optional(),
  mcps: z.array(z.string()).optional(),
  /** The first gate that did not pass. */
  failure: z.object({ unit: z.string(), kind: z.string(), message: z.string() }).optional(),
  units: z.array(
    z.object({
      unit: z.string(),
      status: z.string(),
      how: z.string().optional(),
      score: z.number().optional(),
      attempts: count,
      ms: count.optional(),
      costUsd: z.number().optional(),
      /** The same request had different verdicts by the same contract. */
      flaky: z.literal(true).optional(),
    }),
  ),
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;
