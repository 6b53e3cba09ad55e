import { z } from 'zod';

/** Metrics that agents can report; `session` is an id of the agent's own tool. Numbers are totals of the attempt. */
export const metricsSchema = z.object({
  model: z.string().max(200).optional(),
  session: z.string().max(200).optional(),
  inputTokens: z.number().min(0).optional(),
  outputTokens: z.number().min(0).optional(),
  costUsd: z.number().min(0).optional(),
  tools: z.array(z.string().max(200)).max(200).optional(),
  mcps: z.array(z.string().max(200)).max(200).optional(),
  plugins: z.array(z.string().max(200)).max(200).optional(),
});
export type Metrics = z.infer<typeof metricsSchema>;
