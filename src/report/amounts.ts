import { grouped } from './text.ts';
import { durationText } from './wording.ts';
import type { Amount } from '../history/amounts.ts';

/** Larger figures are not shown: agents may report any number. */
const MOST = 1e9;

/**
 * `USD 0.012`, `USD 0.40`, `USD 12.30`; '' if unknown. Not `$`: GitHub shows text between two of them as mathematics.
 */
export function costText(costUsd: number | undefined): string {
  if (costUsd === undefined) return '';
  if (costUsd > MOST) return 'over USD 1,000,000,000';
  if (costUsd === 0 || costUsd >= 0.1) return `USD ${grouped(costUsd, 2)}`;
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
