import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Difference } from './difference.ts';
import type { Digest } from '../../json/digest.ts';
import type { Position } from '../records/record.ts';
import type { Unit } from '../records/unit.ts';

/**
 * What is going to happen to a unit:
 * - `keep`: done in this run already; nothing happens
 * - `reuse`: an earlier output is used instead of running the agent
 * - `run`: the agent is started
 * - `wait`: the agent runs by itself, around `gateline begin` and `gateline complete`
 * - `skip`: somebody decided so
 * - `not-applicable`: its `if` is false
 * - `depends`: cannot be known before what it needs has run
 * - `blocked`: it cannot run; the reason says why
 */
export type PlanChoice = 'keep' | 'reuse' | 'run' | 'wait' | 'skip' | 'not-applicable' | 'depends' | 'blocked';

/** The plan for one unit, and why. */
export interface PlannedUnit {
  readonly key: UnitKey;
  readonly gate: string;
  readonly leg: string;
  readonly choice: PlanChoice;
  /** For people: why this choice. One sentence, no markup. */
  readonly reason: string;
  /** `undefined` when it cannot be known yet. */
  readonly fingerprint: Digest | undefined;
  /** Where a kept or reused output came from. */
  readonly from: Position | undefined;
  /** For `run`: what is different from the last time this unit was asked; empty when it never was. */
  readonly differences: readonly Difference[];
  /** Things to know that change nothing: no `inputs` declared, a skip that expires … */
  readonly notices: readonly string[];
}

/** What a call is going to do, in the order of the graph. */
export interface Plan {
  readonly pipeline: string;
  readonly subject: string;
  readonly runNumber: number;
  readonly runAttempt: number;
  /** Goes on with an open run. */
  readonly continues: boolean;
  readonly units: readonly PlannedUnit[];
}

/** The plan for a unit of which nothing more is known than what happens to it and why. */
export function plannedUnit(unit: Unit, choice: PlanChoice, reason: string): PlannedUnit {
  return {
    key: unit.key,
    gate: unit.gate.id,
    leg: unit.leg.id,
    choice,
    reason,
    fingerprint: undefined,
    from: undefined,
    differences: [],
    notices: [],
  };
}

/** The plan for a unit that cannot be planned before others have run. */
export function dependsOn(unit: Unit, waits: readonly UnitKey[]): PlannedUnit {
  return plannedUnit(unit, 'depends', `waits for ${waits.join(', ')}; reused if its inputs are unchanged`);
}
