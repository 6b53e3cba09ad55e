import { firstNames } from '../../errors/first-names.ts';
import { attemptsOf, type Attempt } from '../../history/attempts.ts';
import {
  amountIn,
  reservationFor,
  spentBy,
  sumOfSpent,
  withinBudget,
  type BudgetLimit,
  type Spending,
  type SpendingToday,
} from '../../history/budget.ts';
import type { GateOutcome } from '../../history/entry.ts';
import type { Prices } from '../../history/prices.ts';
import { firstOf, gateKey } from '../../history/query.ts';
import { ESTIMATE_RUNS } from '../../history/statistics/estimate.ts';
import { BUDGET_MEASURES, limitsOf, type BudgetAmount, type BudgetMeasure } from '../../pipeline/budget.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { PlannedBudget, Reservation } from '../../run/plan/plan.ts';
import type { Unit, UnitGraph } from '../../run/records/unit.ts';
import { pausedByBudget, type RunState } from '../../run/state/run-state.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { attemptsToday, otherSubjects, spendingKey, type OneSubject } from './day-spending.ts';
import type { Journal } from './journal.ts';
import { readPrices } from './price-table.ts';

/** The budget of a call, and what is spent and reserved. */
interface AboutCall extends OneSubject {
  readonly journal: Journal;
  /** Where the table of prices is read: where contracts are. */
  readonly files: Pick<Workspace, 'readText'>;
  /** It is a job of a CI run, which sees no other run. */
  readonly isJob: boolean;
}

/** The answer about one gate. */
export interface BudgetAnswer extends PlannedBudget {
  /** Why it may not start; empty if it may. */
  readonly reason: string;
  /** For people: what is reserved, and what is not known. */
  readonly notices: readonly string[];
}

/** Whether gates of a call may start, by what the pipeline may spend. */
export interface CallBudget {
  /** Whether a gate can start. `undefined`: there is no limit. */
  ask(unit: Unit): Promise<BudgetAnswer | undefined>;
  /** Like {@link ask}, but also reserves if the gate can start. No other decision is made in between. */
  take(unit: Unit): Promise<BudgetAnswer | undefined>;
  /** The gate has ended, or did not start: its reservation is released. */
  release(unit: Unit): void;
  /**
   * The prices of models, if the pipeline names a file. Read once, before any agent starts.
   * @throws GatelineError `PRICES_INVALID`
   */
  prices(): Promise<Prices | undefined>;
}

/** The budget of a call. What was spent is read from records, what a gate usually spends from the history. */
export function callBudget(call: AboutCall): CallBudget {
  return new Budgeting(call);
}

class Budgeting implements CallBudget {
  readonly #call: AboutCall;
  /** `undefined` also in a job that does not know what other runs spent. */
  readonly #day: BudgetAmount | undefined;
  /** Those that are limited for the run or the day: nothing else is reserved. */
  readonly #measures: readonly BudgetMeasure[];
  /** Units that this call starts or has started, and that have not ended. */
  readonly #taken = new Set<UnitKey>();
  readonly #earlier = once(() => earlierOutcomes(this.#call));
  readonly #others = once(() => otherSubjects(this.#call, (key, own) => this.#reservation(key, own).amount));
  readonly prices = once(() => pricesOf(this.#call));

  constructor(call: AboutCall) {
    this.#call = call;
    const { run, day } = call.pipeline.budget ?? {};
    this.#day = call.isJob && call.ports.spentSince === undefined ? undefined : day;
    this.#measures = BUDGET_MEASURES.filter(
      (measure) => run?.[measure] !== undefined || this.#day?.[measure] !== undefined,
    );
  }

  ask(unit: Unit): Promise<BudgetAnswer | undefined> {
    return this.#decide(unit, false);
  }

  take(unit: Unit): Promise<BudgetAnswer | undefined> {
    return this.#decide(unit, true);
  }

  release({ key }: Unit): void {
    this.#taken.delete(key);
  }

  async #decide({ key, gate }: Unit, takes: boolean): Promise<BudgetAnswer | undefined> {
    if (this.#measures.length === 0 && gate.budget === undefined) return undefined;
    const others = this.#day === undefined ? new Map<string, Spending>() : await this.#others();
    // There is no `await` below: if two gates ask, the second one sees the reservation of the first.
    const { journal, pipeline } = this.#call;
    const { run, onUnknown = 'allow' } = pipeline.budget ?? {};
    const attempts = attemptsOf(journal.records(), journal.state());
    const own = attempts.filter((one) => one.key === key);
    const reserves = this.#reservation(key, own);
    const inRun = this.#spending(attempts, key);
    const inGate: Spending = { spent: spentBy(own, NONE), reserved: [] };
    const limits: BudgetLimit[] = [
      ...(gate.budget ? [{ scope: 'gate' as const, most: gate.budget, ...inGate }] : []),
      ...(run ? [{ scope: 'run' as const, most: run, ...inRun }] : []),
      ...(this.#day ? [{ scope: 'day' as const, most: this.#day, ...this.#today(others, key) }] : []),
    ];
    const { choice, reason } = withinBudget(limits, reserves.amount, onUnknown);
    if (takes && choice === 'start') this.#taken.add(key);
    return { choice, reason, reserves, notices: noticesAbout(reserves, limits, this.#measures) };
  }

  /** @param own the attempts of the unit */
  #reservation(key: UnitKey, own: readonly Attempt[]): Reservation {
    const { gates } = this.#call.pipeline;
    const most = gates.find(({ id }) => id === key.split('/', 1)[0])?.budget;
    const isKnown = this.#measures.every((measure) => most?.[measure] !== undefined);
    const earlier = isKnown ? undefined : this.#earlier().get(key);
    return reservationFor(most, spentBy(own, NONE), earlier ?? [], this.#measures);
  }

  /** @param except a unit that counts as not running */
  #spending(attempts: readonly Attempt[], except?: UnitKey): Spending {
    const running = runningIn(this.#call, this.#taken);
    if (except !== undefined) running.delete(except);
    const byUnit = Map.groupBy(attempts, ({ key }) => key);
    const reserved = [...running].map((key) => this.#reservation(key, byUnit.get(key) ?? []).amount);
    return { spent: spentBy(attempts, running), reserved };
  }

  /** @param others what other subjects spent before this call began */
  #today(others: ReadonlyMap<string, Spending>, except: UnitKey): Spending {
    const { ports, pipeline, subject, journal } = this.#call;
    const spending: SpendingToday = (one) => this.#spending(attemptsToday(this.#call, journal.records()), one);
    // Calls for other subjects may work in this process: what those spend changes.
    const calls = ports.spending ?? new Map<string, SpendingToday>();
    const place = (other: string): string => spendingKey(pipeline, other);
    calls.set(place(subject), spending);
    const now = [...calls].filter(([key]) => key.startsWith(place('')));
    const all = [
      ...now.map(([key, of]) => of(key === place(subject) ? except : undefined)),
      ...[...others].filter(([other]) => !calls.has(place(other))).map(([, one]) => one),
    ];
    return { spent: sumOfSpent(all.map(({ spent }) => spent)), reserved: all.flatMap(({ reserved }) => reserved) };
  }
}

const NONE: ReadonlySet<UnitKey> = new Set();

async function pricesOf({ files, pipeline }: AboutCall): Promise<Prices | undefined> {
  const path = pipeline.budget?.prices;
  return path === undefined ? undefined : readPrices(files, path);
}

/** Units that this call starts, and units whose claim is in force. */
function runningIn({ journal }: AboutCall, taken: ReadonlySet<UnitKey>): Set<UnitKey> {
  const claimed = [...journal.state().units.values()].filter(({ status }) => status === 'running');
  return new Set([...taken, ...claimed.map(({ key }) => key)]);
}

/** The outcomes of the gates in the newest runs, by unit. */
function earlierOutcomes({ ports, pipeline }: AboutCall): ReadonlyMap<UnitKey, GateOutcome[]> {
  const newest = firstOf(ports.pastRuns?.gates(pipeline.id) ?? [], ESTIMATE_RUNS);
  return Map.groupBy(
    [...newest].flatMap(({ gates }) => gates),
    gateKey,
  );
}

function noticesAbout(
  { amount, from }: Reservation,
  limits: readonly BudgetLimit[],
  measures: readonly BudgetMeasure[],
): string[] {
  const parts = limitsOf(amount).map(([measure, value]) => amountIn(measure, value));
  const why = from === 'budget' ? 'its own budget' : 'the median of earlier runs';
  const nothing = `reserves nothing: it has no budget of its own, and no earlier run shows its ${measures.join(' or ')}`;
  const reserves = parts.length === 0 ? nothing : `reserves ${parts.join(', ')}: ${why}`;
  return [...(measures.length === 0 ? [] : [reserves]), ...unknownOf(limits)];
}

/** Which limited measures of which units are not known. */
function unknownOf(limits: readonly BudgetLimit[]): string[] {
  const all = limits.flatMap(({ most, spent }) =>
    limitsOf(most).flatMap(([measure]) => spent.unknown[measure].map((key) => `the ${measure} of ${key}`)),
  );
  return all.length === 0 ? [] : [`unknown, and not counted in the budget: ${firstNames([...new Set(all)], 10)}`];
}

/** The state of a call's run, with the units that may not start because of the budget. No record says so. */
export async function stateInBudget({
  budget,
  journal,
  graph,
}: {
  readonly budget: CallBudget;
  readonly journal: Journal;
  readonly graph: UnitGraph;
}): Promise<RunState> {
  const state = journal.state();
  if (state.status === 'completed' || state.status === 'rollback' || state.decided.closed !== undefined) return state;
  const reasons = new Map<string, string>();
  for (const { key, status, done } of state.units.values()) {
    const unit = graph.get(key);
    if (done || unit === undefined || (status !== 'ready' && status !== 'lost')) continue;
    const asked = await budget.ask(unit);
    if (asked !== undefined && asked.choice !== 'start') reasons.set(key, asked.reason);
  }
  return pausedByBudget(state, reasons);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
