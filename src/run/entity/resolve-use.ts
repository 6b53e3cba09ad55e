import type { Entity, EntityUse } from '../../pipeline/entities/entities.ts';
import type { RecordListing } from '../records/reading.ts';
import type { RecordedUses } from '../records/effects.ts';
import { attemptKey } from '../records/order.ts';
import { unitOf, type StartedRecord } from '../records/record.ts';
import { isValidAt, type EntityState, type EntityStates, type NamedEntity } from './entity-state.ts';
import { instancesGiven } from './instances.ts';

/** Who wants to use entities, and when. */
export interface Asking {
  readonly entities: readonly Entity[];
  readonly states: EntityStates;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The arguments of a command; they may name an instance. */
  readonly given?: Readonly<Record<string, string>>;
  /** The leg of a matrix gate: it uses only its own instances. */
  readonly leg?: string;
}

/** The instances that a gate or command is about to use, and which of them it lacks. */
export interface ResolvedUse {
  readonly requires: readonly EntityState[];
  /** Names of required entities of which it has no valid instance. */
  readonly missing: readonly string[];
  readonly invalidates: readonly NamedEntity[];
  readonly creates: readonly string[];
}

/** Which instances a gate or command is about to use: all that its arguments name. */
export function resolveUse(use: EntityUse, asking: Asking): ResolvedUse {
  const found = use.requires.flatMap((name) => {
    const named = instancesFor(name, asking);
    const wanted = named.length === 0 ? [undefined] : named;
    return wanted.map((instance) => ({ name, state: stateOf(name, instance, asking, true) }));
  });
  return {
    requires: [...new Set(found.flatMap(({ state }) => state ?? []))],
    missing: [...new Set(found.flatMap(({ name, state }) => (state === undefined ? name : [])))],
    invalidates: use.invalidates.flatMap((entity) => {
      const named = instancesFor(entity, asking);
      return (named.length === 0 ? [''] : named).map((instance) => ({ entity, instance }));
    }),
    creates: use.creates,
  };
}

/**
 * The instance that something would be given that requires an entity: the first that is named, else the newest.
 * @param valid only one that is valid now. Otherwise also one that was
 */
export function requiredState(name: string, asking: Asking, valid: boolean): EntityState | undefined {
  return stateOf(name, instancesFor(name, asking)[0], asking, valid);
}

function stateOf(name: string, instance: string | undefined, asking: Asking, valid: boolean): EntityState | undefined {
  const { entities, states, now } = asking;
  const margin = entities.find((one) => one.name === name)?.margin ?? 0;
  const all = [...states.values()].filter((state) => state.entity === name);
  const usable = valid ? all.filter((state) => isValidAt(state, now, margin)) : all;
  if (instance === undefined) return usable.findLast((state) => isValidAt(state, now, margin)) ?? usable.at(-1);
  const own = usable.find((state) => state.instance === instance);
  // A leg also uses what was created for all of them.
  return own ?? usable.findLast((state) => state.instance === '');
}

/** The instances that are asked for, by arguments or as a leg; none: any. */
export function instancesFor(name: string, { entities, given, leg = '' }: Asking): string[] {
  if (leg !== '') return [leg];
  const entity = entities.find((one) => one.name === name);
  return entity === undefined || given === undefined ? [] : instancesGiven(entity, given);
}

/** A claim that has not ended, with what it uses. */
export interface OpenUse {
  readonly by: string;
  readonly started: StartedRecord;
  readonly uses: RecordedUses;
}

/**
 * What is being used by commands and gates that have not ended, whoever started them.
 * @param isOver whether a claim's holder is certainly gone, or its time is over
 */
export function openUses({ records }: RecordListing, isOver: (claim: StartedRecord) => boolean): OpenUse[] {
  const ended = new Set(records.flatMap((record) => (record.kind === 'ended' ? attemptKey(record) : [])));
  return records.flatMap((started) => {
    if (started.kind !== 'started' || started.entities === undefined) return [];
    if (ended.has(attemptKey(started)) || isOver(started)) return [];
    return [{ by: unitOf(started), started, uses: started.entities }];
  });
}

/** Who uses an entity that this one would use, unless both only require it. */
export function conflictWith(
  own: ResolvedUse,
  open: readonly OpenUse[],
  { entities, states, leg = '' }: Pick<Asking, 'entities' | 'states' | 'leg'>,
): (Pick<OpenUse, 'by' | 'started'> & { readonly entity: string }) | undefined {
  // A leg creates its own instance only, and what depends on that.
  const parts = (
    { creates, invalidates }: Pick<ResolvedUse, 'creates' | 'invalidates'>,
    instance: string,
  ): readonly NamedEntity[] =>
    withDependents([...invalidates, ...creates.map((entity) => ({ entity, instance }))], instance, entities, states);
  const ownChanges = parts(own, leg);
  for (const { by, started, uses } of open) {
    const changes = parts(uses, started.leg);
    const shared =
      sharedBy(ownChanges, [...changes, ...uses.requires]) ?? sharedBy(changes, [...ownChanges, ...own.requires]);
    if (shared !== undefined) return { by, started, entity: shared };
  }
  return undefined;
}

function sharedBy(some: readonly NamedEntity[], others: readonly NamedEntity[]): string | undefined {
  const isSame = (a: NamedEntity, b: NamedEntity): boolean =>
    a.entity === b.entity && (a.instance === '' || b.instance === '' || a.instance === b.instance);
  return some.find((one) => others.some((other) => isSame(one, other)))?.entity;
}

/** Everything that a change may make invalid. @param leg the leg that makes it, or '' */
function withDependents(
  changed: readonly NamedEntity[],
  leg: string,
  entities: readonly Entity[],
  states: EntityStates,
): readonly NamedEntity[] {
  const isOne = (named: NamedEntity, state: EntityState): boolean =>
    state.entity === named.entity && state.instance === named.instance;
  const births = new Set([...states.values()].filter((one) => changed.some((named) => isOne(named, one))).map(birthOf));
  const together = [...states.values()].filter((one) => births.has(birthOf(one)));
  const names = new Set(changed.map(({ entity }) => entity));
  const first = new Set(names);
  // A set also visits what is added to it meanwhile.
  for (const name of names) {
    for (const { name: other, dependsOn } of entities) if (dependsOn.includes(name)) names.add(other);
    for (const { entity, from } of states.values())
      if (from.some((key) => key.split('/', 1)[0] === name)) names.add(entity);
  }
  return [
    ...changed,
    ...together,
    ...[...names].filter((name) => !first.has(name)).map((entity) => ({ entity, instance: leg })),
    ...[...states.values()].filter(({ from }) => leg !== '' && from.some((key) => key.endsWith(`/${leg}`))),
  ];
}

function birthOf({ entity, birth }: EntityState): string {
  return `${entity} ${birth}`;
}
