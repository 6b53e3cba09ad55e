import { z } from 'zod';
import type { Metrics } from '../run/records/metrics.ts';

const price = z.number({ error: 'expected US dollars for a million tokens' }).min(0).max(1e9);

/** The file that `budget.prices` names: US dollars for a million tokens, by the names of models. */
export const pricesSchema = z.record(
  z.string().max(200),
  z.strictObject({ input: price, output: price }, { error: 'expected a map with the keys `input` and `output`' }),
  { error: 'expected a map of names of models to prices' },
);
export type Prices = z.infer<typeof pricesSchema>;

const MILLION = 1_000_000;

/**
 * The metrics of an attempt with its cost by the prices, if its agent reported its model and tokens, but no cost.
 * Otherwise they are as they were: what is not known stays unknown.
 */
export function withCost(metrics: Metrics, prices: Prices | undefined): Metrics {
  const { model, inputTokens, outputTokens, costUsd } = metrics;
  if (prices === undefined || costUsd !== undefined || model === undefined) return metrics;
  const own = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (own === undefined || inputTokens === undefined || outputTokens === undefined) return metrics;
  const cost = (inputTokens * own.input + outputTokens * own.output) / MILLION;
  return { ...metrics, costUsd: Number(cost.toFixed(6)) };
}
