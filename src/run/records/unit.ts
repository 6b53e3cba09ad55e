import { withLegs } from '../../pipeline/data-legs.ts';
import { RUN_GATE } from './record.ts';
import { unitKey, type Gate, type Leg, type Pipeline, type UnitKey } from '../../pipeline/pipeline.ts';

/** One unit of work: a gate, or one leg of a matrix gate. Runs, records and plans refer to units. */
export interface Unit {
  readonly key: UnitKey;
  readonly gate: Gate;
  readonly leg: Leg;
  /** Keys of the units that must be satisfied first: every leg of every needed gate. */
  readonly needs: readonly UnitKey[];
}

/** Units by key, ordered so that every unit comes after its needs; otherwise in file order. */
export type UnitGraph = ReadonlyMap<UnitKey, Unit>;

/** A graph of dependencies by key: units, or subjects of a set. Every key comes after those that it needs. */
export type NeedsGraph = ReadonlyMap<string, { readonly needs: readonly string[] }>;

/** The units of a checked pipeline (which has no cycles). */
export function unitsOf(pipeline: Pick<Pipeline, 'gates'>): UnitGraph {
  const gates = new Map(pipeline.gates.map((gate) => [gate.id, gate]));
  const ordered = new Map<UnitKey, Unit>();
  const done = new Set<string>();
  const pending = [...pipeline.gates].reverse();
  while (pending.length > 0) {
    const gate = pending.at(-1)!;
    const missing = done.has(gate.id) ? [] : gate.needs.filter((id) => !done.has(id));
    if (missing.length > 0) {
      pending.push(...missing.map((id) => gates.get(id)!).reverse());
      continue;
    }
    pending.pop();
    if (done.has(gate.id)) continue;
    done.add(gate.id);
    for (const unit of legsOf(gate, gates)) ordered.set(unit.key, unit);
  }
  return ordered;
}

/**
 * A graph with the legs that a state or a plan has, where only a run knows them. What those legs are given is not in
 * it: for views.
 */
export function graphOf(graph: UnitGraph, units: Iterable<{ readonly gate: string; readonly leg: string }>): UnitGraph {
  const gates = [...new Set([...graph.values()].map(({ gate }) => gate))];
  if (gates.every(({ legsFrom }) => legsFrom === undefined)) return graph;
  const legs = Map.groupBy(units, ({ gate }) => gate);
  const seen = gates.flatMap(({ id, legsFrom }) => (legsFrom && legs.has(id) ? [[id, legs.get(id)!] as const] : []));
  const known = seen.map(([id, list]) => [id, list.map(({ leg }): Leg => ({ id: leg, matrix: {} }))] as const);
  return unitsOf(withLegs({ gates }, new Map(known)));
}

/** The given keys that are not in the pipeline. A leg that an output no longer contains is not among them. */
export function strangersTo(graph: UnitGraph, keys: Iterable<UnitKey>): UnitKey[] {
  const changing = new Set([...graph.values()].flatMap(({ gate }) => (gate.legsFrom === undefined ? [] : [gate.id])));
  return [...keys].filter((key) => !graph.has(key) && key !== RUN_GATE && !changing.has(key.split('/', 1)[0]!));
}

/** Whether a unit is one of some that were named, or a leg of a gate among them whose legs were not known then. */
export function isAmong(
  named: ReadonlySet<UnitKey>,
  { key, gate }: { readonly key: UnitKey; readonly gate: string },
): boolean {
  return named.has(key) || named.has(gate);
}

function legsOf(gate: Gate, gates: ReadonlyMap<string, Gate>): Unit[] {
  const needs = gate.needs.flatMap((id) => gates.get(id)!.legs.map((leg) => unitKey(id, leg.id)));
  return gate.legs.map((leg) => ({ key: unitKey(gate.id, leg.id), gate, leg, needs }));
}

/** Names of some of a unit's needs for people: a gate of which all legs are among them by its id. */
export function needNames({ needs }: Pick<Unit, 'needs'>, some: readonly UnitKey[]): string[] {
  const gateOf = (key: UnitKey): string => key.split('/', 1)[0]!;
  const size = (keys: readonly UnitKey[], gate: string): number => keys.filter((key) => gateOf(key) === gate).length;
  const names = some.map((key) => (size(some, gateOf(key)) === size(needs, gateOf(key)) ? gateOf(key) : key));
  return [...new Set(names)];
}

/** Every unit downstream of this one, in the graph's order. */
export function descendantsOf(graph: UnitGraph, key: UnitKey): UnitKey[] {
  const found = new Set<UnitKey>([key]);
  for (const unit of graph.values()) if (unit.needs.some((need) => found.has(need))) found.add(unit.key);
  found.delete(key);
  return [...found];
}

/** Everything upstream of this one, in the graph's order. */
export function ancestorsOf(graph: NeedsGraph, key: string): string[] {
  const found = new Set<string>();
  const pending = [...(graph.get(key)?.needs ?? [])];
  while (pending.length > 0) {
    const next = pending.pop()!;
    if (found.has(next)) continue;
    found.add(next);
    pending.push(...(graph.get(next)?.needs ?? []));
  }
  return [...graph.keys()].filter((candidate) => found.has(candidate));
}
