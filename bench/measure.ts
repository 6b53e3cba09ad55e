import { readFileSync } from 'node:fs';

/** How long one round took, and how much processor time. */
export interface Sample {
  readonly milliseconds: number;
  /** Of this process and its children, or of the children only; 0 where the system does not say. */
  readonly processor: number;
}

/** One figure with its baseline: samples of both, which were taken in turns, in one process of one run. */
export interface Figure {
  readonly name: string;
  readonly samples: readonly Sample[];
  readonly baseline: string;
  readonly baselineSamples: readonly Sample[];
}

/** Work to time. A promise is awaited. */
export type Work = () => unknown;

/** Whose processor time is part of a sample: `children` where this process runs what both sides talk to. */
export type Counted = 'all' | 'children';

/**
 * `work` and `baseline`, run in turns, so that both run under the same conditions. An initial warm-up round is ignored.
 *
 * @param rounds at least 1
 */
export async function compare(
  name: string,
  work: Work,
  baseline: { readonly name: string; readonly work: Work },
  rounds: number,
  counted: Counted = 'all',
): Promise<Figure> {
  const [samples, baselineSamples]: [Sample[], Sample[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const [theirs, ours] = [await sample(baseline.work, counted), await sample(work, counted)];
    if (round === 0) continue;
    baselineSamples.push(theirs);
    samples.push(ours);
  }
  return { name, samples, baseline: baseline.name, baselineSamples };
}

/** One round. */
export async function sample(work: Work, counted: Counted = 'all'): Promise<Sample> {
  const [began, spent] = [performance.now(), processorTime(counted)];
  await work();
  return { milliseconds: performance.now() - began, processor: processorTime(counted) - spent };
}

/** Milliseconds of processor time so far. Of children that have ended, only Linux says, in steps of 10 ms. */
function processorTime(counted: Counted): number {
  const { user, system } = process.cpuUsage();
  const own = counted === 'all' ? (user + system) / 1_000 : 0;
  if (process.platform !== 'linux') return own;
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: fields 16 and 17; the second may contain blanks.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return own + (Number(fields[13]) + Number(fields[14])) * 10;
}

export const HEAD =
  '| what | median | baseline, measured in turns | ratio | of processor time | rounds |\n| --- | --- | --- | --- | --- | --- |';

/** A figure as a row of a Markdown table. `±`: half of the samples are within this of the median. */
export function rowOf({ name, samples, baseline, baselineSamples }: Figure): string {
  const [ours, theirs] = [medianOf(times(samples)), medianOf(times(baselineSamples))];
  const [spent, theirsSpent] = [medianOf(processorTimes(samples)), medianOf(processorTimes(baselineSamples))];
  const processor = theirsSpent === 0 ? '–' : (spent / theirsSpent).toFixed(2);
  const cells = [
    name,
    `${text(ours)} ${spreadOf(times(samples))}`,
    `${baseline}: ${text(theirs)} ${spreadOf(times(baselineSamples))}`,
    (ours / theirs).toFixed(2),
    processor,
    String(samples.length),
  ];
  return `| ${cells.join(' | ')} |`;
}

const times = (samples: readonly Sample[]): number[] => samples.map(({ milliseconds }) => milliseconds);
const processorTimes = (samples: readonly Sample[]): number[] => samples.map(({ processor }) => processor);

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median distance from the median, as a share of it. */
function spreadOf(values: readonly number[]): string {
  const median = medianOf(values);
  const distance = medianOf(values.map((value) => Math.abs(value - median)));
  return `±${Math.round((100 * distance) / median)} %`;
}

function text(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}
