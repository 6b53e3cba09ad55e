/** What is drawn at random is drawn from this: always the same. */
export const SEED = 20_240_607;

/**
 * For `fc.assert`, from {@link SEED}: a fifth of so many cases. A case that failed once becomes one of the `examples` of its
 * property, or a test of its own.
 */
export function drawn(cases: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: Math.ceil(cases / 5), seed: SEED };
}

/** Numbers from 0 to below 1, the same for the same seed: mulberry32. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** So many of a list, the first and others that are spread evenly over it; all where there are no more. */
export function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (count >= items.length) return items;
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!);
}
