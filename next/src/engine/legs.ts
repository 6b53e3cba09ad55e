import { GatelineError } from '../errors.ts';
import { valueAt } from '../json/pointer.ts';
import { legsOf, type Legs } from '../pipeline/matrix.ts';
import type { Gate } from '../pipeline/pipeline.ts';
import type { Content, EndedEntry } from '../run/entry.ts';
import type { Unit } from '../run/units.ts';
import type { Call } from './call.ts';
import { readValue } from './values.ts';

/** The legs that an output gives to gates whose matrix is a list in it, by gate, or why the list is none. */
async function findLegs(call: Call, { gate: { id } }: Unit, output: Content | undefined): Promise<Map<Gate, Legs>> {
  const legs = new Map<Gate, Legs>();
  for (const gate of call.graph.matricesFrom(id)) {
    if (!gate.matrix || !('from' in gate.matrix)) continue;
    const { pointer, variable } = gate.matrix.from;
    const value = output && (await readValue(call, output.digest));
    legs.set(gate, value === undefined ? { legs: [] } : legsOf(valueAt(value, pointer), variable));
  }
  return legs;
}

/** Legs as an entry notes them. */
export async function legsEntry(
  call: Call,
  unit: Unit,
  output: Content | undefined,
): Promise<Pick<EndedEntry, 'legs'>> {
  const lists = [...(await findLegs(call, unit, output))].flatMap(([{ id }, list]) =>
    'legs' in list ? [[id, list.legs.map((leg) => ({ ...leg }))] as const] : [],
  );
  return lists.length === 0 ? {} : { legs: Object.fromEntries(lists) };
}

/** Creates the units of gates whose matrix is a list in the output of this one. */
export async function setLegs(call: Call, unit: Unit, output: Content | undefined): Promise<void> {
  for (const [gate, list] of await findLegs(call, unit, output)) {
    if ('problem' in list)
      throw new GatelineError(
        'failed',
        `${gate.id} takes its legs from the output of ${unit.gate.id}: ${list.problem}`,
        {
          place: gate.place,
          hint: `Let ${unit.gate.id} write a list of at most 256 items; a schema makes its own gate fail instead.`,
        },
      );
    call.graph.setLegs(gate, list.legs);
    if (list.legs.length === 0) call.notice(`${gate.id} has no legs: ${unit.gate.id} made an empty list`);
  }
}
