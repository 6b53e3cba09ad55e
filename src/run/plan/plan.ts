import type { BudgetAmount } from '../../pipeline/budget.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Difference } from './difference.ts';
import type { Digest } from '../../json/digest.ts';
import type { Position, Source } from '../records/record.ts';
import { needNames, type Unit } from '../records/unit.ts';

/**
 * What will happen to a unit:
 * - `keep`: already done in this run; nothing happens
 * - `reuse`: an earlier output is used instead of running the agent
 * - `adopt`: an earlier output is used although its request changed, by a person's decision
 * - `run`: the agent is started
 * - `send-back`: it failed, and its work is sent back to a gate upstream
 * - `wait`: the agent runs by itself, between `gateline begin` and `gateline complete`
 * - `skip`: skipped by a decision
 * - `not-applicable`: its `if` is false
 * - `depends`: cannot be known before its needs have run
 * - `blocked`: it cannot run; the reason says why
 */
export type PlanChoice =
  | 'keep'
  | 'reuse'
  | 'adopt'
  | 'run'
  | 'send-back'
  | 'wait'
  | 'skip'
  | 'not-applicable'
  | 'depends'
  | 'blocked';

/** The plan for one unit, and why. */
export interface PlannedUnit {
  readonly key: UnitKey;
  readonly gate: string;
  readonly leg: string;
  readonly choice: PlanChoice;
  /** For people: the reason for this choice. One sentence, no markup. */
  readonly reason: string;
  /** `undefined` if it cannot be known yet. */
  readonly fingerprint: Digest | undefined;
  /** The origin of a kept or reused output; with its subject if that is another one. */
  readonly from: (Position & Pick<Source, 'subject'>) | undefined;
  /** For `run`: the differences from the unit's last request; empty if there is none. */
  readonly differences: readonly Difference[];
  /** Information that does not affect the plan: no `inputs` declared, a skip that expires … */
  readonly notices: readonly string[];
  /** Whether the budget lets it start, if it would run and there is a budget. */
  readonly budget?: PlannedBudget;
}

/** The budget that is reserved for a gate that is about to start, or that runs. */
export interface Reservation {
  readonly amount: BudgetAmount;
  /** Its own budget, the median of its earlier runs, or nothing is known. */
  readonly from: 'budget' | 'history' | 'none';
}

/** `wait`: it may start if gates that run spend less than is reserved for them. */
export interface PlannedBudget {
  readonly choice: 'start' | 'wait' | 'blocked';
  readonly reserves: Reservation;
}

/** The plan of a call, in graph order. */
export interface Plan {
  readonly pipeline: string;
  readonly subject: string;
  readonly runNumber: number;
  readonly runAttempt: number;
  /** Whether it continues an open run. */
  readonly continues: boolean;
  readonly units: readonly PlannedUnit[];
}

/** The plan for one unit, without differences and notices. @param from the attempt whose output is used */
export function plannedUnit(
  unit: Unit,
  choice: PlanChoice,
  reason: string,
  work?: { readonly fingerprint: Digest },
  from?: Position,
): PlannedUnit {
  return {
    key: unit.key,
    gate: unit.gate.id,
    leg: unit.leg.id,
    choice,
    reason,
    fingerprint: work?.fingerprint,
    from: from && { runNumber: from.runNumber, runAttempt: from.runAttempt, n: from.n },
    differences: [],
    notices: [],
  };
}

/**
 * The plan for a unit that cannot be planned before others have run.
 * @param unusable why its last attempt is not reused even if its inputs are unchanged
 */
export function dependsOn(unit: Unit, waits: readonly UnitKey[], unusable?: string): PlannedUnit {
  const then =
    unusable === undefined ? 'reused if its inputs are unchanged' : `its last attempt is not reused: ${unusable}`;
  return plannedUnit(unit, 'depends', `waits for ${needNames(unit, waits).join(', ')}; ${then}`);
}
