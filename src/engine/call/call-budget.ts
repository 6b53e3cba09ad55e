import { GatelineError } from '../../errors/gateline-error.ts';
import { attemptsOf, type Attempt } from '../../history/attempts.ts';
import {
  amountIn,
  bothSpent,
  limitsOf,
  reservationFor,
  spentByAttempts,
  spentByOutcomes,
  withinBudget,
  type BudgetDecision,
  type Reservation,
} from '../../history/budget.ts';
import { keptSubject, type GateOutcome } from '../../history/entry.ts';
import { firstOf, gateKey } from '../../history/query.ts';
import { ESTIMATE_RUNS } from '../../history/statistics/estimate.ts';
import { dayIn, DEFAULT_TIMEZONE, startOfDay } from '../../history/statistics/days.ts';
import { BUDGET_MEASURES, type Budget, type BudgetMeasure } from '../../pipeline/budget.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Call } from './call.ts';

/** What a call knows of its budget. */
type AboutCall = Pick<Call, 'ports' | 'assignment' | 'journal' | 'graph'>;

/** The answer about one gate. */
export interface Asked extends BudgetDecision {
  readonly reservation: Reservation;
  /** What to say about the reservation; `undefined`: there is no limit. */
  readonly notice?: string;
}

/** Whether gates of a call may start, by what the pipeline may spend. */
export interface CallBudget {
  /** Decides, and reserves if the gate may start. Nothing else is decided in between. */
  take(unit: Unit): Asked;
  /** The gate has ended, or did not start: nothing is reserved for it any more. */
  release(unit: Unit): void;
}

const NO_LIMITS: Budget = { gate: undefined, run: undefined, day: undefined, onUnknown: 'allow', prices: undefined };

/** The budget of a call. What was spent is read from records, for other runs from their history. */
export function callBudget(call: AboutCall): CallBudget {
  const { pipeline } = call.assignment;
  const reserved = new Map<UnitKey, Reservation>();
  const budget = pipeline.budget ?? NO_LIMITS;
  const measures = BUDGET_MEASURES.filter((measure) =>
    [budget.run, budget.day, ...pipeline.gates.map((gate) => gate.budget)].some((one) => one?.[measure] !== undefined),
  );
  const medians = once(() => earlierOutcomes(call));
  const others = once(() => spentByOutcomes(budget.day === undefined ? [] : outcomesOfToday(call)));
  return {
    take: (unit) => {
      if (measures.length === 0) return { choice: 'start', reason: '', reservation: { amount: {}, from: 'none' } };
      reserved.delete(unit.key);
      const running = runningIn(call, reserved);
      running.delete(unit.key);
      const attempts = attemptsOf(call.journal.records(), call.journal.state());
      const mine = spentByAttempts(attempts.filter(({ key }) => key === unit.key), running);
      const reservationOf = ({ key, gate }: Unit): Reservation => {
        const own = spentByAttempts(attempts.filter((one) => one.key === key), running);
        return reservationFor(gate.budget, own, medians().get(key) ?? [], measures);
      };
      const reservation = reservationOf(unit);
      const elsewhere = [...running].filter((key) => !reserved.has(key)).map((key) => reservationOf(call.graph.get(key)!));
      const decision = withinBudget({
        budget,
        gate: { most: unit.gate.budget, spent: mine },
        own: reservation.amount,
        reserved: [...reserved.values(), ...elsewhere].map(({ amount }) => amount),
        spent: {
          run: spentByAttempts(attempts, running),
          day: bothSpent(others(), spentByAttempts(attempts.filter(isOfToday(call)), running)),
        },
      });
      if (decision.choice === 'start') reserved.set(unit.key, reservation);
      return { ...decision, reservation, notice: noticeAbout(reservation, measures) };
    },
    release: ({ key }) => void reserved.delete(key),
  };
}

/** @throws GatelineError `BUDGET_EXCEEDED` if a gate may not start */
export function refuseOverBudget(call: Pick<Call, 'budget'>, unit: Unit): void {
  const { choice, reason } = call.budget.take(unit);
  if (choice !== 'start') throw new GatelineError('BUDGET_EXCEEDED', `gate ${unit.key} does not start: ${reason}`);
}

/** Units that are about to start, and units whose claim is in force. */
function runningIn({ journal }: AboutCall, reserved: ReadonlyMap<UnitKey, Reservation>): Set<UnitKey> {
  const claimed = [...journal.state().units.values()].filter(({ status }) => status === 'running');
  return new Set([...reserved.keys(), ...claimed.map(({ key }) => key)]);
}

/** The gates of the newest runs, by unit. */
function earlierOutcomes({ ports, assignment }: AboutCall): ReadonlyMap<UnitKey, GateOutcome[]> {
  const newest = firstOf(ports.pastGates?.(assignment.pipeline.id) ?? [], ESTIMATE_RUNS);
  return Map.groupBy([...newest].flatMap(({ gates }) => gates), gateKey);
}

/** The gates of all other runs that began today. */
function outcomesOfToday({ ports, assignment, journal }: AboutCall): GateOutcome[] {
  const { pipeline, subject } = assignment;
  const zone = pipeline.timezone ?? DEFAULT_TIMEZONE;
  const since = startOfDay(dayIn(zone)(ports.now().toISOString()), zone)!;
  const { runNumber } = journal.call;
  return [...(ports.pastGates?.(pipeline.id, since) ?? [])]
    .filter((one) => one.run !== runNumber || one.subject !== keptSubject(subject))
    .flatMap(({ gates }) => gates);
}

function isOfToday({ ports, assignment }: AboutCall): (attempt: Attempt) => boolean {
  const dayOf = dayIn(assignment.pipeline.timezone ?? DEFAULT_TIMEZONE);
  const today = dayOf(ports.now().toISOString());
  return ({ started, ended }) => dayOf(ended?.startedAt ?? started!.at) === today;
}

function noticeAbout({ amount, from }: Reservation, measures: readonly BudgetMeasure[]): string {
  const parts = limitsOf(amount).map(([measure, value]) => amountIn(measure, value));
  if (parts.length === 0) return `reserves nothing of the budget: no earlier run shows its ${measures.join(' or ')}`;
  const why = from === 'budget' ? 'its own budget' : 'the median of earlier runs';
  return `reserves ${parts.join(', ')} of the budget: ${why}`;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
