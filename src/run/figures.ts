import type { Checkpoint } from './checkpoint.ts';
import { isSameAttempt, type EndedEntry } from './entry.ts';
import { endsOf, seriesOf } from './repeat.ts';
import { attemptKey, type LogState } from './state.ts';
import type { UnitState } from './unit-state.ts';

/** Totals of a run. */
export interface Figures {
  readonly units: number;
  readonly done: number;
  /** Units whose agent ran in this run, and units that use an output of an earlier one. */
  readonly ran: number;
  readonly used: number;
  /** Milliseconds that agents worked, and US dollars and tokens that they reported. */
  readonly ms: number;
  readonly costUsd?: number;
  readonly tokens?: number;
  /** What making the outputs took that are used again. */
  readonly savedMs: number;
  readonly savedUsd?: number;
}

export function figuresOf(state: LogState, units: readonly UnitState[]): Figures {
  const ends = units.flatMap(({ attempts }) => attempts.flatMap(({ ended }) => ended ?? []));
  // In a re-run job an output of an earlier run attempt is in this run: using it saves nothing.
  const isUsed = ({ attempts, ended }: UnitState) =>
    ended?.how === 'used' &&
    !attempts.some(({ ref, ended: end }) => end?.how !== 'used' && isSameAttempt(ref, ended.source));
  const used = units.filter((unit) => unit.done && isUsed(unit));
  const sources = used.flatMap(({ ended }) => {
    const source = ended!.source && state.agentEnds.get(attemptKey(ended!.source));
    const run = source && state.runs.find((other) => other.run === source.run);
    return source ? seriesOf(endsOf(run, source.unit), source) : [];
  });
  return {
    units: units.length,
    done: units.filter(({ done }) => done).length,
    ran: units.filter(({ attempts }) => attempts.some(({ ended }) => ended?.how === 'ran')).length,
    used: used.length,
    ms: sumOf(ends.map(({ ms }) => ms)) ?? 0,
    costUsd: sumOf(ends.map(({ metrics }) => metrics?.costUsd)),
    tokens: sumOf(ends.flatMap(({ metrics }) => [metrics?.inputTokens, metrics?.outputTokens])),
    savedMs: sumOf(sources.map(({ ms }) => ms)) ?? 0,
    savedUsd: sumOf(sources.map(({ metrics }) => metrics?.costUsd)),
  };
}

/** Time and cost of all attempts of a series: what using its output saves. @param ends of its unit in its run */
export function totalOf(ends: readonly EndedEntry[], entry: EndedEntry): Pick<Checkpoint, 'ms' | 'costUsd'> {
  const series = seriesOf(ends, entry);
  const costUsd = sumOf(series.map(({ metrics }) => metrics?.costUsd));
  return { ms: sumOf(series.map(({ ms }) => ms))!, ...(costUsd !== undefined && { costUsd }) };
}

/** The sum of the known amounts, rounded to millionths so that dollars add up; undefined: none is known. */
export function sumOf(amounts: readonly (number | undefined)[]): number | undefined {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length === 0 ? undefined : Math.round(known.reduce((sum, amount) => sum + amount, 0) * 1e6) / 1e6;
}
