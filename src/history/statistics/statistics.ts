import { RUN_STATUSES, type RunStatus } from '../../run/state/run-state.ts';
import { NO_AMOUNT, type Amount } from '../amounts.ts';
import type { GateOutcome, GatesEntry, HistoryEntry } from '../entry.ts';
import { FlakyFinder, type FlakyGate } from './flaky.ts';
import { gateKey } from '../query.ts';
import { Numbers } from './numbers.ts';
import { percentileOf } from './quantiles.ts';

/** How long something took, in milliseconds, by nearest rank. `undefined`: there are fewer than 5 values. */
export interface Durations {
  readonly values: number;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

/** Statistics of runs. */
export interface RunStatistics {
  readonly runs: number;
  readonly statuses: Readonly<Record<RunStatus, number>>;
  /** Share of completed runs among those that were completed or failed, 0 to 1; `undefined`: there are none. */
  readonly successRate: number | undefined;
  /** Of completed runs: their working time. */
  readonly durations: Durations;
  /** Sums of what agents reported; `ms` is working time. */
  readonly spent: Amount;
}

/** Statistics of one gate, or of one leg. */
export interface GateStatistics {
  readonly pipeline: string;
  /** `gate`, or `gate/leg` if a gate was named. */
  readonly key: string;
  /** Runs, or legs in runs, in which its agent ran. */
  readonly ran: number;
  /** How many of those passed at the end. */
  readonly passed: number;
  /** Share of those whose first attempt passed, 0 to 1; `undefined`: there are none. Without reused outputs. */
  readonly firstPassRate: number | undefined;
  readonly durations: Durations;
  readonly spent: Amount;
  /** How often its output was reused, and what the reused outputs took when they were made. */
  readonly reused: number;
  readonly saved: Amount;
  /** How many requests had different verdicts by the same contract. */
  readonly flaky: number;
}

/** Statistics of some runs. */
export function runStatistics(entries: Iterable<HistoryEntry>): RunStatistics {
  const statuses = Object.fromEntries(RUN_STATUSES.map((status) => [status, 0])) as Record<RunStatus, number>;
  const durations = new Numbers();
  const spent = new Sum();
  let runs = 0;
  for (const { status, ms, cost, tokens } of entries) {
    runs += 1;
    statuses[status] += 1;
    if (status === 'completed') durations.add(ms);
    spent.add(ms, cost, tokens);
  }
  const judged = statuses.completed + statuses.error;
  return {
    runs,
    statuses,
    successRate: judged === 0 ? undefined : statuses.completed / judged,
    durations: durationsOf(durations),
    spent: spent.amount,
  };
}

/** Which gates {@link gateStatistics} is about. */
export interface GateChoice {
  /** Only this gate, or one of its legs (`gate/leg`), with one result for each leg. Default: all gates, not by leg. */
  readonly gate?: string | undefined;
}

/** The statistics of gates, by pipeline, and of a pipeline in the order in which they are found. */
export function gateStatistics(
  entries: Iterable<GatesEntry>,
  { gate }: GateChoice = {},
): { readonly gates: readonly GateStatistics[]; readonly flaky: readonly FlakyGate[] } {
  const found = new Map<string, Map<string, GateSums>>();
  const flaky = new FlakyFinder();
  for (const entry of entries) {
    for (const outcome of entry.gates) {
      const key = gate === undefined ? outcome.gate : gateKey(outcome);
      if (gate !== undefined && outcome.gate !== gate && key !== gate) continue;
      flaky.add(entry, outcome);
      sumsOf(found, entry.pipeline, key).add(outcome);
    }
  }
  const all = flaky.found();
  const gates = [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([pipeline, own]) =>
      [...own].map(([key, sums]) => {
        const mine = all.filter((one) => one.pipeline === pipeline && (one.gate === key || gateKey(one) === key));
        return { pipeline, key, ...sums.result(), flaky: mine.length };
      }),
    );
  return { gates, flaky: all };
}

function sumsOf(found: Map<string, Map<string, GateSums>>, pipeline: string, key: string): GateSums {
  let own = found.get(pipeline);
  if (own === undefined) found.set(pipeline, (own = new Map<string, GateSums>()));
  let sums = own.get(key);
  if (sums === undefined) own.set(key, (sums = new GateSums()));
  return sums;
}

/** The sums of one gate. */
class GateSums {
  readonly #durations = new Numbers();
  readonly #spent = new Sum();
  readonly #saved = new Sum();
  #ran = 0;
  #passed = 0;
  #first = 0;
  #firstPassed = 0;
  #reused = 0;

  add({ status, attempts, first, reused, ms, cost, tokens }: GateOutcome): void {
    if (reused) {
      this.#reused += 1;
      this.#saved.add(ms, cost, tokens);
      return;
    }
    if (attempts === 0) return;
    this.#ran += 1;
    if (status === 'passed') this.#passed += 1;
    if (first !== undefined) this.#first += 1;
    if (first === true) this.#firstPassed += 1;
    if (ms !== undefined) this.#durations.add(ms);
    this.#spent.add(ms, cost, tokens);
  }

  result(): Omit<GateStatistics, 'pipeline' | 'key' | 'flaky'> {
    return {
      ran: this.#ran,
      passed: this.#passed,
      firstPassRate: this.#first === 0 ? undefined : this.#firstPassed / this.#first,
      durations: durationsOf(this.#durations),
      spent: this.#spent.amount,
      reused: this.#reused,
      saved: this.#saved.amount,
    };
  }
}

/** A sum that allocates nothing for what it adds. */
class Sum {
  readonly amount: { -readonly [name in keyof Amount]: Amount[name] } = { ...NO_AMOUNT };

  add(ms: number | undefined, costUsd: number | undefined, tokens: number | undefined): void {
    const { amount } = this;
    if (ms !== undefined) amount.ms = (amount.ms ?? 0) + ms;
    if (costUsd !== undefined) amount.costUsd = (amount.costUsd ?? 0) + costUsd;
    if (tokens !== undefined) amount.tokens = (amount.tokens ?? 0) + tokens;
  }
}

function durationsOf(values: Numbers): Durations {
  const sorted = values.sorted();
  return { values: sorted.length, p50: percentileOf(sorted, 50), p95: percentileOf(sorted, 95) };
}
