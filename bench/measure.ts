/** One figure with its baseline, in milliseconds. Both were measured in turns, in one process of one run. */
export interface Figure {
  readonly name: string;
  readonly times: readonly number[];
  readonly baseline: string;
  readonly baselineTimes: readonly number[];
}

/** Work to time. A promise is awaited. */
export type Work = () => unknown;

/**
 * The times of `work` and of `baseline`, run in turns, so that both run under the same conditions. An initial
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
  return { name, times: own, baseline: baseline.name, baselineTimes: other };
}

/** A figure as a row of a Markdown table. */
export function rowOf({ name, times, baseline, baselineTimes }: Figure): string {
  const ratio = (medianOf(times) / medianOf(baselineTimes)).toFixed(2);
  return `| ${name} | ${text(times)} | ${baseline}: ${text(baselineTimes)} | ${ratio} | ${times.length} |`;
}

export const HEAD =
  '| what | median (least to most) | baseline, measured beside it | ratio | rounds |\n| --- | --- | --- | --- | --- |';

async function timeOf(work: Work): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function medianOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function text(times: readonly number[]): string {
  const digits = (time: number): string => (time < 10 ? time.toFixed(1) : String(Math.round(time)));
  return `${digits(medianOf(times))} ms (${digits(Math.min(...times))} to ${digits(Math.max(...times))})`;
}
