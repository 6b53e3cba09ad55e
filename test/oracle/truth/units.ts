import { unitKey, type Gate, type Pipeline } from '../../../src/pipeline/pipeline.ts';

/** A gate, or one leg of it. */
export interface Unit {
  readonly key: string;
  readonly gate: Gate;
  /** Units that it needs directly, and gates that it needs at all. */
  readonly needs: readonly string[];
  readonly ancestors: ReadonlySet<string>;
}

/** @param legsFrom the legs that the output of a gate asks for. Default: none, it has no output yet */
export function unitsOf(
  { gates }: Pipeline,
  legsFrom: (gate: string) => readonly string[] = () => [],
): Map<string, Unit> {
  const ancestors = new Map<string, Set<string>>();
  const keys = new Map<string, string[]>();
  const units = new Map<string, Unit>();
  for (const gate of gates) {
    const { matrix } = gate;
    const legs = matrix && ('from' in matrix ? legsFrom(matrix.from.gate) : matrix.legs.map(({ id }) => id));
    ancestors.set(gate.id, new Set(gate.needs.flatMap((need) => [need, ...ancestors.get(need)!])));
    keys.set(
      gate.id,
      (legs ?? ['']).map((id) => unitKey(gate.id, id)),
    );
    // A gate without legs is there as one that has nothing.
    const needs = gate.needs.flatMap((need) => (keys.get(need)!.length > 0 ? keys.get(need)! : [need]));
    for (const key of keys.get(gate.id)!) units.set(key, { key, gate, needs, ancestors: ancestors.get(gate.id)! });
  }
  return units;
}

export function owns({ gate: { files } }: Unit, path: string): boolean {
  return files === 'changed' || (files ?? []).includes(path);
}
