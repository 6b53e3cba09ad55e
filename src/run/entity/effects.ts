import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { valueAt } from '../../json/pointer.ts';
import type { CommandDefinition, EntityDefinition, EntityUse } from '../../pipeline/pipeline.ts';
import { entityKey, type EntityChange, type EntityTarget } from './change.ts';
import { applyChange, type BeganEntry, type EntityState } from './entity-log.ts';
import { hasInstances, instanceNamed, namesIn, type Names } from './instances.ts';

export type EntityDefinitions = Readonly<Record<string, EntityDefinition>>;
type Uses = Pick<EntityUse, 'requires' | 'creates' | 'invalidates'>;

/**
 * Applies changes of entities one by one, with their consequences: an entity is invalid as soon as one that it depends on
 * is. Entities that have expired by `now` are invalid from the start.
 */
export class EntityEffects {
  readonly #definitions: EntityDefinitions;
  readonly #now: string;
  readonly states: Map<string, EntityState>;
  readonly changes: EntityChange[] = [];

  constructor(definitions: EntityDefinitions, states: ReadonlyMap<string, EntityState>, now: string) {
    this.#definitions = definitions;
    this.#now = now;
    this.states = new Map(states);
    for (const { entity, instance, to, expiresAt } of states.values())
      if (to === 'valid' && expiresAt !== undefined && expiresAt <= now)
        this.invalidate({ entity, instance }, `it expired at ${expiresAt}`);
  }

  invalidate({ entity, instance }: EntityTarget, cause: string): void {
    const valid = this.#valid(entity).filter((state) => instance === undefined || state.instance === instance);
    for (const state of valid) this.#apply({ entity, instance: state.instance, to: 'invalid', cause });
    if (valid.length > 0) this.#invalidateDependents(entity);
  }

  /**
   * Makes an instance valid, or invalid if its value says that it has expired.
   * @param value the value, or an object with the value under the entity's name
   */
  create(
    entity: string,
    value: JsonValue | undefined,
    { args = {}, returns, ...named }: { args?: Names; returns?: string; instance?: string } = {},
  ) {
    const definition = this.#definitionOf(entity);
    const part = isJsonObject(value) && Object.hasOwn(value, entity) ? value[entity] : value;
    const name = (names: Names) => instanceNamed(entity, definition, names);
    const instance = named.instance ?? name(namesIn(part, returns)) ?? name(args) ?? '';
    const change = { entity, instance, ...(part !== undefined && { value: part }) };
    const { expiresAt: pointer } = definition;
    if (pointer === undefined) return this.#apply({ ...change, to: 'valid' });
    const expiresAt = timeAt(part, pointer);
    if (expiresAt !== undefined && expiresAt > this.#now) return this.#apply({ ...change, to: 'valid', expiresAt });
    const cause = expiresAt ? `it expired at ${expiresAt}` : `its value has no time at ${pointer}`;
    this.#apply({ ...change, to: 'invalid', cause });
  }

  /** As if it had never existed. */
  reset({ entity, instance }: EntityTarget): void {
    this.invalidate({ entity, instance }, 'it was reset');
    for (const state of this.states.values())
      if (state.entity === entity && state.to !== 'absent' && (instance ?? state.instance) === state.instance)
        this.#apply({ entity, instance: state.instance, to: 'absent' });
  }

  /** The use was killed: the entities that it would have changed are invalid. */
  kill({ targets, changes }: Pick<BeganEntry, 'targets' | 'changes'>, cause: string): void {
    const isTarget = (name: string) => targets.some(({ entity }) => entity === name);
    for (const change of changes)
      if (isTarget(change.entity) && this.states.get(entityKey(change))?.to === 'invalid')
        this.#apply({ ...change, cause });
    for (const target of targets) {
      this.invalidate(target, cause);
      const { entity, instance = '' } = target;
      const exists = [...this.states.values()].some((state) => state.entity === entity && state.to !== 'absent');
      if (!exists) this.#apply({ entity, instance, to: 'invalid', cause });
    }
  }

  /** The target that arguments name. A name that no instance was created under means the entity itself. */
  target(entity: string, args: Names): EntityTarget {
    const instance = instanceNamed(entity, this.#definitionOf(entity), args);
    if (instance === undefined) return { entity };
    const state = this.states.get(entityKey({ entity, instance }));
    return { entity, instance: state === undefined || state.to === 'absent' ? '' : instance };
  }

  /** A valid instance of a target: the newest, if the target names none. */
  find({ entity, instance }: EntityTarget): EntityState | undefined {
    return this.#valid(entity).findLast((state) => instance === undefined || state.instance === instance);
  }

  /** Required entities that are not valid. */
  missing(requires: readonly string[], args: Names): string[] {
    return requires.filter((entity) => this.find(this.target(entity, args)) === undefined);
  }

  /** The targets that a use creates and invalidates. Which instance it creates is unknown until it has a result. */
  targets({ creates, invalidates }: Uses, args: Names): EntityTarget[] {
    const created = creates.map((entity): EntityTarget =>
      hasInstances(this.#definitionOf(entity)) ? { entity } : { entity, instance: '' },
    );
    return [...created, ...invalidates.map((entity) => this.target(entity, args))];
  }

  #valid(entity: string): EntityState[] {
    return [...this.states.values()].filter((state) => state.entity === entity && state.to === 'valid');
  }

  #invalidateDependents(entity: string): void {
    for (const dependent of dependentsOf(this.#definitions, entity))
      this.invalidate({ entity: dependent }, `${entity} is not valid any more`);
  }

  #apply(change: EntityChange): void {
    this.changes.push(change);
    applyChange(this.states, { ...change, by: { actor: '', reason: '' }, at: this.#now });
  }

  #definitionOf(entity: string): EntityDefinition {
    const none = { format: undefined, properties: [], dependsOn: [], expiresAt: undefined };
    return Object.hasOwn(this.#definitions, entity) ? this.#definitions[entity]! : none;
  }
}

function dependentsOf(definitions: EntityDefinitions, entity: string): string[] {
  return Object.keys(definitions).filter((name) => definitions[name]!.dependsOn.includes(entity));
}

/** Targets, and all entities that depend on them. */
function withDependents(definitions: EntityDefinitions, targets: readonly EntityTarget[]): EntityTarget[] {
  const dependents = new Set(targets.flatMap(({ entity }) => dependentsOf(definitions, entity)));
  // Iteration over a set includes what is added meanwhile.
  for (const entity of dependents) for (const next of dependentsOf(definitions, entity)) dependents.add(next);
  return [...targets, ...[...dependents].map((entity) => ({ entity }))];
}

/** The targets that a use only requires, and those that it creates or invalidates. */
export interface NamedUse {
  readonly requires: readonly EntityTarget[];
  readonly changes: readonly EntityTarget[];
}

/** An entity that one use changes and the other one names, so that they must not work side by side. */
export function findConflict(definitions: EntityDefinitions, a: NamedUse, b: NamedUse): string | undefined {
  const [changesA, changesB] = [withDependents(definitions, a.changes), withDependents(definitions, b.changes)];
  const overlap = (one: EntityTarget, other: EntityTarget) =>
    one.entity === other.entity && (one.instance ?? other.instance) === (other.instance ?? one.instance);
  const shared =
    changesA.find((one) => [...b.requires, ...changesB].some((other) => overlap(one, other))) ??
    changesB.find((one) => a.requires.some((other) => overlap(one, other)));
  return shared?.entity;
}

/** The commands that make entities valid, in order; undefined: commands without arguments cannot do so. */
export function findSetupCommands(
  commands: Readonly<Record<string, CommandDefinition>>,
  missing: readonly string[],
  isValid: (entity: string) => boolean,
): readonly string[] | undefined {
  const order: string[] = [];
  const created = new Set<string>();
  const reach = (entity: string, path: readonly string[]): boolean => {
    if (created.has(entity)) return true;
    const ids = Object.keys(commands).filter((id) => commands[id]!.creates.includes(entity) && !path.includes(id));
    return ids.some((id) => {
      const { setup, syntax, requires, creates } = commands[id]!;
      if (!setup || /<[\w-]+>/.test(syntax)) return false;
      const canRun = requires.every((need) => (isValid(need) && !missing.includes(need)) || reach(need, [...path, id]));
      if (canRun) order.push(id);
      if (canRun) for (const name of creates) created.add(name);
      return canRun;
    });
  };
  return missing.every((entity) => reach(entity, [])) ? order : undefined;
}

/** Larger numbers are milliseconds: as seconds they would be after the year 5138. */
const MAX_SECONDS = 1e11;

/** A time in a value: ISO 8601 with its zone, or seconds or milliseconds since 1970. */
function timeAt(value: JsonValue | undefined, pointer: string): string | undefined {
  const part = value === undefined ? undefined : valueAt(value, pointer);
  const isTime = typeof part === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/i.test(part);
  const ms = typeof part === 'number' ? (part < MAX_SECONDS ? part * 1_000 : part) : isTime ? Date.parse(part) : NaN;
  return Math.abs(ms) < 253_402_300_800_000 ? new Date(ms).toISOString() : undefined;
}
