import { expect } from 'vitest';
import type { UnitKey } from '../../src/pipeline/pipeline.ts';
import { contentsOf } from '../../src/run/state/missing-output.ts';
import type { RunState, ExternalFacts } from '../../src/run/state/run-state.ts';
import { exportsOfNeeds, type CallReport, type DrivenHistory } from '../support/driven-history.ts';

export function doneOf(state: RunState): UnitKey[] {
  return [...state.units.values()].filter((unit) => unit.done).map((unit) => unit.key);
}

/** Everything that must be true of a run at any moment, told what it would be given now. */
export function expectSound(history: DrivenHistory, state: RunState, told: Partial<ExternalFacts>): void {
  for (const [key, unit] of state.units) {
    const { needs } = history.graph.get(key)!;
    if (!unit.done) continue;
    expect(
      needs.filter((need) => !state.units.get(need)!.done),
      `${key} is done, and so is what it needs`,
    ).toEqual([]);
    expect(unit.exports, key).toBeDefined();
    if (unit.status === 'skipped') continue;
    expect(unit.ended!.needs, `${key} was given what its needs export now`).toEqual(
      exportsOfNeeds(history.graph.get(key)!, state.units),
    );
    const present = told.fingerprints?.get(key);
    if (present !== undefined) expect(unit.ended!.fingerprint, `${key} has the present fingerprint`).toBe(present);
    const gone = contentsOf(unit.ended!).filter(({ digest }) => history.agents.lost.has(digest));
    expect(gone, `the output of ${key} is there`).toEqual([]);
  }
}

/** By the memory of who made what: no output is used that was made of anything else than what would be given now. */
export function expectNothingStale(history: DrivenHistory, state: RunState): void {
  for (const unit of history.graph.values()) {
    const { done, ended: end } = state.units.get(unit.key)!;
    if (!done || end === undefined) continue;
    expect(history.agents.madeOf(unit, exportsOfNeeds(unit, state.units)), `exports of ${unit.key}`).toContain(
      end.exports!.digest,
    );
  }
}

/** What a call settled meets the contracts as they are now, or somebody approved of it. */
export function expectContractsMet(history: DrivenHistory, state: RunState, { settled }: CallReport): void {
  for (const key of settled) {
    const { done, ended: end, decided: by } = state.units.get(key)!;
    const { gate } = history.graph.get(key)!;
    if (!done || end === undefined) continue;
    const { status } = history.agents.judge(gate.id, history.agents.read(end.value!).quality);
    const enough =
      status === 'passed' ||
      (status === 'partial' && gate.contract.partial === 'continue') ||
      by?.decision === 'approve';
    expect(enough, `${key}: ${status}, ${gate.contract.partial}`).toBe(true);
  }
}
