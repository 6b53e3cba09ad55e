import { valueAt } from '../json/pointer.ts';
import { legsFromList } from '../pipeline/matrix.ts';
import type { Gate, Leg } from '../pipeline/pipeline.ts';
import type { Content, EndedEntry } from '../run/entry.ts';
import type { Unit } from '../run/units.ts';
import type { Call } from './call.ts';
import { readValue } from './values.ts';

/** The legs of gates whose matrix is a list in this output. An output without that list has failed: it sets no legs. */
async function findLegs(call: Call, { gate: { id } }: Unit, output: Content | undefined) {
  const legs = new Map<Gate, readonly Leg[]>();
  for (const gate of call.graph.matricesFrom(id)) {
    if (!gate.matrix || !('from' in gate.matrix)) continue;
    const { pointer, variable } = gate.matrix.from;
    const value = output && (await readValue(call, output.digest));
    const list = value === undefined ? { legs: [] } : legsFromList(valueAt(value, pointer), variable);
    if ('legs' in list) legs.set(gate, list.legs);
  }
  return legs;
}

/** The legs from an output, as its entry records them. */
export async function legsEntry(
  call: Call,
  unit: Unit,
  output: Content | undefined,
): Promise<Pick<EndedEntry, 'legs'>> {
  const lists = [...(await findLegs(call, unit, output))];
  if (lists.length === 0) return {};
  return { legs: Object.fromEntries(lists.map(([{ id }, legs]) => [id, legs.map((leg) => ({ ...leg }))])) };
}

/** Creates the units of gates whose matrix is a list in the output of this one. */
export async function setLegs(call: Call, unit: Unit, output: Content | undefined): Promise<void> {
  for (const [gate, legs] of await findLegs(call, unit, output)) {
    call.graph.setLegs(gate, legs);
    if (legs.length === 0) call.notice(`${gate.id} has no legs: ${unit.gate.id} made an empty list`);
  }
}
