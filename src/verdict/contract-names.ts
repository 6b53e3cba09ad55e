import { isJsonObject, type JsonValue } from '../json/json.ts';
import { pointerSegments } from '../json/pointer.ts';
import type { Contract } from './contract.ts';

/** The keys of an output that its contract itself names: whoever reads the contract knows them. */
export function namesInContract({ schema, score, exports = [], result, message, redact = [] }: Contract): Set<string> {
  const pointers = [score, result?.pointer, message, ...exports, ...redact];
  const names = new Set(pointers.flatMap((pointer) => (pointer === undefined ? [] : pointerSegments(pointer))));
  const open: JsonValue[] = schema === undefined ? [] : [schema];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (isJsonObject(one)) for (const name of Object.keys(one)) names.add(name);
    if (typeof one === 'object' && one !== null) open.push(...Object.values(one));
  }
  return names;
}
