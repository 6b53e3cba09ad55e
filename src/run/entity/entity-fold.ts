import type { Digest } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import type { Entity } from '../../pipeline/entities/entities.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { covers, entityKey, processKey, type EntityState, type NamedEntity } from './entity-state.ts';
import { endsIn } from './instances.ts';
import type { LeftProcess } from '../records/effects.ts';
import type { Content } from '../records/record.ts';

/** What records do not say. */
export interface EntityFacts {
  /** Values by digest, for entities whose value says how long they live. One that is not here is expired. */
  readonly values: ReadonlyMap<Digest, JsonValue>;
  /** The processes that are still running, by {@link processKey}. Default: none. */
  readonly running?: ReadonlySet<string>;
  /**
   * The place of a unit among those of a pipeline, every one after its needs, and that of what a job ran for it.
   * Default: that of its name.
   */
  readonly rank?: ReadonlyMap<UnitKey, number>;
}

/** How many entities an entity depends on, one after the other. */
export function depthsOf(entities: readonly Entity[]): (name: string) => number {
  const known = new Map(entities.map((entity) => [entity.name, entity]));
  const depths = new Map<string, number>();
  const depthOf = (name: string): number => {
    const found = depths.get(name);
    if (found !== undefined) return found;
    // For a definition that goes in circles.
    depths.set(name, 0);
    const depth = (known.get(name)?.dependsOn ?? []).reduce((a, on) => Math.max(a, 1 + depthOf(on)), 0);
    depths.set(name, depth);
    return depth;
  };
  return depthOf;
}

type CreatedEntity = NamedEntity & {
  readonly value?: Content | undefined;
  readonly processes?: readonly LeftProcess[] | undefined;
};
type EntityChangeCause = Pick<EntityState, 'by' | 'at' | 'reason'>;

/** What is true of entities after one event and the next. Whoever calls it knows their order. */
export class EntityFold {
  readonly states = new Map<string, EntityState>();
  /** The keys of each entity, in the order of `states`: a page has a thousand references, and a click ends them all. */
  readonly #keys = new Map<string, Set<string>>();
  /** What something was ever created from. */
  readonly #sources = new Set<string>();
  /** Entities that another one depends on. */
  readonly #depended: ReadonlySet<string>;
  readonly #entities: ReadonlyMap<string, Entity>;
  readonly #facts: EntityFacts;
  /** When the instances of a value end, by entity and digest: a list of a thousand is read once. */
  readonly #ends = new Map<string, (instance: string) => number>();
  readonly #depthOf: (name: string) => number;

  constructor(entities: readonly Entity[], facts: EntityFacts) {
    this.#entities = new Map(entities.map((entity) => [entity.name, entity]));
    this.#depended = new Set(entities.flatMap(({ dependsOn }) => dependsOn));
    this.#facts = facts;
    this.#depthOf = depthsOf(entities);
  }

  create(
    { entity, instance, value, processes }: CreatedEntity,
    { by, at, birth, from }: Pick<EntityState, 'by' | 'at' | 'birth'> & { readonly from: readonly NamedEntity[] },
  ): void {
    const others = from.filter((one) => one.entity !== entity);
    const until = Math.min(
      this.#ownEnd({ entity, instance, value, processes }, at),
      ...others.map((one) => this.states.get(entityKey(one))?.until ?? Infinity),
      ...this.#dependedOn({ entity, instance }, at).map((one) => one.until),
    );
    const life = { valid: true, value, until, by, creator: by, birth, at, reason: '' };
    const state = { entity, instance, ...life, from: others.map(entityKey) };
    for (const source of state.from) this.#sources.add(source);
    // The newest is the last.
    this.#remove(entityKey(state), state);
    this.states.set(entityKey(state), state);
    this.#keysOf(entity).add(entityKey(state));
    this.#shortenWith(entityKey(state), state);
  }

  /** What depends on something that is created again ends with the new one, if that is earlier. */
  #shortenWith(key: string, state: EntityState): void {
    const { until } = state;
    if (until === Infinity) return;
    for (const [otherKey, other] of this.#dependentsOf(key, state)) {
      if (other.until <= until) continue;
      const shorter = { ...other, until };
      this.states.set(otherKey, shorter);
      this.#shortenWith(otherKey, shorter);
    }
  }

  #remove(key: string, { entity }: NamedEntity): void {
    this.states.delete(key);
    this.#keysOf(entity).delete(key);
  }

  #keysOf(entity: string): Set<string> {
    const keys = this.#keys.get(entity) ?? new Set();
    this.#keys.set(entity, keys);
    return keys;
  }

  /** The instances of an entity, with their keys. */
  #statesOf(entity: string): [string, EntityState][] {
    return [...(this.#keys.get(entity) ?? [])].map((key) => [key, this.states.get(key)!]);
  }

  /** What one command created, each after what it depends on: its life ends with that one, not with an earlier one. */
  dependedFirst<T extends NamedEntity>(created: readonly T[]): T[] {
    return created.toSorted((a, b) => this.#depthOf(a.entity) - this.#depthOf(b.entity));
  }

  invalidate({ entity, instance }: NamedEntity, change: EntityChangeCause): void {
    const valid = this.#statesOf(entity).filter(([, one]) => one.valid);
    const births = new Set(valid.flatMap(([, one]) => (covers(instance, one.instance) ? [one.birth] : [])));
    const gone = valid.filter(([, one]) => births.has(one.birth));
    for (const [key, state] of gone) this.states.set(key, { ...state, ...change, valid: false });
    // In a second step, so that instances of one entity do not wait for each other.
    for (const [key, state] of gone) this.#invalidateWith(key, state, change);
  }

  invalidateAll(change: EntityChangeCause): void {
    for (const [key, state] of this.states)
      if (state.valid) this.states.set(key, { ...state, ...change, valid: false });
  }

  reset(about: NamedEntity, change: EntityChangeCause): void {
    this.invalidate(about, change);
    for (const [key, one] of this.#statesOf(about.entity))
      if (covers(about.instance, one.instance)) this.#remove(key, one);
  }

  #invalidateWith(key: string, state: EntityState, change: EntityChangeCause): void {
    for (const [otherKey, other] of this.#dependentsOf(key, state)) {
      // Another of them may have taken it along.
      if (this.states.get(otherKey)?.valid === false) continue;
      const now = { ...other, by: change.by, at: change.at, reason: `${key} is no longer valid`, valid: false };
      this.states.set(otherKey, now);
      this.#invalidateWith(otherKey, now, change);
    }
  }

  /** What was created from it, or depends on it, and is valid. */
  #dependentsOf(key: string, { entity, instance }: NamedEntity): [string, EntityState][] {
    if (!this.#depended.has(entity) && !this.#sources.has(key)) return [];
    return [...this.states].filter(
      ([, other]) =>
        other.valid &&
        ((this.#entities.get(other.entity)?.dependsOn.includes(entity) === true && covers(instance, other.instance)) ||
          other.from.includes(key)),
    );
  }

  /** What a new instance ends with: not what had ended or become invalid before. When a process ended is not known. */
  #dependedOn({ entity, instance }: NamedEntity, at: string): EntityState[] {
    const names = this.#entities.get(entity)?.dependsOn ?? [];
    const isOver = ({ until }: EntityState): boolean => until !== -Infinity && until <= Date.parse(at);
    return names
      .flatMap((name) => this.#statesOf(name).map(([, one]) => one))
      .filter((one) => one.valid && covers(one.instance, instance) && !isOver(one));
  }

  #ownEnd({ entity: name, instance, value, processes }: CreatedEntity, at: string): number {
    const entity = this.#entities.get(name);
    const lifetime = entity?.lifetime;
    if (entity === undefined || lifetime === undefined) return Infinity;
    if (lifetime === 'machine') {
      const isRunning = processes?.some((one) => this.#facts.running?.has(processKey(one)));
      return isRunning === true ? Infinity : -Infinity;
    }
    if (typeof lifetime === 'number') return Date.parse(at) + lifetime;
    const known = value && this.#facts.values.get(value.digest);
    if (known === undefined) return -Infinity;
    const key = `${name} ${value!.digest}`;
    const endOf = this.#ends.get(key) ?? endsIn(entity, known, lifetime);
    this.#ends.set(key, endOf);
    return endOf(instance);
  }
}
