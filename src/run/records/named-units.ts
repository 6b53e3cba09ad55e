import { GatelineError } from '../../errors/gateline-error.ts';
import type { JsonValue } from '../../json/json.ts';
import { DATA_LEG } from '../../pipeline/data-legs.ts';
import type { Leg } from '../../pipeline/pipeline.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import type { Unit, UnitGraph } from './unit.ts';

/** The values of a leg's matrix, as its name for people. */
export function legText({ matrix }: Pick<Leg, 'matrix'>): string {
  return leavesOf(matrix).join(', ');
}

function leavesOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : [String(value)];
}

/**
 * The units that names refer to: a gate with all of its legs by its id, one leg by its key or by the name that tables
 * show (`test/Firefox 120, linux`).
 * @param where what the names were given for, at the beginning of the error
 * @throws GatelineError `GATE_UNKNOWN`
 */
export function unitsNamed(graph: UnitGraph, names: readonly string[], where = ''): Unit[] {
  return names.flatMap((name) => {
    const units = [...graph.values()];
    const gate = units.filter((unit) => unit.gate.id === name);
    if (gate.length > 0) return gate;
    const leg = graph.get(name);
    if (leg !== undefined) return [leg];
    const shown = units.filter((unit) => `${unit.gate.id}/${legText(unit.leg)}` === name);
    if (shown.length === 1) return shown;
    const later = legToCome(graph, name);
    if (later !== undefined) return [later];
    throw unknown(units, name, where);
  });
}

/** A leg that an output may ask for: of a gate whose legs are not known yet. */
function legToCome(graph: UnitGraph, key: string): Unit | undefined {
  const [gate = '', leg = ''] = key.split('/');
  const waiting = graph.get(gate);
  if (waiting?.gate.legsFrom === undefined || key !== `${gate}/${leg}` || !DATA_LEG.test(leg)) return undefined;
  return { ...waiting, key, leg: { id: leg, matrix: {} } };
}

/**
 * The one unit that a name refers to.
 * @throws GatelineError `GATE_UNKNOWN`, also for a gate with several legs
 */
export function unitNamed(graph: UnitGraph, name: string): Unit {
  const [first, ...others] = unitsNamed(graph, [name]);
  if (others.length === 0) return first!;
  throw new GatelineError('GATE_UNKNOWN', `gate ${name} has ${others.length + 1} legs; name one of them`, {
    hint: legsHint([first!, ...others]),
  });
}

function unknown(units: readonly Unit[], name: string, where: string): GatelineError {
  const legs = units.filter(({ gate, leg }) => leg.id !== '' && name.startsWith(`${gate.id}/`));
  const gates = [...new Set(units.map(({ gate }) => gate.id))];
  const known = legs.length > 0 ? legs.map(({ key }) => key) : gates;
  const meant = didYouMean(name, known);
  const what = legs.length > 0 ? 'leg' : 'gate';
  const message = `${where}there is no ${what} ${name}${meant === undefined ? '' : `; ${meant}`}`;
  const hint = legs.length > 0 ? legsHint(legs) : `Gates: ${gates.join(', ')}.`;
  return new GatelineError('GATE_UNKNOWN', message, { hint });
}

function legsHint(legs: readonly Unit[]): string {
  return `Legs: ${legs.map(({ key }) => key).join(', ')}.`;
}
