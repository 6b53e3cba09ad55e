import { canonicalJson } from '../../json/canonical-json.ts';
import { digestOf } from '../../json/digest.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Content } from './record.ts';
import type { Unit } from './unit.ts';

/**
 * The item that a leg of a matrix over data gets from the output with the list. A leg gets only its own item, so it
 * does not run again because another item changed. `undefined`: the unit gets all exports of the gate.
 */
export function itemGiven({ gate, leg }: Unit, need: UnitKey): Content | undefined {
  if (gate.legsFrom?.gate !== need || leg.id === '') return undefined;
  const item = Buffer.from(canonicalJson(leg.matrix));
  return { digest: digestOf(item), bytes: item.length };
}
