import type { FileProblem, ImportedGate, ImportedRun } from '../../formats/exchange.ts';
import { legInFileName } from '../../formats/state-guide/file-names.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { sourceText } from '../../pipeline/data-legs.ts';
import { unitKey, type Gate, type Pipeline, type UnitKey } from '../../pipeline/pipeline.ts';
import { count, oneLine } from '../../report/text.ts';
import { unitsOf } from '../../run/records/unit.ts';
import { gateId } from './definition.ts';

/** The output of a gate or of one of its legs, and where it is. */
export interface PlacedOutput {
  readonly output: JsonValue;
  readonly issues?: ImportedGate['issues'] | undefined;
  readonly place: ImportedGate['place'];
}

/** Outputs by the unit that they are adopted for, each after those that it needs; and why others have none. */
export interface PlacedOutputs {
  readonly placed: ReadonlyMap<UnitKey, PlacedOutput>;
  readonly problems: readonly FileProblem[];
}

/** Finds the gate or leg of each output in a pipeline. */
export function placedIn(run: ImportedRun, pipeline: Pipeline): PlacedOutputs {
  const problems: FileProblem[] = [];
  const found = new Map<UnitKey, PlacedOutput>();
  for (const one of run.gates) {
    if (one.output === undefined) continue;
    const units = unitsFor(one, one.output, pipeline);
    if (typeof units === 'string') problems.push({ ...one.place, message: units });
    else for (const [key, placed] of units) found.set(key, placed);
  }
  if (problems.length === 0) problems.push(...missingLegs(run, pipeline, found));
  const order = [...unitsOf(pipeline).keys()].filter((key) => found.has(key));
  return { placed: new Map(order.map((key) => [key, found.get(key)!])), problems };
}

/** The units of an output; a text: why it has none. */
function unitsFor(one: ImportedGate, output: JsonValue, { gates }: Pipeline): [UnitKey, PlacedOutput][] | string {
  const id = gateId(one, gates);
  const gate = gates.find((known) => known.id === id);
  const { place, leg, issues } = one;
  if (gate === undefined) {
    const name = typeof one.gate === 'number' ? `with number ${one.gate}` : id;
    return `the definition has no gate ${name}: \`--write\` adds it`;
  }
  if (gate.legsFrom !== undefined)
    return `gate ${id}: which legs it has is in \`${sourceText(gate.legsFrom)}\` of a run, so an output from outside has no place`;
  if (leg === undefined && gate.legs[0]?.id === '') return [[id, { output, issues, place }]];
  if (leg !== undefined) {
    const own = gate.legs.find((known) => known.id !== '' && legInFileName(known.id) === leg);
    if (own !== undefined) return [[unitKey(id, own.id), { output, issues, place }]];
    const has = gate.legs[0]?.id === '' ? 'it has no matrix' : `it has the legs ${legNames(gate)}`;
    return `gate ${id}: it is of the leg ${oneLine(leg)}, and in the definition ${has}`;
  }
  const byLeg = legsIn(output, gate);
  if (byLeg === undefined)
    return `gate ${id} has ${count(gate.legs.length, 'leg')} (${legNames(gate)}), and the file has one output without their names`;
  return byLeg.map(([name, value]) => [
    unitKey(id, name),
    { output: value, place: { file: place.file, pointer: place.pointer + pointerOf([name]) } },
  ]);
}

/** The outputs of a gate by leg, as an export writes them; `undefined`: it is anything else. */
function legsIn(output: JsonValue, { legs }: Gate): [string, JsonValue][] | undefined {
  if (!isJsonObject(output)) return undefined;
  const entries = Object.entries(output);
  const known = new Set(legs.map(({ id }) => id));
  return entries.length === known.size && entries.every(([name]) => known.has(name)) ? entries : undefined;
}

function legNames({ legs }: Gate): string {
  const names = legs.slice(0, 10).map(({ id }) => id);
  return [...names, ...(legs.length > names.length ? ['…'] : [])].join(', ');
}

/** A gate that is completed is so with all of its legs. */
function missingLegs(
  { gates: imported }: ImportedRun,
  { gates }: Pipeline,
  found: ReadonlyMap<UnitKey, PlacedOutput>,
): FileProblem[] {
  const whole = new Map(imported.flatMap((one) => (one.isWhole === true ? [[gateId(one, gates), one] as const] : [])));
  return [...whole].flatMap(([id, { place }]) => {
    const legs = gates.find((gate) => gate.id === id)?.legs ?? [];
    const missing = legs.filter((leg) => !found.has(unitKey(id, leg.id)));
    return missing.map((leg) => ({
      file: place.file,
      pointer: '',
      message: `gate ${id} is completed, and the file of its leg ${leg.id} is missing`,
    }));
  });
}
