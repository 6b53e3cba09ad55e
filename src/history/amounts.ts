import type { Metrics } from '../run/records/metrics.ts';

/** Time, money and tokens of some attempts, as far as known. */
export interface Amount {
  /** Milliseconds; `undefined`: unknown for all of them. */
  readonly ms: number | undefined;
  /** US dollars, as agents reported; `undefined`: none reported. */
  readonly costUsd: number | undefined;
  /** Tokens in and out, as agents reported; `undefined`: none reported. */
  readonly tokens: number | undefined;
}

/** Nothing is known. */
export const NO_AMOUNT: Amount = { ms: undefined, costUsd: undefined, tokens: undefined };

/** The amount of one attempt, including its agent's metrics. */
export function amountOf(ms: number | undefined, metrics: Metrics | undefined): Amount {
  const { inputTokens, outputTokens, costUsd } = metrics ?? {};
  return { ms, costUsd, tokens: plus(inputTokens, outputTokens) };
}

/** The sum of amounts; unknown values are ignored. */
export function sumOf(amounts: readonly Amount[]): Amount {
  return amounts.reduce(
    (a, b) => ({ ms: plus(a.ms, b.ms), costUsd: plus(a.costUsd, b.costUsd), tokens: plus(a.tokens, b.tokens) }),
    NO_AMOUNT,
  );
}

function plus(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : a + b;
}
