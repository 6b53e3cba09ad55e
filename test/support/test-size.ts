/**
 * How much the tests do, by the environment variable GATELINE_TEST_SIZE:
 * - `sample` (default, `npm test`): of what is slow, enough to notice that it broke.
 * - `full` (`.ci/run`): every guarantee is shown.
 * - `soak` (`npm run soak`): the largest numbers, with another seed each time.
 *
 * What does not import this file does the same in all of them; scripts/sized-tests.mjs finds what does.
 */
export type TestSize = (typeof SIZES)[number];

const SIZES = ['sample', 'full', 'soak'] as const;

/** The size of this run. */
export const TEST_SIZE: TestSize = sizeOf(process.env['GATELINE_TEST_SIZE'] || 'sample');

/** Whether this run shows every guarantee. */
export const IS_FULL = TEST_SIZE !== 'sample';

function sizeOf(text: string): TestSize {
  const size = SIZES.find((one) => one === text);
  if (size === undefined) throw new Error(`GATELINE_TEST_SIZE is ${text}, and none of ${SIZES.join(', ')}`);
  return size;
}

/** One value for each size; a soak does what `full` does where it is not told more. */
export function bySize<T>(values: { readonly sample: T; readonly full: T; readonly soak?: T }): T {
  return TEST_SIZE === 'soak' ? (values.soak ?? values.full) : values[TEST_SIZE];
}

/** What is drawn at random is drawn from this: always the same, but in a soak. A soak prints it; GATELINE_TEST_SEED repeats it. */
export const SEED = seedOf(process.env['GATELINE_TEST_SEED'] ?? '');

function seedOf(text: string): number {
  if (text !== '') return Number(text);
  return TEST_SIZE === 'soak' ? Math.floor(Math.random() * 2 ** 31) : 20_240_607;
}

/**
 * For `fc.assert`, from {@link SEED}: so many cases, a fifth of them in a sample, a hundred times as many in a soak. A case
 * that failed once becomes one of the `examples` of its property, or a test of its own.
 */
export function drawn(cases: number): { readonly numRuns: number; readonly seed: number } {
  printSeed();
  return { numRuns: bySize({ sample: Math.ceil(cases / 5), full: cases, soak: cases * 100 }), seed: SEED };
}

let isPrinted = false;

/** Prints the seed of a soak, once for each test file. */
export function printSeed(): void {
  if (TEST_SIZE === 'soak' && !isPrinted) console.log(`GATELINE_TEST_SEED=${SEED}`);
  isPrinted = true;
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

/** In a sample so many of a list, spread evenly over it; else all. */
export function someOf<T>(items: readonly T[], count: number): readonly T[] {
  return IS_FULL ? items : spread(items, count);
}

/** So many of a list, the first and others that are spread evenly over it; all where there are no more. */
export function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (count >= items.length) return items;
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!);
}
