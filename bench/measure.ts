/** One figure with its baseline. Both were measured in turns, in one process of one run. */
export interface Figure {
  readonly name: string;
  readonly milliseconds: number;
  readonly baseline: string;
  readonly baselineMilliseconds: number;
}

/** Work to time. A promise is awaited. */
export type Work = () => unknown;

/**
 * The median time of `work` and of `baseline`, run in turns, so that both run under the same conditions. An initial
 * warm-up round is ignored.
 *
 * @param rounds at least 1
 */
export async function compare(
  name: string,
  work: Work,
  baseline: { readonly name: string; readonly work: Work },
  rounds: number,
): Promise<Figure> {
  const [own, other]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const [theirs, ours] = [await timeOf(baseline.work), await timeOf(work)];
    if (round === 0) continue;
    other.push(theirs);
    own.push(ours);
  }
  return {
    name,
    milliseconds: medianOf(own),
    baseline: baseline.name,
    baselineMilliseconds: medianOf(other),
  };
}

/** A figure as a row of a Markdown table. */
export function rowOf(figure: Figure): string {
  const { name, milliseconds, baseline, baselineMilliseconds } = figure;
  const ratio = (milliseconds / baselineMilliseconds).toFixed(2);
  return `| ${name} | ${text(milliseconds)} | ${baseline}: ${text(baselineMilliseconds)} | ${ratio} |`;
}

export const HEAD = '| what | median | baseline, measured beside it | ratio |\n| --- | --- | --- | --- |';

async function timeOf(work: Work): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export function medianOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function text(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}
