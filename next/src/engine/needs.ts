import type { UnitKey } from '../pipeline/pipeline.ts';
import type { Unit } from '../run/units.ts';
import type { Call } from './call.ts';
import type { UnitOutput } from './ports.ts';
import type { Needs } from './request.ts';
import { storeValue } from './values.ts';

/** Whether all units of a gate are done in this call. One without legs is done when what it needs is: later gates need that too. */
export function isDone(call: Call, gate: string): boolean {
  const units = call.graph.unitsOf(gate);
  if (units?.length === 0) return call.graph.gate(gate)!.needs.every((need) => isDone(call, need));
  return units?.every(({ key }) => call.outcomes.get(key)?.result === 'done') ?? false;
}

/** What the needs of a unit have for it; undefined: one of them is not done in this call. */
export function needsOf(call: Call, { gate }: Unit): Needs | undefined {
  const needs = new Map<UnitKey, UnitOutput>();
  for (const id of gate.needs) {
    const standIn = gate.standIn ? call.standIns.get(id) : undefined;
    if (isDone(call, id)) for (const { key } of call.graph.unitsOf(id)!) needs.set(key, call.outcomes.get(key)!);
    else if (standIn) needs.set(id, standIn);
    else return undefined;
  }
  return needs;
}

/**
 * Lets values take the place of needs that are not done in this call (seed 000, step 0B): of gates that the call
 * does not work on, for gates with `stand-in`.
 */
export async function prepareStandIns(call: Call, isReplaceable: (gate: string) => boolean): Promise<void> {
  for (const [gate, { value, reason }] of call.order.standIns ?? []) {
    if (!isReplaceable(gate)) continue;
    const exports = await storeValue(call, call.order.redactor.json(value).value);
    const verdict = { status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' } as const;
    call.standIns.set(gate, {
      verdict: { ...verdict, issues: [{ severity: 'notice', message: reason }] },
      exports,
      handedOn: [],
    });
  }
}
