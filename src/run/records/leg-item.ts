import { canonicalJson } from '../../json/canonical-json.ts';
import { digestOf } from '../../json/digest.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Content } from './record.ts';
import type { Unit } from './unit.ts';

/**
 * What a leg of a matrix over data is given of the output with the list: its own item, so that it does not run again
 * because another item changed. `undefined`: the unit is given all that the need exports.
 */
export function itemGiven({ gate, leg }: Unit, need: UnitKey): Content | undefined {
  if (gate.legsFrom?.gate !== need || leg.id === '') return undefined;
  const item = Buffer.from(canonicalJson(leg.matrix));
  return { digest: digestOf(item), bytes: item.length };
}
