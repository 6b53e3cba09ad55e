import { countOf, groupDigits } from '../verdict/texts.ts';

export { countOf, groupDigits, listNames } from '../verdict/texts.ts';

/** `0.4 s`, `12 s`, `3 min 5 s`, `12 min`, `2 h 7 min`; less than 50 ms is empty. */
export function formatDuration(ms = 0): string {
  const seconds = Math.round(ms / 1_000);
  if (ms < 50) return '';
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return join(minutes, 'min', seconds % 60, 's');
  const rounded = Math.round(seconds / 60);
  return rounded < 60 ? `${rounded} min` : join(Math.floor(rounded / 60), 'h', rounded % 60, 'min');
}

function join(large: number, unit: string, small: number, part: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${part}`;
}

/** `$0.012`, `$0.40`, `$1,250.00`; less than `$0.0001` is empty. Agents may report any amount. */
export function formatMoney(usd = 0): string {
  if (usd >= 0.1) return `$${groupDigits(usd, 2)}`;
  return usd < 0.0001 ? '' : `$${Number(usd.toPrecision(2))}`;
}

/** `340 bytes`, `12 KiB`, `3.4 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return countOf(bytes, 'byte');
  return bytes < 1_048_576 ? `${groupDigits(bytes / 1_024)} KiB` : `${groupDigits(bytes / 1_048_576, 1)} MiB`;
}

/** A score with at most two decimals. */
export function formatScore(score: number): string {
  return String(Math.round(score * 100) / 100);
}

/** `$1.84 and 12 min`; empty if both are. */
export function formatSavings(usd: number | undefined, ms: number | undefined): string {
  return joinTexts([formatMoney(usd), formatDuration(ms)], ' and ');
}

/** Texts in one line, without the empty ones. */
export function joinTexts(texts: readonly string[], separator = ', '): string {
  return texts.filter((text) => text !== '').join(separator);
}

/** `67 %` of a share from 0 to 1. */
export function formatShare(share: number | undefined): string {
  return share === undefined ? '' : `${Math.round(share * 100)} %`;
}
