import type { Gate, UnitKey } from '../pipeline/pipeline.ts';
import type { Unit, UnitGraph } from '../run/units.ts';
import type { Call } from './call.ts';
import type { UnitOutput } from './ports.ts';
import { emptyOutput, type Needs } from './plan/request.ts';
import { storeValue } from './values.ts';

/** Whether all units of a gate are done in this call. A gate without legs is done when its needs are. */
export function isDone(call: Call, gate: string): boolean {
  return outputsOf(call.graph, gate, (key) => doneOutput(call, key)) !== undefined;
}

/** The outputs of a unit's needs; undefined: one of them is not done in this call. */
export function needsOf(call: Call, { gate }: Unit): Needs | undefined {
  const standInOf = (id: string) => (gate.standIn ? call.standIns.get(id) : undefined);
  return collectNeeds(call.graph, gate, (key) => doneOutput(call, key), standInOf);
}

function doneOutput({ outcomes }: Call, key: UnitKey): UnitOutput | undefined {
  return outcomes.get(key)?.result === 'done' ? outcomes.get(key) : undefined;
}

/** The outputs of a gate's needs, or their stand-ins; undefined: a need has neither. */
export function collectNeeds(
  graph: UnitGraph,
  { needs }: Gate,
  outputOf: (key: UnitKey) => UnitOutput | undefined,
  standInOf: (gate: string) => UnitOutput | undefined = () => undefined,
): Needs | undefined {
  const all: [UnitKey, UnitOutput][] = [];
  for (const id of needs) {
    const standIn = standInOf(id);
    const outputs = outputsOf(graph, id, outputOf) ?? (standIn && [[id, standIn] as const]);
    if (outputs === undefined) return undefined;
    for (const [key, output] of outputs) all.push([key, output]);
  }
  return new Map(all);
}

/** The outputs of a gate by unit. A gate without legs counts as one unit: its output is empty, unless another job has one. */
function outputsOf(graph: UnitGraph, id: string, outputOf: (key: UnitKey) => UnitOutput | undefined) {
  const units = graph.unitsOf(id);
  if (units === undefined) return undefined;
  const outputs = units.map(({ key }) => [key, outputOf(key)] as const);
  if (units.length === 0) {
    const needs = outputOf(id) ? undefined : collectNeeds(graph, graph.gate(id)!, outputOf);
    outputs.push([id, needs ? emptyOutput(needs) : outputOf(id)]);
  }
  return outputs.every((pair): pair is [UnitKey, UnitOutput] => pair[1] !== undefined) ? outputs : undefined;
}

/** Stores the values that replace needs which are not done in this call, for gates with `stand-in`. */
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
