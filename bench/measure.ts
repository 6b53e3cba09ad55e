import { readFileSync } from 'node:fs';

/** What one side of a benchmark does. */
export interface Side {
  readonly name: string;
  readonly work: () => unknown;
}

/** A part of a figure, and the most that it may be. */
export type Goal = readonly [part: 'value' | 'ratio' | 'processorMs' | 'processorRatio', most: number];

/** One line of the table: medians of rounds in which both sides took turns. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'MB' | '';
  readonly baseline: string;
  readonly baselineValue: number;
  readonly ratio: number;
  /** Milliseconds of processor time in a round, and in relation to the baseline's. */
  readonly processorMs?: number;
  readonly processorRatio?: number;
  readonly goal?: Goal;
}

export interface Sample {
  readonly ms: number;
  readonly processorMs: number;
}
export type Round = readonly [Sample, Sample];

/**
 * Runs both sides in turns, so that load of the machine hits both. The first round only warms up.
 *
 * @param count of rounds
 */
export async function compare(work: Side, baseline: Side, count: number, goal?: Goal): Promise<Figure> {
  const rounds: Round[] = [];
  for (let n = 0; n <= count; n += 1) rounds.push([await sample(baseline.work), await sample(work.work)]);
  return figureOf(work.name, baseline.name, rounds.slice(1), goal);
}

/** The ratio is the median of the rounds' ratios. */
export function figureOf(name: string, baseline: string, rounds: readonly Round[], goal?: Goal): Figure {
  const sum = (side: 0 | 1): number => rounds.reduce((total, round) => total + round[side].processorMs, 0);
  return {
    name,
    value: median(rounds.map(([, ours]) => ours.ms)),
    unit: 'ms',
    baseline,
    baselineValue: median(rounds.map(([theirs]) => theirs.ms)),
    ratio: median(rounds.map(([theirs, ours]) => ours.ms / theirs.ms)),
    // Means: the system counts the time of children in steps of 10 ms.
    processorMs: sum(1) / rounds.length,
    processorRatio: sum(1) / sum(0),
    goal,
  };
}

/** @param who uses the processor time that counts */
export async function sample(work: () => unknown, who: 'all' | 'children' = 'all'): Promise<Sample> {
  const [begin, spent] = [performance.now(), processorMs(who)];
  await work();
  return { ms: performance.now() - begin, processorMs: processorMs(who) - spent };
}

/** Processor time of this process and, on Linux, of children that have ended (proc_pid_stat(5), fields 16 and 17). */
function processorMs(who: 'all' | 'children'): number {
  const { user, system } = process.cpuUsage();
  const own = who === 'all' ? (user + system) / 1_000 : 0;
  if (process.platform !== 'linux') return own;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return own + (Number(fields[13]) + Number(fields[14])) * 10;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

export const TABLE_HEAD = `| what | median | baseline, in turns | ratio | processor time | goal | |\n|${' --- |'.repeat(7)}`;

export function renderFigure(figure: Figure): string {
  const { name, value, unit, baseline, baselineValue, ratio, processorMs, processorRatio, goal } = figure;
  const text = (amount: number): string => `${amount < 10 ? amount.toFixed(2) : Math.round(amount)} ${unit}`;
  const spent = processorMs === undefined ? '' : `${text(processorMs)}, ${processorRatio!.toFixed(2)} ×`;
  const limit = goal ? `${goal[0]} ≤ ${goal[1]}` : '';
  const verdict = goal && (figure[goal[0]]! <= goal[1] ? 'met' : 'MISSED');
  const cells = [name, text(value), `${baseline}: ${text(baselineValue)}`, ratio.toFixed(2), spent, limit];
  return `| ${[...cells, verdict ?? ''].join(' | ')} |`;
}
