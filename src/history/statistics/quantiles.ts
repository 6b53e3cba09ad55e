/** Fewer values than this have no percentiles. */
const FEWEST = 5;

/** The median of some numbers; of an even number, the mean of the two in the middle. `undefined` for an empty list. */
export function medianOf(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return undefined;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1]! + sorted[half]!) / 2;
}

/**
 * A percentile by nearest rank: the smallest value that so many percent of the values do not exceed. `undefined`: there
 * are fewer than 5 values.
 * @param sorted in ascending order
 * @param percent over 0, at most 100
 */
export function percentileOf(sorted: ArrayLike<number>, percent: number): number | undefined {
  if (sorted.length < FEWEST) return undefined;
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1];
}
