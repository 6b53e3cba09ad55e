import { grouped } from './text.ts';
import { durationText } from './wording.ts';
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

/** Larger figures are not shown: agents may report any number. */
const MOST = 1e9;

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

/** `USD 0.012`, `USD 12.30`; '' if unknown. Not `$`: GitHub shows text between two of them as mathematics. */
export function costText(costUsd: number | undefined): string {
  if (costUsd === undefined) return '';
  if (costUsd > MOST) return 'over USD 1,000,000,000';
  if (costUsd === 0 || costUsd >= 1) return `USD ${grouped(costUsd, 2)}`;
  return costUsd < 0.0001 ? 'under USD 0.0001' : `USD ${Number(costUsd.toPrecision(2))}`;
}

/** `1,540`, `2.3 million`; '' if unknown. */
export function tokensText(tokens: number | undefined): string {
  if (tokens === undefined) return '';
  if (tokens > MOST) return 'over 1,000 million';
  return tokens < 1_000_000 ? grouped(Math.round(tokens), 0) : `${grouped(tokens / 1_000_000, 1)} million`;
}

/** `13s, USD 0.021, 4,100 tokens`: what is known of an amount. */
export function amountText({ ms, costUsd, tokens }: Amount): string {
  const texts = [durationText(ms), costText(costUsd), tokens === undefined ? '' : `${tokensText(tokens)} tokens`];
  return texts.filter((text) => text !== '').join(', ');
}

function plus(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : a + b;
}
