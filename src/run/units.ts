import { GatelineError } from '../errors.ts';
import { didYouMean } from '../json/did-you-mean.ts';
import { orderByNeeds } from '../pipeline/graph.ts';
import { unitKey, type Gate, type Leg, type Pipeline, type UnitKey } from '../pipeline/pipeline.ts';

/** One node of work: a gate, or one leg of a matrix gate. */
export interface Unit {
  readonly key: UnitKey;
  readonly gate: Gate;
  readonly leg: Leg;
}

/** The leg of a gate without a matrix, or of one whose legs are not known yet. */
export const NO_LEG: Leg = { id: '', matrix: {} };

/** The units of a pipeline. Legs that come from data are added when their list is known. */
export class UnitGraph {
  readonly pipeline: Pipeline;
  readonly #gates: ReadonlyMap<string, Gate>;
  readonly #dynamic: readonly Gate[];
  readonly #ancestors = new Map<string, ReadonlySet<string>>();
  readonly #units = new Map<string, readonly Unit[]>();
  #all: readonly Unit[] | undefined;

  constructor(pipeline: Pipeline) {
    this.pipeline = pipeline;
    this.#gates = new Map(pipeline.gates.map((gate) => [gate.id, gate]));
    this.#dynamic = pipeline.gates.filter(({ matrix }) => matrix && 'from' in matrix);
    for (const gate of pipeline.gates) {
      const { matrix } = gate;
      if (matrix === undefined) this.setLegs(gate, [NO_LEG]);
      else if ('legs' in matrix) this.setLegs(gate, matrix.legs);
    }
  }

  setLegs(gate: Gate, legs: readonly Leg[]): void {
    this.#all = undefined;
    this.#units.set(
      gate.id,
      legs.map((leg) => ({ key: unitKey(gate.id, leg.id), gate, leg })),
    );
  }

  /** The units of a gate; undefined: its legs are not known yet. */
  unitsOf(gate: string): readonly Unit[] | undefined {
    return this.#units.get(gate);
  }

  /** All units that are known, in file order. */
  get units(): readonly Unit[] {
    return (this.#all ??= this.pipeline.gates.flatMap((gate) => this.#units.get(gate.id) ?? []));
  }

  unit(key: UnitKey): Unit | undefined {
    return this.#units.get(gateOf(key))?.find((unit) => unit.key === key);
  }

  gate(id: string): Gate | undefined {
    return this.#gates.get(id);
  }

  /** The gate with an id that a user wrote. @throws GatelineError `usage` with the id that is probably meant */
  requireGate(id: string): Gate {
    const gate = this.gate(id);
    if (gate !== undefined) return gate;
    const ids = this.pipeline.gates.map((other) => other.id);
    const hint = didYouMean(id, ids) ?? `It has ${ids.slice(0, 20).join(', ')}.`;
    throw new GatelineError('usage', `the pipeline has no gate ${id}`, { hint });
  }

  /** The unit with a key that a user wrote. A leg that comes from data may not be known yet. @throws GatelineError `usage` */
  requireUnit(key: UnitKey): Unit {
    const unit = this.unit(key);
    if (unit !== undefined) return unit;
    const gate = this.requireGate(gateOf(key));
    const units = this.unitsOf(gate.id);
    const id = key.slice(gate.id.length + 1);
    if (units === undefined && id !== '') return { key, gate, leg: { id, matrix: {} } };
    const message = id === '' ? `${gate.id} has legs: name one of them` : `gate ${gate.id} has no leg ${id}`;
    const keys = (units ?? []).slice(0, 20).map((other) => other.key);
    throw new GatelineError('usage', message, { hint: keys.join(', ') || '`gateline status` shows them' });
  }

  /** All units of a gate, or the unit with a key. @throws GatelineError as {@link requireUnit} */
  unitsNamed(key: string): readonly Unit[] {
    return this.unitsOf(key) ?? [this.requireUnit(key)];
  }

  /** All gates, each after those that it needs. */
  get gatesByNeeds(): readonly Gate[] {
    const sorted = orderByNeeds(this.pipeline.gates);
    if ('order' in sorted) return sorted.order;
    throw new GatelineError('bug', `a circle of gates: ${sorted.cycle.join(', ')}`);
  }

  /** All gates that a gate needs, directly or not. */
  ancestors(id: string): ReadonlySet<string> {
    let ancestors = this.#ancestors.get(id);
    if (ancestors === undefined) {
      const needs = this.gate(id)?.needs ?? [];
      ancestors = new Set(needs.flatMap((need) => [need, ...this.ancestors(need)]));
      this.#ancestors.set(id, ancestors);
    }
    return ancestors;
  }

  /** Whether a unit needs another one, directly or not. Legs of one gate do not need each other. */
  needs(unit: Unit, other: Unit): boolean {
    return this.ancestors(unit.gate.id).has(other.gate.id);
  }

  /** The gates that take their legs from the output of a gate. */
  matricesFrom(gate: string): readonly Gate[] {
    return this.#dynamic.filter(({ matrix }) => matrix && 'from' in matrix && matrix.from.gate === gate);
  }
}

/** The gate of a unit key. */
export function gateOf(key: UnitKey): string {
  return key.split('/', 1)[0]!;
}

/** The globs of the files that a gate makes; none for `files: changed`. */
export function fileGlobs({ files }: Gate): readonly string[] {
  return files === undefined || files === 'changed' ? [] : files;
}

/** Whether a gate has no command, so that its agent works by itself, between `begin` and `complete`. */
export function worksByItself({ run, uses }: Gate): boolean {
  return run === undefined && uses?.local === undefined;
}
